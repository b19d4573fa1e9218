// StatefulSets and LeaderWorkerSets in a cluster with Kueue's queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/embedded/testing/kueue_fixture.h"

namespace loadline::embedded {
namespace {

using testing::kPods;
using testing::KueueTest;
using testing::kWorkloads;
using Value = document::Value;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

const kube::ResourceReference kStatefulSets{"apps", "v1", "statefulsets", "default"};
const kube::ResourceReference kLeaderWorkerSets{"leaderworkerset.x-k8s.io", "v1", "leaderworkersets", "default"};

class KueueGroupsTest : public KueueTest {
 protected:
  static std::string pod_template(const std::string& cpu = "1") {
    return fmt::format(
        "{{metadata: {{labels: {{app: it}}, annotations: {{loadline.dev/stop-time: 20s}}}}, spec: {{containers: "
        "[{{name: c, image: i, resources: {{requests: {{cpu: "
        "'{}'}}}}}}]}}}}",
        cpu);
  }
  void add_stateful_set(int replicas = 3, const std::string& labels = "kueue.x-k8s.io/queue-name: team") {
    apply(kStatefulSets,
          fmt::format("{{apiVersion: apps/v1, kind: StatefulSet, metadata: {{name: it, namespace: default, labels: "
                      "{{{}}}}}, spec: {{replicas: {}, serviceName: it, selector: {{matchLabels: {{app: it}}}}, "
                      "template: {}}}}}",
                      labels, replicas, pod_template()));
    loop_.advance(Duration::seconds(5));
  }
  void add_leader_worker_set(const std::string& templates, int replicas = 1) {
    apply(kLeaderWorkerSets,
          fmt::format("{{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {{name: it, "
                      "namespace: default, labels: {{kueue.x-k8s.io/queue-name: team}}}}, spec: {{replicas: {}, "
                      "leaderWorkerTemplate: {{size: 2, {}}}}}}}",
                      replicas, templates));
    loop_.advance(Duration::seconds(5));
  }
  std::string scale(int replicas) {
    return merge(kStatefulSets, "it", fmt::format("{{spec: {{replicas: {}}}}}", replicas));
  }
  /// What the only Workload's QuotaReserved says.
  std::string reserved() {
    const Value workload = only(kWorkloads);
    for (const Value& each : document::items_at(workload, {"status", "conditions"})) {
      if (document::text_at(each, {"type"}) == "QuotaReserved") return std::string(document::text_at(each, {"reason"}));
    }
    return {};
  }
};

TEST_F(KueueGroupsTest, AStatefulSetIsOneWorkload) {
  start_with_queues();
  add_stateful_set();
  EXPECT_THAT(workload_name(), StartsWith("statefulset-it-"));
  const Value workload = only(kWorkloads);
  const Value set = document::items_at(workload, {"spec", "podSets"}).front();
  EXPECT_EQ(document::text_at(set, {"name"}), "main");
  EXPECT_EQ(document::value_at(set, {"count"}), Value(std::int64_t{3}));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Pending on ", 1}})) << "the first is not ready";
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Running on n1", 3}})) << "on the node of its flavor";
  EXPECT_THAT(list(kWorkloads), SizeIs(1));
  EXPECT_FALSE(is_true(only(kWorkloads), "Finished"));
}

TEST_F(KueueGroupsTest, AStatefulSetThatIsEvictedWaitsAgain) {
  start_with_queues();
  add_stateful_set(2);
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  ASSERT_EQ(evict(), "");
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Pending on ", 1}}));
  EXPECT_FALSE(is_true(only(kWorkloads), "QuotaReserved"));
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods()["Running on n1"], 2);
  EXPECT_THAT(document::items_at(only(kWorkloads), {"metadata", "ownerReferences"}), SizeIs(3))
      << "the set, and the pods that there are";
}

TEST_F(KueueGroupsTest, AStatefulSetOfNoPodsIsOnHold) {
  start_with_queues();
  add_stateful_set(2);
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_THAT(scale(3), HasSubstr("spec.replicas: Invalid value: 3: field is immutable"));
  ASSERT_EQ(scale(0), "");
  loop_.run_until_idle();
  EXPECT_EQ(reserved(), "QuotaReserved") << "pods still use it";
  EXPECT_THAT(scale(1), HasSubstr("scaling down is still in progress"));
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kPods), IsEmpty());
  EXPECT_EQ(reserved(), "OnHold");
  ASSERT_EQ(scale(3), "");
  loop_.advance(Duration::seconds(5));
  EXPECT_EQ(reserved(), "Inadmissible") << "its queue is stopped";
  const Value workload = only(kWorkloads);
  EXPECT_EQ(document::value_at(document::items_at(workload, {"spec", "podSets"}).front(), {"count"}),
            Value(std::int64_t{3}));
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods()["Running on n1"], 3);
}

/// No webhook sees a scale.
TEST_F(KueueGroupsTest, PodsBeyondTheQuotaOfAStatefulSetWait) {
  start_with_queues();
  add_stateful_set(2);
  const auto scale_past_webhooks = [&](int replicas) {
    EXPECT_EQ(merge(kStatefulSets, "it", fmt::format("{{spec: {{replicas: {}}}}}", replicas), "scale"), "");
    loop_.advance(Duration::seconds(60));
  };
  const auto wanted = [&] {
    const Value workload = only(kWorkloads);
    return document::value_at(document::items_at(workload, {"spec", "podSets"}).front(), {"count"}).integer();
  };
  scale_past_webhooks(4);
  EXPECT_EQ(wanted(), 4) << "it waits";
  scale_past_webhooks(2);
  EXPECT_EQ(wanted(), 2);
  ASSERT_EQ(admit(), "");
  scale_past_webhooks(3);
  EXPECT_EQ(wanted(), 2);
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Running on n1", 2}, {"Pending on ", 1}}));
  scale_past_webhooks(0);
  scale_past_webhooks(3);
  EXPECT_EQ(wanted(), 3);
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Running on n1", 3}}));
}

TEST_F(KueueGroupsTest, AStatefulSetThatGoesTakesItsWorkloadWithIt) {
  start_with_queues();
  add_stateful_set(2);
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  kube::ResourceReference one = kStatefulSets;
  one.name = "it";
  client_->remove(one, {}, [](const kube::Answer<Value>&) {});
  loop_.advance(Duration::seconds(120));
  EXPECT_THAT(list(kPods), IsEmpty());
  EXPECT_THAT(list(kWorkloads), IsEmpty());
}

TEST_F(KueueGroupsTest, AStatefulSetThatWaitsIsUpdated) {
  start_with_queues();
  add_stateful_set(2);
  EXPECT_THAT(
      merge(kStatefulSets, "it",
            "{spec: {template: {spec: {containers: [{name: c, image: i, resources: {requests: {cpu: '2'}}}]}}}}"),
      HasSubstr("spec.template.spec.containers[0].resources.requests: Invalid value"));
  ASSERT_EQ(merge(kStatefulSets, "it",
                  "{spec: {template: {spec: {containers: [{name: c, image: j, resources: {requests: {cpu: '1'}}}]}}}}"),
            "");
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Pending on ", 1}})) << "the new one waits for the same quota";
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods()["Running on n1"], 2);
}

TEST_F(KueueGroupsTest, AStatefulSetChangesItsQueueWhileItWaits) {
  start_with_queues();
  add_stateful_set(2);
  ASSERT_EQ(merge(kStatefulSets, "it", "{metadata: {labels: {kueue.x-k8s.io/queue-name: other}}}"), "");
  EXPECT_EQ(document::text_at(only(kWorkloads), {"spec", "queueName"}), "other");
  EXPECT_EQ(document::text_at(only(kPods), {"metadata", "labels", "kueue.x-k8s.io/queue-name"}), "other");
  EXPECT_THAT(merge(kStatefulSets, "it", "{metadata: {labels: {kueue.x-k8s.io/queue-name: null}}}"),
              HasSubstr("field is immutable"));
}

TEST_F(KueueGroupsTest, AStatefulSetWithoutAQueueIsNotHeld) {
  start_with_queues();
  add_stateful_set(2, "a: b");
  loop_.advance(Duration::seconds(30));
  EXPECT_THAT(list(kWorkloads), IsEmpty());
  EXPECT_THAT(list(kPods), SizeIs(2));
}

TEST_F(KueueGroupsTest, EachGroupOfALeaderWorkerSetIsAWorkload) {
  start_with_queues();
  add_leader_worker_set("workerTemplate: " + pod_template(), 2);
  EXPECT_THAT(list(kWorkloads), SizeIs(2));
  for (const Value& each : list(kWorkloads)) {
    EXPECT_THAT(document::text_at(each, {"metadata", "name"}), StartsWith("leaderworkerset-it-"));
    const Value set = document::items_at(each, {"spec", "podSets"}).front();
    EXPECT_EQ(document::text_at(set, {"name"}), "main");
    EXPECT_EQ(document::value_at(set, {"count"}), Value(std::int64_t{2}));
    EXPECT_THAT(document::items_at(each, {"metadata", "ownerReferences"}), SizeIs(3)) << "the set, and the pods";
  }
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Pending on ", 4}}));
  ASSERT_EQ(merge(kLeaderWorkerSets, "it", "{spec: {replicas: 1}}"), "");
  loop_.advance(Duration::seconds(60));
  EXPECT_THAT(list(kWorkloads), SizeIs(1));
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Running on n1", 2}}));
}

TEST_F(KueueGroupsTest, ALeaderWithATemplateOfItsOwnIsASet) {
  start_with_queues();
  add_leader_worker_set("leaderTemplate: " + pod_template("2") + ", workerTemplate: " + pod_template());
  const Value workload = only(kWorkloads);
  const auto& sets = document::items_at(workload, {"spec", "podSets"});
  ASSERT_THAT(sets, SizeIs(2));
  EXPECT_EQ(document::text_at(sets[0], {"name"}), "leader");
  EXPECT_EQ(document::text_at(sets[1], {"name"}), "worker");
  ASSERT_EQ(admit(), "");
  loop_.advance(Duration::seconds(30));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Running on n1", 2}}));
  ASSERT_EQ(evict(), "");
  loop_.advance(Duration::seconds(90));
  EXPECT_EQ(pods(), (std::map<std::string, int>{{"Pending on ", 2}}));
  EXPECT_FALSE(is_true(only(kWorkloads), "QuotaReserved"));
  EXPECT_THAT(merge(kLeaderWorkerSets, "it", "{spec: {leaderWorkerTemplate: {size: 3}}}"),
              HasSubstr("spec.leaderWorkerTemplate.size: Invalid value: 3: field is immutable"));
}

TEST_F(KueueGroupsTest, TheQueuesDecideAboutThem) {
  start_with_queues({}, "None");
  add_stateful_set(3);
  add_leader_worker_set("workerTemplate: " + pod_template());
  loop_.advance(Duration::seconds(60));
  EXPECT_EQ(pods()["Running on n1"], 3) << "four CPUs: of both only one has room";
  int admitted = 0;
  for (const Value& each : list(kWorkloads)) admitted += is_true(each, "Admitted") ? 1 : 0;
  EXPECT_EQ(admitted, 1);
}

}  // namespace
}  // namespace loadline::embedded
