#include "hosts/controllers/replica_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/replica_status.h"
#include "objects/kube/core/service.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kWebReplicaSet = R"(
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: web, uid: web-uid}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {note: kept}, finalizers: [example.com/hold]}
    spec: {containers: [{name: a, image: nginx, livenessProbe: {httpGet: {path: /, port: 80}}}]}
)";

class ReplicaSetTest : public ::testing::Test {
 protected:
  ReplicaSetTest() { cluster_.add(make_replica_set_controller()); }

  const kube::ReplicaSetStatus& status() const { return cluster_.get<kube::ReplicaSet>("web")->view.status; }

  testing::TestCluster cluster_;
};

TEST_F(ReplicaSetTest, CreatesWhatIsMissingAndSaysSo) {
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(3));
  EXPECT_THAT(cluster_.events, ElementsAre("Normal SuccessfulCreate Created pod: web-00001",
                                           "Normal SuccessfulCreate Created pod: web-00002",
                                           "Normal SuccessfulCreate Created pod: web-00003"));
  EXPECT_EQ(status().replicas, 3);
  EXPECT_EQ(status().fully_labeled_replicas, 3);
  EXPECT_EQ(status().ready_replicas, 0);
  EXPECT_EQ(status().observed_generation, 1);
  EXPECT_EQ(status().terminating_replicas, 0);
}

TEST_F(ReplicaSetTest, CopiesTheTemplateWholeAndOwnsThePods) {
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  const Value& pod = cluster_.get<kube::Pod>("web-00001")->document;
  EXPECT_EQ(*document::find_at(pod, {"spec"}),
            *document::find_at(cluster_.get<kube::ReplicaSet>("web")->document, {"spec", "template", "spec"}));
  EXPECT_EQ(document::text_at(pod, {"metadata", "annotations", "note"}), "kept");
  EXPECT_EQ(document::text_at(pod, {"metadata", "generateName"}), "web-");
  EXPECT_EQ(document::find_at(pod, {"metadata", "finalizers"})->array().size(), 1U);
  const Value& owner = document::find_at(pod, {"metadata", "ownerReferences"})->array().at(0);
  EXPECT_EQ(owner, document::read_yaml("{apiVersion: apps/v1, kind: ReplicaSet, name: web, uid: web-uid, "
                                       "controller: true, blockOwnerDeletion: true}",
                                       "test")
                       .documents.at(0));
}

TEST_F(ReplicaSetTest, CountsReadyAndAvailablePods) {
  cluster_.apply(kWebReplicaSet);
  cluster_.set<kube::ReplicaSet>("web", {"spec", "minReadySeconds"}, Value(std::int64_t{10}));
  cluster_.settle();
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(status().ready_replicas, 3);
  EXPECT_EQ(status().available_replicas, 0);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(10));
  cluster_.wait(Duration::seconds(10));
  EXPECT_EQ(status().available_replicas, 3);
}

TEST_F(ReplicaSetTest, StartsSlowlyAndStopsAtTheFirstFailure) {
  int asked = 0;
  cluster_.refuse = [&](const Action& action) -> std::optional<kube::Status> {
    if (action.verb != Action::Verb::kCreate) return std::nullopt;
    ++asked;
    return kube::Status{403, "Forbidden", "pods \"web-\" is forbidden: exceeded quota", {}};
  };
  cluster_.apply(kWebReplicaSet);
  cluster_.set<kube::ReplicaSet>("web", {"spec", "replicas"}, Value(std::int64_t{100}));
  cluster_.settle();
  EXPECT_EQ(asked, 1);
  EXPECT_THAT(cluster_.events,
              ElementsAre("Warning FailedCreate Error creating: pods \"web-\" is forbidden: exceeded quota"));
  cluster_.settle();
  ASSERT_THAT(status().conditions, SizeIs(1));
  EXPECT_EQ(status().conditions[0].type, "ReplicaFailure");
  EXPECT_EQ(status().conditions[0].status, "True");
  EXPECT_EQ(status().conditions[0].reason, "FailedCreate");
  EXPECT_EQ(status().conditions[0].message, "pods \"web-\" is forbidden: exceeded quota");

  cluster_.refuse = [](const Action&) { return std::nullopt; };
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(100));
  EXPECT_THAT(status().conditions, IsEmpty());
}

TEST_F(ReplicaSetTest, CreatesNoMoreThanABurstAtATime) {
  cluster_.apply(kWebReplicaSet);
  cluster_.set<kube::ReplicaSet>("web", {"spec", "replicas"}, Value(std::int64_t{1200}));
  const std::vector<FailedAction> none;
  const auto first =
      make_replica_set_controller()->reconcile({"default", "web"}, {cluster_.caches, cluster_.now, none});
  std::size_t created = 0;
  for (const auto& step : first.steps) {
    for (const Action& action : step) created += action.verb == Action::Verb::kCreate ? 1 : 0;
  }
  EXPECT_EQ(created, 500U);
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(1200));
}

TEST_F(ReplicaSetTest, DeletesWhatIsTooMuchAndReplacesWhatFailed) {
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  cluster_.run_pods([](const kube::Pod& pod) { return pod.metadata.name != "web-00002"; });
  cluster_.set<kube::ReplicaSet>("web", {"spec", "replicas"}, Value(std::int64_t{2}));
  cluster_.settle();
  EXPECT_EQ(cluster_.get<kube::Pod>("web-00002"), nullptr);
  EXPECT_THAT(cluster_.events, Contains("Normal SuccessfulDelete Deleted pod: web-00002"));

  cluster_.set<kube::Pod>("web-00001", {"status", "phase"}, Value("Failed"));
  cluster_.settle();
  EXPECT_NE(cluster_.get<kube::Pod>("web-00004"), nullptr);
  EXPECT_EQ(status().replicas, 2);
}

TEST_F(ReplicaSetTest, CountsPodsThatEnd) {
  cluster_.pods_end_at_once = false;
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  cluster_.set<kube::ReplicaSet>("web", {"spec", "replicas"}, Value(std::int64_t{1}));
  cluster_.settle();
  EXPECT_EQ(status().replicas, 1);
  EXPECT_EQ(status().terminating_replicas, 2);
  cluster_.end_pods();
  cluster_.settle();
  EXPECT_EQ(status().terminating_replicas, 0);
}

TEST_F(ReplicaSetTest, AdoptsOrphansAndLetsStrangersGo) {
  cluster_.apply("{kind: Pod, metadata: {name: orphan, labels: {app: web}}, spec: {containers: [{name: a}]}}");
  cluster_.apply("{kind: Pod, metadata: {name: other, labels: {app: other}}, spec: {containers: [{name: a}]}}");
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(4));
  EXPECT_EQ(cluster_.get<kube::Pod>("orphan")->metadata().controller()->uid, "web-uid");
  EXPECT_EQ(cluster_.get<kube::Pod>("other")->metadata().controller(), nullptr);

  cluster_.set<kube::Pod>("orphan", {"metadata", "labels", "app"}, Value("mine"));
  cluster_.settle();
  EXPECT_EQ(cluster_.get<kube::Pod>("orphan")->metadata().controller(), nullptr);
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(5));

  // Back again, it is one too many: the newest pod that is not bound yet goes.
  cluster_.set<kube::Pod>("orphan", {"metadata", "labels", "app"}, Value("web"));
  cluster_.settle();
  EXPECT_EQ(status().replicas, 3);
}

TEST_F(ReplicaSetTest, TouchesNothingWhileItIsDeletedOrItsNamespaceEnds) {
  cluster_.apply("{kind: Namespace, metadata: {name: default, deletionTimestamp: '2026-01-01T00:00:00Z'}}");
  cluster_.apply(kWebReplicaSet);
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), IsEmpty());
  cluster_.caches.of<kube::Namespace>().erase({"", "default"});
  cluster_.set<kube::ReplicaSet>("web", {"metadata", "deletionTimestamp"}, Value("2026-01-01T00:00:00Z"));
  cluster_.apply("{kind: Pod, metadata: {name: orphan, labels: {app: web}}, spec: {containers: [{name: a}]}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(1));
  EXPECT_EQ(cluster_.get<kube::Pod>("orphan")->metadata().controller(), nullptr);
}

TEST(ReplicationController, KeepsItsPods) {
  testing::TestCluster cluster;
  cluster.add(make_replication_controller());
  cluster.apply(
      "{apiVersion: v1, kind: ReplicationController, metadata: {name: old}, spec: {replicas: 2, selector: {app: old}, "
      "template: {metadata: {labels: {app: old}}, spec: {containers: [{name: a}]}}}}");
  cluster.settle();
  ASSERT_THAT(cluster.all<kube::Pod>(), SizeIs(2));
  EXPECT_EQ(cluster.all<kube::Pod>()[0]->metadata().controller()->kind, "ReplicationController");
  EXPECT_EQ(cluster.get<kube::ReplicationController>("old")->view.status.replicas, 2);
  EXPECT_EQ(cluster.get<kube::ReplicationController>("old")->document.find("status")->find("terminatingReplicas"),
            nullptr);
}

}  // namespace
}  // namespace loadline::controllers
