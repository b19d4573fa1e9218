// How much of a group's minimum counts while later parts of it are not there yet.
#include "brain/cluster/ledgers/pod_groups.h"

#include <gtest/gtest.h>

#include <string>

#include "brain/cluster/cluster.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/spellings/later_parts.h"
#include "brain/cluster/spellings/volcano.h"
#include "brain/cluster/testing/node_builder.h"
#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::cluster {
namespace {

using testing::node;
using testing::pod;

class LaterPartsOfGroups : public ::testing::Test {
 protected:
  void describe(std::int32_t min_count, const std::string& later) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = "gang";
    group.policy.min_count = min_count;
    group.metadata.annotations.emplace(std::string(spellings::kLaterParts), later);
    cluster_.set_pod_group(group);
  }
  PodId add(const std::string& name, const std::string& rank, const std::string& job = "0") {
    return cluster_.add_pod(pod(name).label("rank", rank).label("job", job).group("gang").build());
  }
  [[nodiscard]] const PodGroup& group() const {
    return cluster_.group(cluster_.find_group("default", {GroupSpelling::kKubernetes, "gang"}));
  }

  Cluster cluster_;
};

TEST_F(LaterPartsOfGroups, CountAsAWholeOnceOneOfThemIsThere) {
  describe(4, "workers: 3 of rank!=0");
  EXPECT_EQ(group().min_count, 1);
  add("leader", "0");
  EXPECT_EQ(group().min_count, 1);
  const PodId first = add("worker-1", "1");
  EXPECT_EQ(group().min_count, 4);
  EXPECT_EQ(group().staying(), 2) << "so the group waits for the others";
  const PodId second = add("worker-2", "2");
  cluster_.remove_pod(first);
  EXPECT_EQ(group().min_count, 4);
  cluster_.set_terminating(second, false);
  EXPECT_EQ(group().min_count, 1) << "those that leave count for nothing";
  cluster_.remove_pod(second);
  EXPECT_EQ(group().min_count, 1);
}

TEST_F(LaterPartsOfGroups, OfSeveralCopiesCountOneByOne) {
  describe(6, "followers: 2 of rank!=0, 2 by job");
  for (const char* job : {"0", "1"}) add(std::string("leader-") + job, "0", job);
  EXPECT_EQ(group().min_count, 2);
  add("a", "1", "0");
  EXPECT_EQ(group().min_count, 4);
  const PodId b = add("b", "1", "1");
  EXPECT_EQ(group().min_count, 6);
  cluster_.remove_pod(b);
  EXPECT_EQ(group().min_count, 4);
}

TEST_F(LaterPartsOfGroups, AreCountedAnewWhenTheObjectChanges) {
  add("leader", "0");
  add("worker", "1");
  describe(3, "workers: 2 of rank!=0");
  EXPECT_EQ(group().min_count, 3);
  describe(3, "workers: 2 of rank=7");
  EXPECT_EQ(group().min_count, 1);
  describe(3, "");
  EXPECT_EQ(group().min_count, 3);
  EXPECT_TRUE(cluster_.remove_pod_group("default", "gang"));
  EXPECT_EQ(group().min_count, 0);
}

TEST_F(LaterPartsOfGroups, FollowLabelsThatChange) {
  describe(3, "workers: 2 of rank!=0");
  const PodId id = add("p", "0");
  EXPECT_EQ(group().min_count, 1);
  cluster_.update_pod(id, pod("p").label("rank", "1").label("job", "0").group("gang").build());
  EXPECT_EQ(group().min_count, 3);
}

TEST_F(LaterPartsOfGroups, AreAsBeforeAfterARollback) {
  describe(3, "workers: 2 of rank!=0");
  const NodeId a = cluster_.add_node(node("a").allocatable("cpu", "8"));
  const PodId worker = add("worker", "1");
  cluster_.place(worker, a);
  {
    const Transaction tentatively(cluster_);
    cluster_.set_terminating(worker, true);
    EXPECT_EQ(group().min_count, 1);
  }
  EXPECT_EQ(group().min_count, 3);
}

TEST_F(LaterPartsOfGroups, HaveTheMinimumOfTheirRoleOnlyOnceTheyAreThere) {
  kube::VolcanoPodGroup written;
  written.metadata.namespace_ = "default";
  written.metadata.name = "gang";
  written.min_member = 3;
  written.min_task_member = {{"store", 1}, {"trainer", 2}};
  written.metadata.annotations.emplace(std::string(spellings::kLaterParts),
                                       "trainer: 2 of volcano.sh/task-spec=trainer");
  const GroupName name{GroupSpelling::kVolcano, "gang"};
  cluster_.set_group(spellings::describe(written, cluster_.symbols()));
  const auto minimums = [&] {
    std::string text;
    for (const SubGroup& each : cluster_.group(cluster_.find_group("default", name)).rules.subgroups) {
      text += each.name + ' ' + std::to_string(each.min_count) + ' ';
    }
    return text;
  };
  EXPECT_EQ(minimums(), "store 1 trainer 0 ");
  kube::Pod trainer = pod("t").label("volcano.sh/task-spec", "trainer").build();
  trainer.metadata.annotations.emplace("scheduling.k8s.io/group-name", "gang");
  cluster_.add_pod(trainer);
  EXPECT_EQ(minimums(), "store 1 trainer 2 ");
  EXPECT_FALSE(cluster_.set_group(spellings::describe(written, cluster_.symbols()))) << "nothing of it is new";
  EXPECT_EQ(minimums(), "store 1 trainer 2 ");
}

}  // namespace
}  // namespace loadline::cluster
