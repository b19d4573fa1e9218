// Workloads that are created part by part, in a whole cluster: room for all of it is there before the first part
// starts.
#include <gmock/gmock.h>

#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kPods;
using testing::node;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A template of pods that take four of the eight CPUs of a node, and are ready so long after their start.
std::string half_node_pod(std::string_view ready_delay = "0s") {
  return fmt::format(
      "metadata: {{annotations: {{loadline.dev/run-time: forever, loadline.dev/ready-delay: {}}}}}, spec: "
      "{{restartPolicy: Never, containers: [{{name: main, image: train, resources: {{requests: {{cpu: '4'}}}}}}]}}",
      ready_delay);
}

class LaterRoomsTest : public testing::ClusterTest {
 protected:
  static inline const kube::ResourceReference kNodes{"", "v1", "nodes"};
  static inline const kube::ResourceReference kQuotas{"", "v1", "resourcequotas", "default"};
  static inline const kube::ResourceReference kGroups{"scheduling.k8s.io", "v1alpha2", "podgroups", "default"};
  static inline const kube::ResourceReference kPolicies{"loadline.dev", "v1alpha1", "policies"};
  static inline const kube::ResourceReference kReservations{"loadline.dev", "v1alpha1", "reservations", "default"};
  static inline const kube::ResourceReference kJobSets{"jobset.x-k8s.io", "v1alpha2", "jobsets", "default"};
  static inline const kube::ResourceReference kLeaderWorkerSets{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets",
                                                                "default"};

  void wait(int seconds = 20) { loop_.advance(Duration::seconds(seconds)); }
  std::size_t on_nodes(const std::string& workload) {
    std::size_t count = 0;
    for (const Value& each : list(kPods)) {
      const bool is_its = document::text_at(each, {"metadata", "name"}).starts_with(workload + "-");
      count += is_its && !document::text_at(each, {"spec", "nodeName"}).empty() ? 1 : 0;
    }
    return count;
  }
  void add_node(const char* name) {
    client_->create(kNodes, node(name), [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    wait();
  }
  void change(kube::ResourceReference of, const std::string& name, const std::string& changes) {
    of.name = name;
    client_->patch(of, {kube::PatchType::kMerge, testing::yaml(changes)},
                   [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    wait();
  }
  void remove(kube::ResourceReference of, const std::string& name) {
    of.name = name;
    client_->remove(of, {.propagation = kube::DeleteOptions::Propagation::kBackground},
                    [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer) << answer.error().message; });
    wait(60);
  }
  void set_policy(const std::string& switches) {
    apply(kPolicies,
          "{apiVersion: loadline.dev/v1alpha1, kind: Policy, metadata: {name: default}, spec: {" + switches + "}}");
  }
  /// A driver, and two workers once it is ready.
  void make_job_set(const std::string& name, std::string_view driver_is_ready_after = "0s") {
    apply(
        kJobSets,
        fmt::format("{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: {}, namespace: default}}, "
                    "spec: {{startupPolicy: {{startupPolicyOrder: InOrder}}, replicatedJobs: [{{name: driver, "
                    "replicas: 1, template: {{spec: {{parallelism: 1, completions: 1, template: {{{}}}}}}}}}, {{name: "
                    "worker, replicas: 1, template: {{spec: {{parallelism: 2, completions: 2, template: "
                    "{{{}}}}}}}}}]}}}}",
                    name, half_node_pod(driver_is_ready_after), half_node_pod()));
    wait();
  }
  std::vector<std::string> names(const kube::ResourceReference& of) {
    std::vector<std::string> texts;
    for (const Value& each : list(of)) texts.emplace_back(document::text_at(each, {"metadata", "name"}));
    return texts;
  }
  /// "NAME PHASE HELD CONSUMED".
  std::vector<std::string> rooms() {
    std::vector<std::string> texts;
    for (const Value& room : list(kReservations)) {
      const auto number = [&](std::string_view name) {
        const Value* value = document::find_at(room, {"status", name});
        return value == nullptr ? std::int64_t{0} : value->integer();
      };
      texts.push_back(fmt::format("{} {} {} {}", document::text_at(room, {"metadata", "name"}),
                                  document::text_at(room, {"status", "phase"}), number("held"), number("consumed")));
    }
    return texts;
  }
};

/// Two drivers would fit on the three nodes' halves beside one JobSet's workers; then neither would go on.
TEST_F(LaterRoomsTest, OfTwoJobSetsInOrderOneStartsWithRoomForAllOfIt) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  make_job_set("one");
  make_job_set("two");
  EXPECT_EQ(on_nodes("one"), 3U);
  EXPECT_EQ(on_nodes("two"), 0U) << "half a node is free, and its driver leaves that to others";
  EXPECT_THAT(names(kGroups), UnorderedElementsAre("jobset-one", "jobset-two"));
  EXPECT_THAT(rooms(), UnorderedElementsAre("jobset-one-room-0 Consumed 0 2", "jobset-two-room-0 Pending 0 0"));
  EXPECT_THAT(events("FailedScheduling"), Contains(HasSubstr("waits until there is room for the whole")));
  add_node("c");
  EXPECT_EQ(on_nodes("two"), 3U);
}

/// The driver runs before its workers are there: their room stays theirs, also for a scheduler that begins anew.
TEST_F(LaterRoomsTest, NobodyElseTakesTheRoomBeforeTheWorkersCome) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  make_job_set("one", "10m");
  EXPECT_EQ(on_nodes("one"), 1U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-one-room-0 Holding 2 0"));
  apply(kPods,
        "{apiVersion: v1, kind: Pod, metadata: {name: stranger-0, namespace: default}, spec: {containers: [{name: a, "
        "image: a, resources: {requests: {cpu: '8'}}}]}}");
  wait(100);
  EXPECT_EQ(on_nodes("stranger"), 0U);
  ASSERT_TRUE(cluster_->restart_control({}));
  wait(100);
  EXPECT_EQ(on_nodes("stranger"), 0U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-one-room-0 Holding 2 0"));
  wait(600);
  EXPECT_EQ(on_nodes("one"), 3U);
  EXPECT_EQ(on_nodes("stranger"), 0U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-one-room-0 Consumed 0 2"));
  EXPECT_THAT(events("Released"), IsEmpty());
}

TEST_F(LaterRoomsTest, ADriverThatIsSuspendedLeavesNoRoomBehind) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  make_job_set("one", "10m");
  make_job_set("two", "10m");
  ASSERT_EQ(on_nodes("one"), 1U);
  change(kJobSets, "one", "spec: {suspend: true}");
  wait(60);
  EXPECT_EQ(on_nodes("two"), 1U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-two-room-0 Holding 2 0"));
}

TEST_F(LaterRoomsTest, WhatGoesGivesItsRoomBack) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  make_job_set("one");
  make_job_set("two");
  remove(kJobSets, "one");
  wait(60);
  EXPECT_EQ(on_nodes("two"), 3U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-two-room-0 Consumed 0 2"));
}

TEST_F(LaterRoomsTest, OneThatIsSuspendedAndResumedFindsRoomForTheWholeAnew) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  make_job_set("one");
  make_job_set("two");
  change(kJobSets, "one", "spec: {suspend: true}");
  wait(120);
  EXPECT_EQ(on_nodes("one"), 0U);
  EXPECT_EQ(on_nodes("two"), 3U);
  EXPECT_THAT(rooms(), ElementsAre("jobset-two-room-0 Consumed 0 2"));
  change(kJobSets, "one", "spec: {suspend: false}");
  wait(120);
  EXPECT_EQ(on_nodes("one"), 0U);
  EXPECT_THAT(rooms(), Contains("jobset-one-room-0 Pending 0 0"));
  add_node("c");
  EXPECT_EQ(on_nodes("one"), 3U);
}

TEST_F(LaterRoomsTest, ThePolicyCountsThatAWorkloadIsCreatedUnder) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole, laterParts: AsTheyCome");
  make_job_set("one");
  make_job_set("two");
  EXPECT_THAT(rooms(), IsEmpty());
  EXPECT_THAT(names(kGroups), Contains("jobset-one-worker"));
  EXPECT_EQ(on_nodes("two"), 1U);
}

/// A quota that is as large as the workload lets all of it in, and counts nothing twice.
TEST_F(LaterRoomsTest, RoomCountsOnceAgainstQuotas) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  apply(kQuotas,
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: default}, spec: {hard: {requests.cpu: "
        "'12'}}}");
  make_job_set("one");
  wait(60);
  EXPECT_EQ(on_nodes("one"), 3U);
  EXPECT_EQ(document::text_at(list(kQuotas).front(), {"status", "used", "requests.cpu"}), "12");
}

TEST_F(LaterRoomsTest, WhatQuotasDoNotAllowAsAWholeDoesNotStart) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  apply(kQuotas,
        "{apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: default}, spec: {hard: {requests.cpu: "
        "'8'}}}");
  make_job_set("one");
  wait(60);
  EXPECT_EQ(on_nodes("one"), 0U);
  change(kQuotas, "q", "spec: {hard: {requests.cpu: '12'}}");
  wait(1200);
  EXPECT_EQ(on_nodes("one"), 3U);
}

TEST_F(LaterRoomsTest, ALeaderStartsWithRoomForItsWorkers) {
  start({node("a"), node("b")});
  set_policy("gangWorkloads: Whole");
  for (const char* name : {"chat", "code"}) {
    apply(
        kLeaderWorkerSets,
        fmt::format("{{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {{name: {}, "
                    "namespace: default}}, spec: {{replicas: 1, startupPolicy: LeaderReady, leaderWorkerTemplate: "
                    "{{size: 3, workerTemplate: {{metadata: {{annotations: {{loadline.dev/run-time: forever}}}}, spec: "
                    "{{containers: [{{name: main, image: serve, resources: {{requests: {{cpu: '4'}}}}}}]}}}}}}}}}}",
                    name));
    wait();
  }
  wait(60);
  EXPECT_EQ(on_nodes("chat"), 3U);
  EXPECT_EQ(on_nodes("code"), 0U);
  EXPECT_THAT(rooms(), UnorderedElementsAre("leaderworkerset-chat-0-room-0 Consumed 0 2",
                                            "leaderworkerset-code-0-room-0 Pending 0 0"));
}

TEST_F(LaterRoomsTest, OneWorkloadOfAMillionPodsHoldsNoRoomForThem) {
  start({});
  set_policy("gangWorkloads: Whole");
  apply(kJobSets,
        fmt::format("{{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {{name: huge, namespace: "
                    "default}}, spec: {{startupPolicy: "
                    "{{startupPolicyOrder: InOrder}}, replicatedJobs: [{{name: driver, replicas: 1, template: "
                    "{{spec: {{parallelism: 1, completions: 1, template: {{{0}}}}}}}}}, {{name: worker, "
                    "replicas: 1, template: {{spec: {{parallelism: 1000000, completions: 1000000, template: "
                    "{{{0}}}}}}}}}]}}}}",
                    half_node_pod()));
  wait();
  EXPECT_THAT(names(kReservations), IsEmpty());
  EXPECT_THAT(names(kGroups), Not(IsEmpty())) << "it starts part by part";
}

}  // namespace
}  // namespace loadline::embedded
