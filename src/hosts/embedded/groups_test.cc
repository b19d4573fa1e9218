// Groups of pods in a whole cluster: what is decided whole may be carried out in part, and is completed or taken back.
#include <gmock/gmock.h>

#include "foundation/document/writer.h"
#include "hosts/embedded/testing/cluster_fixture.h"
#include "hosts/embedded/testing/picky_client.h"
#include "objects/kube/condition.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::Each;
using ::testing::IsEmpty;
using testing::kPods;
using testing::node;
using ::testing::Not;
using ::testing::SizeIs;
using testing::yaml;

const kube::ResourceReference kGroups{"scheduling.k8s.io", "v1alpha2", "podgroups", "default"};
const kube::ResourceReference kGangJobs{"batch", "v1", "jobs", "default"};

/// Gangs of three whose pods take four of the eight CPUs of a node.
constexpr const char* kGroup = R"(
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
)";
constexpr const char* kJob = R"(
apiVersion: batch/v1
kind: Job
metadata: {name: train, namespace: default}
spec:
  parallelism: 3
  completions: 3
  completionMode: Indexed
  template:
    metadata: {annotations: {loadline.dev/run-time: forever}}
    spec:
      restartPolicy: Never
      terminationGracePeriodSeconds: 0
      schedulingGroup: {podGroupName: train}
      containers: [{name: app, image: train, resources: {requests: {cpu: "4"}}}]
)";

class GroupsTest : public testing::ClusterTest {
 protected:
  /// As many bindings are carried out as `bindings_allowed_`; the others are refused for good, and so are statuses of
  /// groups while `refuses_statuses_`.
  void start_picky(std::vector<Value> nodes) {
    ClusterOptions options;
    options.wire = [this](std::unique_ptr<kube::Client> inner) {
      return std::make_unique<testing::PickyClient>(std::move(inner), loop_, [this](const kube::ResourceReference& of) {
        if (of.plural == "podgroups") return refuses_statuses_;
        return of.subresource == "binding" && bindings_allowed_-- <= 0;
      });
    };
    start(std::move(nodes), std::move(options));
  }
  void add_gang() {
    apply(kGroups, kGroup);
    apply(kGangJobs, kJob);
  }
  std::size_t on_nodes() {
    std::size_t count = 0;
    for (const Value& pod : list(kPods)) {
      if (!document::text_at(pod, {"spec", "nodeName"}).empty()) ++count;
    }
    return count;
  }
  /// "True Scheduled": what the group's object says; empty: nothing.
  std::string says() { return said_by(list(kGroups).front()); }
  static std::string said_by(const Value& group) {
    const Value* condition = kube::find_condition(group, "PodGroupScheduled");
    if (condition == nullptr) return {};
    return fmt::format("{} {}", document::text_at(*condition, {"status"}), document::text_at(*condition, {"reason"}));
  }
  void remove(const kube::ResourceReference& of, const std::string& name, const kube::DeleteOptions& how = {}) {
    kube::ResourceReference one = of;
    one.name = name;
    client_->remove(one, how, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    loop_.run_until_idle();
  }
  void cordon(bool is_cordoned) {
    for (const char* name : {"a", "b"}) {
      const std::string changes = fmt::format("{{spec: {{unschedulable: {}}}}}", is_cordoned);
      client_->patch({"", "v1", "nodes", "", name}, {kube::PatchType::kMerge, yaml(changes)},
                     [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    }
    loop_.run_until_idle();
  }
  void restart_control() {
    ASSERT_TRUE(cluster_->restart_control({}));
    loop_.advance(Duration::seconds(2));
  }

  int bindings_allowed_ = 1000;
  bool refuses_statuses_ = false;
};

/// One of two nodes is taken by what says that it ends after ten minutes, and never does. The gang waits for it, and
/// the pod that says nothing of its end waits for the gang, beside a free node: until the gang's planned start has
/// slipped by more than it was away, with nothing else happening in the cluster.
TEST_F(GroupsTest, AWrongEstimateHoldsNobodyForEver) {
  start_picky({node("a"), node("b")});
  const auto pod = [](const std::string& name, const std::string& said, const std::string& more) {
    return fmt::format(
        R"(metadata: {{name: {}, annotations: {{loadline.dev/run-time: forever{}}}}}
spec: {{restartPolicy: Never{}, containers: [{{name: app, image: train, resources: {{requests: {{cpu: "7"}}}}}}]}})",
        name, said, more);
  };
  apply(kPods, pod("liar", ", loadline.dev/expected-duration: 10m", ""));
  loop_.advance(Duration::seconds(60));
  apply(kGroups, "{metadata: {name: pair}, spec: {schedulingPolicy: {gang: {minCount: 2}}}}");
  for (const char* name : {"pair-0", "pair-1"}) {
    apply(kPods, pod(name, ", loadline.dev/expected-duration: 1h", ", schedulingGroup: {podGroupName: pair}"));
  }
  apply(kPods, pod("silent", "", ""));
  loop_.advance(Duration::seconds(900));
  EXPECT_EQ(on_nodes(), 1U);
  loop_.advance(Duration::seconds(1'800));
  EXPECT_EQ(on_nodes(), 2U) << "silent has the free node";
}

TEST_F(GroupsTest, AGroupSaysWhetherItWasScheduled) {
  start_picky({node("a")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 0U);
  EXPECT_EQ(says(), "False Unschedulable");
  apply({"", "v1", "nodes"}, document::write_json(node("b")));
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(says(), "True Scheduled");
}

TEST_F(GroupsTest, AnIndexedJobGetsAGroupIfTheGateSaysSo) {
  ClusterOptions options;
  options.gates.workload_with_job = true;
  start({node("a")}, std::move(options));
  Value job = yaml(kJob);
  job = document::without_at(std::move(job), {"spec", "template", "spec", "schedulingGroup"});
  apply(kGangJobs, document::write_json(job));
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 0U);
  ASSERT_THAT(list(kGroups), SizeIs(1));
  EXPECT_EQ(says(), "False Unschedulable");
  EXPECT_THAT(list({"scheduling.k8s.io", "v1alpha2", "workloads", "default"}), SizeIs(1));
  apply({"", "v1", "nodes"}, document::write_json(node("b")));
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(says(), "True Scheduled");
  remove(kGangJobs, "train", {.propagation = kube::DeleteOptions::Propagation::kBackground});
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kGroups), IsEmpty());
  EXPECT_THAT(list({"scheduling.k8s.io", "v1alpha2", "workloads", "default"}), IsEmpty());
}

TEST_F(GroupsTest, ABindingThatIsRefusedReturnsToItsGroup) {
  start_picky({node("a"), node("b")});
  bindings_allowed_ = 2;
  add_gang();
  EXPECT_EQ(on_nodes(), 2U);
  EXPECT_EQ(says(), "") << "it was decided, and not carried out";
  bindings_allowed_ = 1000;
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(says(), "True Scheduled");
}

TEST_F(GroupsTest, ASchedulerThatEndsBetweenTwoBindingsIsFollowedByOneThatCompletesTheGroup) {
  start_picky({node("a"), node("b")});
  bindings_allowed_ = 2;
  add_gang();
  EXPECT_EQ(on_nodes(), 2U);
  bindings_allowed_ = 1000;
  restart_control();
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(says(), "True Scheduled");
}

TEST_F(GroupsTest, AGroupThatCannotBeCompletedGivesBackItsRoom) {
  start_picky({node("a"), node("b")});
  bindings_allowed_ = 2;
  add_gang();
  cordon(true);
  bindings_allowed_ = 1000;
  restart_control();
  EXPECT_EQ(says(), "False Unschedulable");
  loop_.advance(Duration::seconds(290));
  EXPECT_THAT(events("Released"), IsEmpty());
  EXPECT_EQ(on_nodes(), 2U);
  loop_.advance(Duration::seconds(320));
  EXPECT_THAT(events("Released"),
              Each("2 of the 3 pods that pod group \"train\" starts with have waited too long for the rest"));
  EXPECT_THAT(events("Released"), SizeIs(2));
  EXPECT_EQ(on_nodes(), 0U);
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kPods), SizeIs(3)) << "the Job has replaced them, after its back-off";
  EXPECT_EQ(says(), "False Unschedulable");
  cordon(false);
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(says(), "True Scheduled");
}

TEST_F(GroupsTest, AGroupThatHasStartedAndLostAPodGoesOnWithTheOthers) {
  start_picky({node("a"), node("b")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  ASSERT_EQ(says(), "True Scheduled");
  cluster_->stop_control();
  const std::vector<Value> gang = list(kPods);
  cordon(true);
  remove(kPods, std::string(document::text_at(gang.front(), {"metadata", "name"})));
  restart_control();
  loop_.advance(Duration::seconds(1000));
  EXPECT_EQ(on_nodes(), 2U);
  EXPECT_THAT(events("Released"), IsEmpty());
  EXPECT_EQ(says(), "True Scheduled");
  cordon(false);
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 3U);
}

// ---- minimums that change, members that have finished ---------------------------------------------------------------

class ChangedGroupsTest : public GroupsTest {
 protected:
  void set_minimum(int pods) {
    kube::ResourceReference group = kGroups;
    group.name = "train";
    const std::string changes = fmt::format("{{spec: {{schedulingPolicy: {{gang: {{minCount: {}}}}}}}}}", pods);
    client_->patch(group, {kube::PatchType::kMerge, yaml(changes)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.advance(Duration::seconds(2));
  }
  /// Something that could use the room of a pod of the group.
  void add_other(const char* name) {
    apply(kPods, fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default}}, spec: "
                             "{{containers: [{{name: a, image: a, "
                             "resources: {{requests: {{cpu: '8'}}}}}}]}}}}",
                             name));
  }
  std::size_t gang_on_nodes() {
    std::size_t count = 0;
    for (const Value& pod : list(kPods)) {
      const bool is_member = document::text_at(pod, {"metadata", "name"}).starts_with("train-");
      if (is_member && !document::text_at(pod, {"spec", "nodeName"}).empty()) ++count;
    }
    return count;
  }
  void annotate(const std::string& pod, const std::string& annotations) {
    kube::ResourceReference one = kPods;
    one.name = pod;
    client_->patch(one,
                   {kube::PatchType::kMerge, yaml(fmt::format("{{metadata: {{annotations: {{{}}}}}}}", annotations))},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    loop_.advance(Duration::seconds(5));
  }
  /// Has the pod of the rank end, and takes it away.
  void end_rank(int rank, const std::string& annotations) {
    for (const Value& pod : list(kPods)) {
      const std::string name(document::text_at(pod, {"metadata", "name"}));
      if (!name.starts_with(fmt::format("train-{}-", rank))) continue;
      annotate(name, annotations);
      remove(kPods, name);
    }
  }
};

TEST_F(ChangedGroupsTest, AMinimumThatIsRaisedLetsRunningPodsStay) {
  start({node("a"), node("b")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  ASSERT_EQ(on_nodes(), 3U);
  set_minimum(5);
  add_other("other");
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty());
  EXPECT_EQ(on_nodes(), 3U);
  restart_control();
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty()) << "a scheduler that begins anew has read that more is asked for";
  EXPECT_EQ(on_nodes(), 3U);
}

TEST_F(ChangedGroupsTest, WhatIsLostOfTheFewerThatItHadIsALossStill) {
  start({node("a"), node("b")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  ASSERT_EQ(on_nodes(), 3U);
  set_minimum(5);
  cordon(true);
  remove(kPods, std::string(document::text_at(list(kPods).front(), {"metadata", "name"})));
  cordon(false);
  loop_.advance(Duration::seconds(2));
  EXPECT_EQ(on_nodes(), 2U) << "the replacement waits for two more";
  for (const char* name : {"other", "another"}) add_other(name);  // one may have a node that is empty
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), SizeIs(2));
}

TEST_F(ChangedGroupsTest, AMinimumThatIsLoweredLetsTheRestStart) {
  start({node("a")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  ASSERT_EQ(on_nodes(), 0U);
  set_minimum(2);
  EXPECT_EQ(on_nodes(), 2U);
  EXPECT_EQ(says(), "True Scheduled");
}

TEST_F(ChangedGroupsTest, AFailedRankIsReplacedAlsoOnceThePodOfAFinishedOneIsGone) {
  start({node("a"), node("b")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  ASSERT_EQ(on_nodes(), 3U);
  end_rank(0, "loadline.dev/run-time: 0s");
  ASSERT_THAT(list(kPods), SizeIs(2));
  add_other("other");
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty());
  end_rank(1, "loadline.dev/run-time: 0s, loadline.dev/failure: Error");
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(gang_on_nodes(), 2U);
  restart_control();
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(events("Released"), IsEmpty());
  EXPECT_EQ(gang_on_nodes(), 2U);
}

/// Simulation seed 770934: the first word about the new object was that the group was scheduled, as its members had
/// been, and the second that it was not, since one more waited.
TEST_F(ChangedGroupsTest, AGroupWhoseMembersHaveAllSucceededHasStartedWhenItsObjectIsANewOne) {
  start_picky({node("a"), node("b")});
  add_gang();
  loop_.advance(Duration::seconds(2));
  for (const Value& pod : list(kPods)) {
    annotate(std::string(document::text_at(pod, {"metadata", "name"})), "loadline.dev/run-time: 0s");
  }
  cordon(true);
  apply(kPods,
        "{metadata: {name: late}, spec: {schedulingGroup: {podGroupName: train}, containers: [{name: a, image: "
        "a}]}}");
  loop_.advance(Duration::seconds(2));
  std::vector<std::string> said;
  const auto watch =
      client_->watch(kGroups, {}, [&said](const kube::WatchEvent& event) { said.push_back(said_by(event.object)); });
  refuses_statuses_ = true;
  remove(kGroups, "train");
  apply(kGroups, kGroup);
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(says(), "");
  refuses_statuses_ = false;
  loop_.advance(Duration::seconds(1000));
  EXPECT_THAT(said, Not(Contains("False Unschedulable")));
  EXPECT_EQ(says(), "True Scheduled");
}

}  // namespace
}  // namespace loadline::embedded
