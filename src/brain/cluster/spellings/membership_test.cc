#include "brain/cluster/spellings/membership.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/spellings/coscheduling.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster::spellings {
namespace {

using cluster::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::Eq;
using ::testing::Optional;

kube::Pod pod_with(kube::StringMap labels, kube::StringMap annotations, const std::string& scheduler = "") {
  kube::Pod pod = PodBuilder("p");
  pod.metadata.labels = std::move(labels);
  pod.metadata.annotations = std::move(annotations);
  if (!scheduler.empty()) {
    auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
    spec->scheduler_name = scheduler;
    pod.spec = std::move(spec);
  }
  return pod;
}

TEST(GroupMembership, IsSaidInTheWordsOfEachProject) {
  EXPECT_THAT(group_of(pod_with({}, {})), Eq(std::nullopt));
  EXPECT_THAT(group_of(pod_with({{"scheduling.x-k8s.io/pod-group", "a"}}, {})),
              Optional(GroupName{GroupSpelling::kCoscheduling, "a"}));
  EXPECT_THAT(group_of(pod_with({}, {{"scheduling.k8s.io/group-name", "a"}})),
              Optional(GroupName{GroupSpelling::kVolcano, "a"}));
  EXPECT_THAT(group_of(pod_with({}, {{"scheduling.volcano.sh/group-name", "a"}})),
              Optional(GroupName{GroupSpelling::kVolcano, "a"}));
  EXPECT_THAT(group_of(pod_with({}, {{"gang.scheduling.koordinator.sh/name", "a"}})),
              Optional(GroupName{GroupSpelling::kKoordinator, "a"}));
  EXPECT_THAT(group_of(pod_with({{"pod-group.scheduling.sigs.k8s.io/name", "a"}}, {})),
              Optional(GroupName{GroupSpelling::kKoordinator, "a"}));
  EXPECT_THAT(group_of(pod_with({{"grove.io/podgang", "a"}}, {})), Optional(GroupName{GroupSpelling::kGrove, "a"}));
}

TEST(GroupMembership, OfKueueTakesAQueueToo) {
  EXPECT_THAT(group_of(pod_with({{"kueue.x-k8s.io/pod-group-name", "a"}}, {})), Eq(std::nullopt));
  EXPECT_THAT(group_of(pod_with({{"kueue.x-k8s.io/pod-group-name", "a"}, {"kueue.x-k8s.io/queue-name", "q"}}, {})),
              Optional(GroupName{GroupSpelling::kKueue, "a"}));
}

TEST(GroupMembership, OfKaiIsForItsOwnPods) {
  EXPECT_THAT(group_of(pod_with({}, {{"pod-group-name", "a"}})), Eq(std::nullopt));
  const GroupName group{GroupSpelling::kKai, "a"};
  EXPECT_THAT(group_of(pod_with({}, {{"pod-group-name", "a"}}, "kai-scheduler")), Optional(group));
  EXPECT_THAT(group_of(pod_with({{"kai.scheduler/subgroup-name", "s"}}, {{"pod-group-name", "a"}})), Optional(group));
}

TEST(GroupMembership, CountsOnceWhereAPodNamesSeveralGroups) {
  kube::Pod pod = pod_with({{"scheduling.x-k8s.io/pod-group", "b"}}, {{"scheduling.k8s.io/group-name", "c"}});
  EXPECT_THAT(group_of(pod), Optional(GroupName{GroupSpelling::kCoscheduling, "b"}));
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->pod_group_name = "a";
  pod.spec = std::move(spec);
  EXPECT_THAT(group_of(pod), Optional(GroupName{GroupSpelling::kKubernetes, "a"}));
  std::vector<std::string> fields;
  for (const NamedGroup& each : groups_named_by(pod.metadata, *pod.spec)) fields.push_back(each.field);
  EXPECT_THAT(fields, ElementsAre("spec.schedulingGroup.podGroupName", "metadata.labels[scheduling.x-k8s.io/pod-group]",
                                  "metadata.annotations[scheduling.k8s.io/group-name]"));
}

TEST(GroupMembership, IsForgottenInEveryWord) {
  kube::Pod pod = pod_with({{"scheduling.x-k8s.io/pod-group", "a"},
                            {"kueue.x-k8s.io/pod-group-name", "a"},
                            {"kueue.x-k8s.io/queue-name", "q"},
                            {"pod-group.scheduling.sigs.k8s.io/name", "a"},
                            {"grove.io/podgang", "a"},
                            {"app", "train"}},
                           {{"scheduling.k8s.io/group-name", "a"},
                            {"scheduling.volcano.sh/group-name", "a"},
                            {"gang.scheduling.koordinator.sh/name", "a"},
                            {"pod-group-name", "a"}},
                           "kai-scheduler");
  EXPECT_EQ(groups_named_by(pod.metadata, *pod.spec).size(), 6U);
  forget_groups(pod.metadata);
  EXPECT_THAT(group_of(pod), Eq(std::nullopt));
  EXPECT_TRUE(pod.metadata.labels.contains("app"));
}

// ---- in a cluster ---------------------------------------------------------------------------------------------------

TEST(GroupsOfSpellings, OfOneNameAreSeveral) {
  Cluster cluster;
  kube::CoschedulingPodGroup group;
  group.metadata.namespace_ = "default";
  group.metadata.name = "a";
  group.min_member = 3;
  EXPECT_TRUE(cluster.set_group(describe(group, cluster.symbols())));
  EXPECT_FALSE(cluster.set_group(describe(group, cluster.symbols())));
  const PodId by_label = cluster.add_pod(pod_with({{"scheduling.x-k8s.io/pod-group", "a"}}, {}));
  const PodId by_annotation = cluster.add_pod(pod_with({}, {{"scheduling.k8s.io/group-name", "a"}}));
  EXPECT_NE(cluster.pod(by_label).group, cluster.pod(by_annotation).group);
  EXPECT_EQ(cluster.group(cluster.pod(by_label).group).min_count, 3);
  EXPECT_FALSE(cluster.group(cluster.pod(by_annotation).group).is_described);
}

TEST(GroupsOfSpellings, AreDescribedByTheFirstOfTheirPodsWhereNoObjectDoes) {
  Cluster cluster;
  const auto member = [](const char* total) {
    return pod_with({{"kueue.x-k8s.io/pod-group-name", "a"}, {"kueue.x-k8s.io/queue-name", "q"}},
                    {{"kueue.x-k8s.io/pod-group-total-count", total}});
  };
  const PodId mute = cluster.add_pod(member("three"));
  const GroupId group = cluster.pod(mute).group;
  EXPECT_FALSE(cluster.group(group).is_described);
  const PodId first = cluster.add_pod(member("3"));
  const PodId second = cluster.add_pod(member("4"));
  EXPECT_TRUE(cluster.group(group).is_described);
  EXPECT_EQ(cluster.group(group).min_count, 3);
  for (const PodId pod : {mute, first, second}) cluster.remove_pod(pod);
  EXPECT_FALSE(cluster.find_group("default", GroupName{GroupSpelling::kKueue, "a"}).valid());
}

TEST(GroupsOfSpellings, AreLeftAndJoinedAsLabelsChange) {
  Cluster cluster;
  const PodId pod = cluster.add_pod(pod_with({{"scheduling.x-k8s.io/pod-group", "a"}}, {}));
  cluster.update_pod(pod, pod_with({{"scheduling.x-k8s.io/pod-group", "b"}}, {}));
  EXPECT_FALSE(cluster.find_group("default", GroupName{GroupSpelling::kCoscheduling, "a"}).valid());
  ASSERT_TRUE(cluster.pod(pod).group.valid());
  EXPECT_EQ(cluster.group(cluster.pod(pod).group).name, "b");
  cluster.update_pod(pod, pod_with({}, {}));
  EXPECT_FALSE(cluster.pod(pod).group.valid());
  EXPECT_FALSE(cluster.find_group("default", GroupName{GroupSpelling::kCoscheduling, "b"}).valid());
}

class FinishedGroup : public ::testing::Test {
 protected:
  FinishedGroup() { describe_with(3); }
  bool describe_with(std::int32_t min_member) {
    kube::CoschedulingPodGroup object;
    object.metadata.namespace_ = "default";
    object.metadata.name = "a";
    object.min_member = min_member;
    return cluster_.set_group(describe(object, cluster_.symbols()));
  }
  GroupId succeed(const std::string& pod, const std::string& role = "worker") {
    return cluster_.add_succeeded("default", name_, {"Job/train", pod, {{"role", role}}});
  }
  GroupId forget(const std::string& pod) { return cluster_.remove_succeeded("default", name_, pod); }
  bool record(std::int64_t succeeded, const std::string& role = "worker") {
    return cluster_.record_succeeded("default", name_, {"Job/train", role, {{"role", role}}, succeeded}).second;
  }
  [[nodiscard]] const PodGroup& group() const { return cluster_.group(cluster_.find_group("default", name_)); }
  [[nodiscard]] std::int64_t in_role(const std::string& role) {
    SubGroup part;
    part.selector = PodSelector::of_labels({{"role", role}}, cluster_.symbols());
    return group().finished.count_in(part, cluster_.symbols());
  }

  Cluster cluster_;
  const GroupName name_{GroupSpelling::kCoscheduling, "a"};
};

TEST_F(FinishedGroup, NeedsLessOncePodsHaveSucceeded) {
  const GroupId id = succeed("a-0");
  EXPECT_EQ(group().min_count, 2);
  EXPECT_EQ(group().described_min_count, 3);
  EXPECT_TRUE(describe_with(4));
  EXPECT_EQ(group().min_count, 3);
  forget("a-0");
  EXPECT_EQ(group().min_count, 4);
  // What has succeeded keeps the group known, and nothing else does.
  EXPECT_EQ(succeed("a-0"), id);
  cluster_.remove_group("default", name_);
  EXPECT_TRUE(cluster_.find_group("default", name_).valid());
  EXPECT_FALSE(forget("a-0").valid());
  EXPECT_FALSE(cluster_.find_group("default", name_).valid());
}

TEST_F(FinishedGroup, NeedsLessAlsoOnceTheirPodsAreGoneThatAreOnRecord) {
  succeed("a-0");
  EXPECT_FALSE(record(1)) << "the same one, known twice";
  EXPECT_EQ(group().min_count, 2);
  forget("a-0");
  EXPECT_EQ(group().min_count, 2);
  EXPECT_TRUE(record(2));
  succeed("a-1");
  EXPECT_EQ(group().min_count, 1) << "the record may lag behind its pods, but here it does not";
  succeed("a-2");
  succeed("a-3");
  EXPECT_EQ(group().min_count, 0);
  for (const char* pod : {"a-1", "a-2", "a-3"}) forget(pod);
  EXPECT_TRUE(record(0));
  EXPECT_EQ(group().min_count, 3);
}

TEST_F(FinishedGroup, CountsEachRoleByItself) {
  succeed("a-0", "master");
  record(2, "worker");
  record(1, "master");
  EXPECT_EQ(group().min_count, 0);
  EXPECT_EQ(in_role("master"), 1);
  EXPECT_EQ(in_role("worker"), 2);
  succeed("a-1", "worker");
  EXPECT_EQ(in_role("worker"), 2);
  forget("a-0");
  EXPECT_EQ(in_role("master"), 1);
  EXPECT_TRUE(record(0, "master"));
  EXPECT_EQ(in_role("master"), 0);
}

}  // namespace
}  // namespace loadline::cluster::spellings
