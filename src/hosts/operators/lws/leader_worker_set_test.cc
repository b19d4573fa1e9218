#include "hosts/operators/lws/leader_worker_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/lws/group_pod.h"
#include "hosts/operators/lws/leader_pod.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using watching::Action;
using watching::ControllerRevision;

using ::testing::SizeIs;

constexpr std::string_view kLabel = "leaderworkerset.sigs.k8s.io/";

Value yaml_of(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

/// A LeaderWorkerSet "llm" of two groups of three, and a test that makes pods as StatefulSets would.
class LeaderWorkerSetTest : public ::testing::Test {
 protected:
  LeaderWorkerSetTest() {
    cluster_.add(make_leader_worker_set_controller());
    cluster_.add(make_leader_pod_controller());
    cluster_.pods_end_at_once = false;
  }

  void make(const std::string& spec = "", const std::string& group = "", const std::string& annotations = "") {
    cluster_.apply(
        "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: llm, uid: llm-uid, "
        "annotations: {" +
        annotations + "}}, spec: {replicas: 2, " + spec + " leaderWorkerTemplate: {size: 3, " + group +
        " workerTemplate: {spec: {containers: [{name: c, image: one}]}}}}}");
    cluster_.settle();
  }
  void make_with_policy(const std::string& policy) { make("", "restartPolicy: " + policy + ","); }

  /// The pod of a StatefulSet, after the operator's webhook.
  void make_pod(const std::string& stateful_set, const std::string& name) {
    const auto owner = cluster_.get<kube::StatefulSet>(stateful_set);
    ASSERT_NE(owner, nullptr) << stateful_set;
    Value pod = document::value_at(owner->document, {"spec", "template"});
    pod = document::with_at(pod, {"metadata", "name"}, Value(name));
    pod =
        document::with_at(pod, {"metadata", "ownerReferences"},
                          yaml_of("[{apiVersion: apps/v1, kind: StatefulSet, controller: true, name: " + stateful_set +
                                  ", uid: " + owner->metadata().uid + "}]"));
    pod = pod.with("apiVersion", Value("v1")).with("kind", Value("Pod"));
    const auto completed = as_group_pod(pod, "default");
    ASSERT_TRUE(completed) << completed.error();
    cluster_.apply(document::write_json(completed->with("status", yaml_of("{phase: Pending}"))));
    cluster_.settle();
  }
  void make_group(int index) {
    const std::string leader = "llm-" + std::to_string(index);
    make_pod("llm", leader);
    if (cluster_.get<kube::StatefulSet>(leader) == nullptr) return;
    make_pod(leader, leader + "-1");
    make_pod(leader, leader + "-2");
  }
  void set_status(const std::string& stateful_set, const std::string& status) {
    cluster_.set<kube::StatefulSet>(stateful_set, {"status"}, yaml_of(status));
    cluster_.settle();
  }
  void make_all_ready() {
    make_group(0);
    make_group(1);
    cluster_.run_pods();
    for (const std::string name : {"llm-0", "llm-1"}) set_status(name, "{availableReplicas: 2}");
    set_status("llm", "{replicas: 2}");
  }
  void restart(const std::string& pod) {
    cluster_.set<kube::Pod>(pod, {"status", "containerStatuses"}, yaml_of("[{name: c, restartCount: 1}]"));
    cluster_.settle();
  }

  [[nodiscard]] bool is_going(const std::string& pod) const { return cluster_.get<kube::Pod>(pod)->is_being_deleted(); }
  [[nodiscard]] const kube::LeaderWorkerSetStatus& status() const {
    return cluster_.get<kube::LeaderWorkerSet>("llm")->view.status;
  }
  /// "Available", "not Progressing".
  [[nodiscard]] std::vector<std::string> conditions() const {
    std::vector<std::string> all;
    for (const auto& each : status().conditions) all.push_back((each.status == "True" ? "" : "not ") + each.type);
    return all;
  }
  [[nodiscard]] std::vector<std::string> stateful_sets() const {
    std::vector<std::string> names;
    for (const auto& each : cluster_.all<kube::StatefulSet>()) names.push_back(each->metadata().name);
    return names;
  }
  [[nodiscard]] std::string key_of(const std::string& stateful_set) const {
    return cluster_.get<kube::StatefulSet>(stateful_set)
        ->metadata()
        .labels.at(std::string(kLabel) + "template-revision-hash");
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(LeaderWorkerSetTest, MakesLeadersAndAServiceAndTells) {
  make();
  const auto leaders = cluster_.get<kube::StatefulSet>("llm");
  ASSERT_NE(leaders, nullptr);
  EXPECT_EQ(leaders->view.replicas, 2);
  EXPECT_TRUE(leaders->view.parallel);
  EXPECT_EQ(leaders->metadata().controller()->uid, "llm-uid");
  EXPECT_EQ(leaders->metadata().annotations.at(std::string(kLabel) + "replicas"), "2");
  EXPECT_EQ(cluster_.get<kube::Service>("llm")->view.selector,
            (kube::StringMap{{std::string(kLabel) + "name", "llm"}}));
  ASSERT_THAT(cluster_.all<ControllerRevision>(), SizeIs(1));
  EXPECT_EQ(cluster_.events,
            (std::vector<std::string>{
                "Normal CreatingRevision Creating revision with key " + key_of("llm") +
                    " for a newly created LeaderWorkerSet",
                "Normal GroupsProgressing Created leader statefulset llm",
                "Normal GroupsProgressing Replicas are progressing, with 0 groups ready of total 2 groups"}));
  EXPECT_EQ(status().leader_selector,
            "leaderworkerset.sigs.k8s.io/name=llm,leaderworkerset.sigs.k8s.io/worker-index=0");
}

TEST_F(LeaderWorkerSetTest, ALeaderHasItsWorkersMade) {
  make();
  make_pod("llm", "llm-1");
  EXPECT_THAT(stateful_sets(), ElementsAre("llm", "llm-1"));
  const auto workers = cluster_.get<kube::StatefulSet>("llm-1");
  EXPECT_EQ(workers->metadata().controller()->uid, cluster_.get<kube::Pod>("llm-1")->metadata().uid);
  EXPECT_EQ(workers->view.replicas, 2);
  EXPECT_EQ(workers->view.ordinals_start, 1);
  EXPECT_EQ(workers->view.service_name, "llm");
  EXPECT_EQ(key_of("llm-1"), key_of("llm"));
  EXPECT_THAT(cluster_.events, Contains("Normal GroupsProgressing Created worker statefulset for leader pod llm-1"));
}

TEST_F(LeaderWorkerSetTest, WorkersMayWaitForTheirLeader) {
  make("startupPolicy: LeaderReady,");
  make_pod("llm", "llm-0");
  EXPECT_THAT(stateful_sets(), ElementsAre("llm"));
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_THAT(stateful_sets(), ElementsAre("llm", "llm-0"));
}

TEST_F(LeaderWorkerSetTest, WorkersFollowTheirLeaderIntoItsDomain) {
  make("", "", "leaderworkerset.sigs.k8s.io/exclusive-topology: rack");
  make_pod("llm", "llm-0");
  EXPECT_THAT(stateful_sets(), ElementsAre("llm")) << "it has no node yet";
  cluster_.apply("{apiVersion: v1, kind: Node, metadata: {name: node-7, labels: {rack: r7}}}");
  cluster_.set<kube::Pod>("llm-0", {"spec", "nodeName"}, Value("node-7"));
  cluster_.settle();
  EXPECT_EQ(document::text_at(cluster_.get<kube::StatefulSet>("llm-0")->document,
                              {"spec", "template", "spec", "nodeSelector", "rack"}),
            "r7");
}

TEST_F(LeaderWorkerSetTest, EachGroupMayHaveAService) {
  make("networkConfig: {subdomainPolicy: UniquePerReplica},");
  EXPECT_THAT(cluster_.all<kube::Service>(), IsEmpty());
  make_pod("llm", "llm-1");
  const auto service = cluster_.get<kube::Service>("llm-1");
  ASSERT_NE(service, nullptr);
  EXPECT_EQ(service->metadata().controller()->kind, "Pod");
  EXPECT_THAT(service->view.selector, SizeIs(2));
  EXPECT_EQ(cluster_.get<kube::StatefulSet>("llm-1")->view.service_name, "llm-1");
}

TEST_F(LeaderWorkerSetTest, IsAvailableOnceAllGroupsAreReady) {
  make();
  make_group(0);
  make_group(1);
  cluster_.run_pods();
  set_status("llm-0", "{availableReplicas: 2}");
  EXPECT_THAT(conditions(), ElementsAre("Progressing"));
  EXPECT_EQ(status().ready_replicas, 1);
  set_status("llm-1", "{availableReplicas: 2}");
  set_status("llm", "{replicas: 2}");
  EXPECT_THAT(conditions(), ElementsAre("not Progressing", "Available"));
  EXPECT_EQ(status().ready_replicas, 2);
  EXPECT_EQ(status().updated_replicas, 2);
  EXPECT_EQ(status().replicas, 2);
  EXPECT_EQ(cluster_.events.back(),
            "Normal AllGroupsReady All replicas are ready, with 2 groups ready of total 2 groups");
}

TEST_F(LeaderWorkerSetTest, ANewTemplateIsRolledOutFromTheLastGroup) {
  make();
  make_all_ready();
  const std::string before = key_of("llm");
  cluster_.set<kube::LeaderWorkerSet>("llm", {"spec", "leaderWorkerTemplate", "workerTemplate", "spec", "containers"},
                                      yaml_of("[{name: c, image: two}]"));
  cluster_.settle();
  EXPECT_NE(key_of("llm"), before);
  EXPECT_EQ(key_of("llm-1"), before) << "its leader is there yet";
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(2));
  EXPECT_THAT(conditions(), ElementsAre("Progressing", "not Available", "UpdateInProgress"));
  EXPECT_EQ(cluster_.get<kube::StatefulSet>("llm")->view.partition, 1);
  EXPECT_EQ(status().updated_replicas, 0);
  for (const std::string group : {"llm-1", "llm-0"}) {  // as the StatefulSet and the garbage collector would
    cluster_.caches.of<kube::Pod>().erase({"default", group});
    cluster_.caches.of<kube::StatefulSet>().erase({"default", group});
    make_pod("llm", group);
    cluster_.run_pods();
    set_status(group, "{availableReplicas: 2}");
  }
  EXPECT_EQ(key_of("llm-0"), key_of("llm"));
  EXPECT_THAT(conditions(), ElementsAre("not Progressing", "Available", "not UpdateInProgress"));
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(1)) << "the old one is not needed any more";
  EXPECT_THAT(cluster_.events, Contains("Normal GroupsUpdating Updating replica 0"));
}

TEST_F(LeaderWorkerSetTest, AGroupIsMadeAnewWhenAContainerRestarts) {
  make_with_policy("RecreateGroupOnPodRestart");
  make_all_ready();
  restart("llm-1-2");
  EXPECT_TRUE(is_going("llm-1"));
  EXPECT_FALSE(is_going("llm-0"));
  EXPECT_EQ(cluster_.events.back(),
            "Normal RecreateGroup Worker pod llm-1-2 failed, deleted leader pod llm-1 to recreate group 1");
}

TEST_F(LeaderWorkerSetTest, AGroupIsMadeAnewWhenAWorkerIsGone) {
  make_with_policy("RecreateGroupOnPodRestart");
  make_all_ready();
  cluster_.caches.of<kube::Pod>().erase({"default", "llm-0-1"});
  cluster_.settle();
  EXPECT_TRUE(is_going("llm-0"));
}

TEST_F(LeaderWorkerSetTest, WorkersOfALeaderThatIsGoneChangeNothing) {
  make_with_policy("RecreateGroupOnPodRestart");
  make_all_ready();
  cluster_.caches.of<kube::Pod>().erase({"default", "llm-0"});
  make_pod("llm", "llm-0");  // another one
  cluster_.caches.of<kube::Pod>().erase({"default", "llm-0-1"});
  cluster_.settle();
  EXPECT_FALSE(is_going("llm-0"));
}

TEST_F(LeaderWorkerSetTest, AGroupMayStayWhenAContainerRestarts) {
  make_with_policy("None");
  make_all_ready();
  restart("llm-1-2");
  EXPECT_FALSE(is_going("llm-1"));
}

TEST_F(LeaderWorkerSetTest, AGroupMayBeLeftToStartFirst) {
  make_with_policy("RecreateGroupAfterStart");
  make_group(0);
  cluster_.set_ready(*cluster_.get<kube::Pod>("llm-0-1"), true);
  restart("llm-0-1");
  EXPECT_FALSE(is_going("llm-0")) << "others are pending";
  cluster_.run_pods();
  restart("llm-0-2");
  EXPECT_TRUE(is_going("llm-0"));
}

TEST_F(LeaderWorkerSetTest, WhatCannotBeMadeIsToldAndTriedAgain) {
  cluster_.refuse = [](const Action& action) -> std::optional<kube::Status> {
    if (action.of.plural != "statefulsets") return std::nullopt;
    return kube::Status{422, "Invalid", "StatefulSet.apps \"llm\" is invalid", {}};
  };
  make();
  cluster_.settle();
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(1)) << "one is enough";
  EXPECT_THAT(cluster_.events, Contains("Warning FailedCreate Failed to create leader statefulset llm: "
                                        "StatefulSet.apps \"llm\" is invalid"));
  EXPECT_THAT(status().conditions, IsEmpty());
  cluster_.refuse = [](const Action&) { return std::nullopt; };
  cluster_.settle();
  EXPECT_NE(cluster_.get<kube::StatefulSet>("llm"), nullptr);
}

TEST_F(LeaderWorkerSetTest, NothingIsDoneTwice) {
  make();
  make_all_ready();
  cluster_.done.clear();
  cluster_.wait(Duration::seconds(60));
  EXPECT_THAT(cluster_.done, IsEmpty());
}

TEST_F(LeaderWorkerSetTest, AnAnnotationThatIsTakenAwayIsTakenFromTheLeaders) {
  make("", "", "leaderworkerset.sigs.k8s.io/exclusive-topology: rack");
  cluster_.done.clear();
  cluster_.set<kube::LeaderWorkerSet>("llm", {"metadata", "annotations"}, yaml_of("{}"));
  cluster_.settle();
  EXPECT_THAT(cluster_.done, Contains("patch statefulsets llm")) << "what is applied anew lacks it";
}

}  // namespace
}  // namespace loadline::operators
