#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/grove/grove_kinds.h"
#include "hosts/operators/grove/pod_clique_controller.h"
#include "hosts/operators/grove/pod_clique_set_controller.h"
#include "hosts/operators/grove/scaling_group_controller.h"
#include "hosts/operators/grove/webhooks.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/service.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// "{name: a, spec: {roleName: a, replicas: 2, podSpec: {…}}}"
std::string clique(const std::string& name, int replicas, const std::string& more = "",
                   const std::string& image = "i:1") {
  return "{name: " + name + ", labels: {tier: x}, spec: {roleName: " + name +
         ", replicas: " + std::to_string(replicas) + ", " + more + "podSpec: {containers: [{name: c, image: '" + image +
         "'}]}}}";
}

class GroveTest : public ::testing::Test {
 protected:
  GroveTest() {
    cluster_.add(make_pod_clique_set_controller());
    cluster_.add(make_scaling_group_controller());
    cluster_.add(make_pod_clique_controller());
  }

  void make(const std::string& cliques, const std::string& more = "", int replicas = 1) {
    const Value set = with_pod_clique_set_defaults(
        document::read_yaml("{apiVersion: grove.io/v1alpha1, kind: PodCliqueSet, metadata: {name: llm, namespace: "
                            "default, uid: llm-uid}, spec: {replicas: " +
                                std::to_string(replicas) + ", template: {" + more + "cliques: [" + cliques + "]}}}",
                            "test")
            .documents.at(0));
    cluster_.apply(document::write_json(set));
    cluster_.settle();
  }
  /// A router, and a group of a leader and two workers, of which one replica is needed and two are wanted.
  void make_scaled(const std::string& more = "") {
    make(clique("router", 1) + ", " + clique("leader", 1) + ", " + clique("worker", 2),
         "podCliqueScalingGroups: [{name: decode, replicas: 2, minAvailable: 1, cliqueNames: [leader, worker]}], " +
             more);
  }

  template <class Kind>
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& object : cluster_.all<Kind>()) all.push_back(object->metadata().name);
    return all;
  }
  [[nodiscard]] std::vector<watching::ObjectPtr<kube::Pod>> pods_of(const std::string& clique) const {
    std::vector<watching::ObjectPtr<kube::Pod>> pods;
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (label_of(pod->metadata(), kube::kGrovePodClique) == clique) pods.push_back(pod);
    }
    return pods;
  }
  [[nodiscard]] bool are_gated(const std::string& clique) const {
    const auto pods = pods_of(clique);
    return std::ranges::all_of(pods, [](const auto& pod) { return !pod->view.spec->scheduling_gates.empty(); });
  }
  [[nodiscard]] const kube::CliqueStatus& clique_status(const std::string& name) const {
    return cluster_.get<kube::PodClique>(name)->view.status;
  }
  [[nodiscard]] const kube::CliqueStatus& set_status() const {
    return cluster_.get<kube::PodCliqueSet>("llm")->view.status;
  }
  [[nodiscard]] std::string reason(const kube::CliqueStatus& status, std::string_view type) const {
    const auto* condition = kube::find_condition(status.conditions, type);
    return condition == nullptr ? "none" : condition->status + " " + condition->reason;
  }

  /// Pods without gates get a node; those for which `ready` is true are ready.
  void schedule(const std::function<bool(const kube::Pod&)>& ready = [](const kube::Pod&) { return true; }) {
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (!pod->view.spec->scheduling_gates.empty()) continue;
      const bool is_ready = ready(pod->view);
      const std::string yaml =
          "{phase: Running, containerStatuses: [{name: c, ready: " + std::string(is_ready ? "true" : "false") +
          ", started: true, restartCount: 0, image: i, imageID: i}], conditions: [{type: "
          "PodScheduled, status: 'True'}, {type: Ready, status: '" +
          std::string(is_ready ? "True" : "False") + "'}]}";
      cluster_.set<kube::Pod>(pod->metadata().name, {"status"}, document::read_yaml(yaml, "test").documents.at(0));
    }
    cluster_.settle();
  }
  /// Until nothing changes any more.
  void run() {
    for (int i = 0; i < 20; ++i) schedule();
  }
  void change_image(std::size_t place, const std::string& image) {
    const auto set = cluster_.get<kube::PodCliqueSet>("llm");
    document::Array cliques = document::items_at(set->document, {"spec", "template", "cliques"});
    document::Array containers = document::items_at(cliques[place], {"spec", "podSpec", "containers"});
    containers[0] = std::move(containers[0]).with("image", Value(image));
    cliques[place] = document::with_at(cliques[place], {"spec", "podSpec", "containers"}, Value(std::move(containers)));
    cluster_.set<kube::PodCliqueSet>("llm", {"spec", "template", "cliques"}, Value(std::move(cliques)));
    cluster_.settle();
  }
  [[nodiscard]] std::map<std::string, int> images() const {
    std::map<std::string, int> count;
    for (const auto& pod : cluster_.all<kube::Pod>()) ++count[pod->view.spec->containers.at(0).image];
    return count;
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(GroveTest, GangsHaveThePlacesThatTheirSetAsksFor) {
  const std::string rack = "topologyConstraint: {topologyName: racks, pack: {required: rack}}, ";
  const auto topology = [&](const std::string& gang) {
    const Value& document = cluster_.get<kube::PodGang>(gang)->document;
    return document::write_json(document::value_at(document, {"spec", "topologyConstraint"}));
  };
  make(clique("router", 1) + ", " + clique("leader", 1) + ", " + clique("worker", 2),
       "podCliqueScalingGroups: [{name: decode, replicas: 2, minAvailable: 1, cliqueNames: [leader, worker], "
       "topologyConstraint: {topologyName: racks, pack: {preferred: host}}}], " +
           rack);
  EXPECT_EQ(topology("llm-0"), "null");
  EXPECT_EQ(reason(set_status(), "TopologyLevelsUnavailable"), "Unknown ClusterTopologyNotFound");
  cluster_.apply(
      "{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: racks}, spec: {levels: [{domain: "
      "rack, key: example.com/rack}]}}");
  cluster_.settle();
  EXPECT_EQ(topology("llm-0"), R"({"packConstraint":{"required":"example.com/rack"}})");
  EXPECT_EQ(reason(set_status(), "TopologyLevelsUnavailable"), "True ClusterTopologyLevelsUnavailable");
  cluster_.apply(
      "{apiVersion: grove.io/v1alpha1, kind: ClusterTopologyBinding, metadata: {name: racks}, spec: {levels: [{domain: "
      "rack, key: example.com/rack}, {domain: host, key: kubernetes.io/hostname}]}}");
  cluster_.settle();
  EXPECT_EQ(reason(set_status(), "TopologyLevelsUnavailable"), "False AllClusterTopologyLevelsAvailable");
  EXPECT_EQ(topology("llm-0-decode-0"), R"({"packConstraint":{"preferred":"kubernetes.io/hostname"}})");
  EXPECT_EQ(document::write_json(document::value_at(cluster_.get<kube::PodGang>("llm-0")->document,
                                                    {"spec", "topologyConstraintGroupConfigs"})),
            R"([{"name":"llm-0-decode-0","podGroupNames":["llm-0-decode-0-leader","llm-0-decode-0-worker"],)"
            R"("topologyConstraint":{"packConstraint":{"preferred":"kubernetes.io/hostname"}}}])");
}

TEST_F(GroveTest, MakesCliquesGroupsServicesAndGangs) {
  make_scaled();
  EXPECT_THAT(names<kube::PodClique>(), ElementsAre("llm-0-decode-0-leader", "llm-0-decode-0-worker",
                                                    "llm-0-decode-1-leader", "llm-0-decode-1-worker", "llm-0-router"));
  EXPECT_THAT(names<kube::PodCliqueScalingGroup>(), ElementsAre("llm-0-decode"));
  EXPECT_THAT(names<kube::Service>(), ElementsAre("llm-0"));
  EXPECT_THAT(names<watching::Secret>(), ElementsAre("llm-initc-sa-token-secret"));
  EXPECT_THAT(names<watching::Role>(), ElementsAre("grove.io:pcs:llm"));
  EXPECT_THAT(names<PodGang>(), ElementsAre("llm-0", "llm-0-decode-0"));
  const auto gang = cluster_.get<PodGang>("llm-0");
  const document::Array& groups = document::items_at(gang->document, {"spec", "podgroups"});
  ASSERT_THAT(groups, SizeIs(3));
  EXPECT_EQ(document::text_at(groups[2], {"name"}), "llm-0-decode-0-worker");
  EXPECT_THAT(document::items_at(groups[2], {"podReferences"}), SizeIs(2));
  EXPECT_TRUE(kube::has_true_condition(gang->document, "Initialized"));
  EXPECT_EQ(set_status().observed_generation, 1);
}

TEST_F(GroveTest, PodsAreToldTheirPlace) {
  make_scaled();
  const auto pods = pods_of("llm-0-decode-1-worker");
  ASSERT_THAT(pods, SizeIs(2));
  const kube::PodSpec& spec = *pods[1]->view.spec;
  EXPECT_EQ(spec.hostname, "llm-0-decode-1-worker-1");
  EXPECT_EQ(document::text_at(pods[1]->document, {"spec", "subdomain"}), "llm-0");
  const auto& labels = pods[1]->metadata().labels;
  EXPECT_EQ(labels.at("tier"), "x");
  EXPECT_EQ(labels.at("grove.io/podgang"), "llm-0-decode-0");
  EXPECT_EQ(labels.at("grove.io/base-podgang"), "llm-0");
  EXPECT_EQ(labels.at("grove.io/podcliquescalinggroup-replica-index"), "1");
  EXPECT_EQ(labels.at("grove.io/podclique-pod-index"), "1");
  std::vector<std::string> variables;
  const document::Array& containers = document::items_at(pods[1]->document, {"spec", "containers"});
  for (const Value& each : document::items_at(containers[0], {"env"})) {
    variables.emplace_back(document::text_at(each, {"name"}));
  }
  EXPECT_THAT(variables,
              ElementsAre("GROVE_PCSG_NAME", "GROVE_PCSG_TEMPLATE_NUM_PODS", "GROVE_PCSG_INDEX", "GROVE_PCS_NAME",
                          "GROVE_PCS_INDEX", "GROVE_PCLQ_NAME", "GROVE_HEADLESS_SERVICE", "GROVE_PCLQ_POD_INDEX"));
  EXPECT_THAT(document::write_json(containers[0]), HasSubstr(R"("value":"3")")) << "a leader and two workers";
}

TEST_F(GroveTest, FurtherReplicasOfAGroupWaitForTheGangTheyAreAddedTo) {
  make_scaled();
  EXPECT_FALSE(are_gated("llm-0-router"));
  EXPECT_FALSE(are_gated("llm-0-decode-0-worker"));
  EXPECT_TRUE(are_gated("llm-0-decode-1-worker"));
  EXPECT_EQ(clique_status("llm-0-decode-1-worker").gated_replicas, 2);
  schedule();
  EXPECT_FALSE(are_gated("llm-0-decode-1-worker"));
}

TEST_F(GroveTest, IsAvailableOnceAsManyAsNeededAreReady) {
  make_scaled();
  EXPECT_EQ(set_status().available_replicas, 0);
  EXPECT_EQ(reason(clique_status("llm-0-router"), "PodCliqueScheduled"), "False InsufficientScheduledPods");
  EXPECT_EQ(reason(clique_status("llm-0-router"), "MinAvailableBreached"), "False InsufficientScheduledPods");
  run();
  EXPECT_EQ(reason(clique_status("llm-0-router"), "PodCliqueScheduled"), "True SufficientScheduledPods");
  EXPECT_EQ(reason(clique_status("llm-0-router"), "MinAvailableBreached"), "False SufficientReadyPods");
  const auto group = cluster_.get<kube::PodCliqueScalingGroup>("llm-0-decode");
  EXPECT_EQ(group->view.status.available_replicas, 2);
  EXPECT_EQ(group->view.status.updated_replicas, 2);
  EXPECT_EQ(set_status().available_replicas, 1);
  EXPECT_EQ(set_status().updated_replicas, 1);
  EXPECT_FALSE(set_status().update.has_value()) << "nothing has changed yet";
}

TEST_F(GroveTest, CliquesThatStartAfterOthersWaitUntilTheirPodsAreReady) {
  make(clique("front", 2, "minAvailable: 1, ") + ", " + clique("back", 1),
       "cliqueStartupType: CliqueStartupTypeInOrder, ");
  EXPECT_THAT(cluster_.get<kube::PodClique>("llm-0-back")->view.spec.starts_after, ElementsAre("llm-0-front"));
  const auto waiting = [&] {
    return pods_of("llm-0-back").at(0)->metadata().annotations.at("loadline.dev/run-time.grove-initc");
  };
  const auto pod = pods_of("llm-0-back").at(0);
  const document::Array& initial = document::items_at(pod->document, {"spec", "initContainers"});
  ASSERT_THAT(initial, SizeIs(1));
  EXPECT_THAT(document::write_json(initial[0]), HasSubstr("--podcliques=llm-0-front:1"));
  EXPECT_EQ(waiting(), "forever");
  schedule([](const kube::Pod&) { return false; });
  EXPECT_EQ(waiting(), "forever") << "they run, and are not ready";
  schedule([](const kube::Pod& each) { return each.spec->hostname == "llm-0-front-0"; });
  EXPECT_EQ(waiting(), "0s") << "one of the two is enough";
}

TEST_F(GroveTest, ReplicasFollowTheScaleOfEach) {
  make_scaled();
  run();
  cluster_.set<kube::PodClique>("llm-0-router", {"spec", "replicas"}, Value(std::int64_t{3}));
  cluster_.settle();
  EXPECT_THAT(pods_of("llm-0-router"), SizeIs(3)) << "the set does not take that back";
  cluster_.set<kube::PodCliqueScalingGroup>("llm-0-decode", {"spec", "replicas"}, Value(std::int64_t{3}));
  cluster_.settle();
  EXPECT_THAT(names<PodGang>(), ElementsAre("llm-0", "llm-0-decode-0", "llm-0-decode-1"));
  cluster_.set<kube::PodCliqueScalingGroup>("llm-0-decode", {"spec", "replicas"}, Value(std::int64_t{1}));
  cluster_.settle();
  EXPECT_THAT(names<kube::PodClique>(), ElementsAre("llm-0-decode-0-leader", "llm-0-decode-0-worker", "llm-0-router"));
  EXPECT_THAT(names<PodGang>(), ElementsAre("llm-0"));
  cluster_.set<kube::PodCliqueSet>("llm", {"spec", "replicas"}, Value(std::int64_t{2}));
  cluster_.settle();
  EXPECT_THAT(names<kube::PodClique>(), SizeIs(8)) << "the new replica has the group's two";
  EXPECT_THAT(names<kube::Service>(), ElementsAre("llm-0", "llm-1"));
  cluster_.set<kube::PodCliqueSet>("llm", {"spec", "replicas"}, Value(std::int64_t{0}));
  cluster_.settle();
  EXPECT_THAT(names<PodGang>(), IsEmpty());
  EXPECT_THAT(names<kube::Service>(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Normal PodCliqueDeleteSuccessful Deleted PodClique: llm-0-router"));
}

TEST_F(GroveTest, ALostPodIsReplacedWithItsIndex) {
  make(clique("a", 3));
  run();
  const auto pods = pods_of("llm-0-a");
  cluster_.caches.of<kube::Pod>().erase(pods[1]->key());
  cluster_.settle();
  const auto now = pods_of("llm-0-a");
  ASSERT_THAT(now, SizeIs(3));
  EXPECT_EQ(now[2]->view.spec->hostname, "llm-0-a-1");
  EXPECT_FALSE(are_gated("llm-0-a")) << "its gang lists the new one, too";
}

TEST_F(GroveTest, NewTemplatesReplaceReadyPodsOneByOne) {
  make(clique("a", 3, "minAvailable: 2, "));
  run();
  change_image(0, "i:2");
  ASSERT_TRUE(set_status().update.has_value());
  EXPECT_EQ(images(), (std::map<std::string, int>{{"i:1", 2}, {"i:2", 1}})) << "only one has been replaced so far";
  ASSERT_TRUE(clique_status("llm-0-a").update.has_value());
  EXPECT_EQ(reason(clique_status("llm-0-a"), "MinAvailableBreached"), "Unknown UpdateInProgress");
  run();
  EXPECT_EQ(images(), (std::map<std::string, int>{{"i:2", 3}}));
  EXPECT_TRUE(clique_status("llm-0-a").update->ended_at.has_value());
  EXPECT_TRUE(set_status().update->ended_at.has_value());
  EXPECT_EQ(set_status().updated_replicas, 1);
  EXPECT_EQ(set_status().update->updated_cliques, 1);
  EXPECT_EQ(reason(clique_status("llm-0-a"), "MinAvailableBreached"), "False SufficientReadyPods");
}

TEST_F(GroveTest, NewTemplatesReplaceReplicasOfGroupsAndSetsOneByOne) {
  make(clique("leader", 1) + ", " + clique("worker", 1),
       "podCliqueScalingGroups: [{name: decode, replicas: 2, minAvailable: 1, cliqueNames: [leader, worker]}], ", 2);
  run();
  change_image(1, "i:2");
  EXPECT_EQ(set_status().update->updating.at(0).index, 0);
  EXPECT_EQ(images()["i:2"], 1);
  for (const auto& pod : cluster_.all<kube::Pod>()) {
    // Nothing else stands for the garbage collector here.
    const auto* owner = pod->metadata().controller();
    if (cluster_.get<kube::PodClique>(owner->name) == nullptr) cluster_.caches.of<kube::Pod>().erase(pod->key());
  }
  for (int i = 0; i < 10; ++i) {
    run();
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      const auto clique = cluster_.get<kube::PodClique>(pod->metadata().controller()->name);
      const bool is_its = clique != nullptr && clique->metadata().uid == pod->metadata().controller()->uid;
      if (!is_its) cluster_.caches.of<kube::Pod>().erase(pod->key());
    }
    cluster_.settle();
  }
  EXPECT_TRUE(set_status().update->ended_at.has_value());
  EXPECT_EQ(images(), (std::map<std::string, int>{{"i:1", 4}, {"i:2", 4}}));
  EXPECT_EQ(set_status().updated_replicas, 2);
  EXPECT_EQ(set_status().update->updated_groups, 2);
}

TEST_F(GroveTest, OnDeleteOnlyReplacesWhatOthersDelete) {
  make(clique("a", 2));
  cluster_.set<kube::PodCliqueSet>("llm", {"spec", "updateStrategy"},
                                   Value(document::Object{{"type", Value("OnDelete"), {}}}));
  run();
  change_image(0, "i:2");
  run();
  EXPECT_EQ(images(), (std::map<std::string, int>{{"i:1", 2}}));
  EXPECT_TRUE(set_status().update->ended_at.has_value());
  cluster_.caches.of<kube::Pod>().erase(pods_of("llm-0-a").at(0)->key());
  cluster_.settle();
  EXPECT_EQ(images(), (std::map<std::string, int>{{"i:1", 1}, {"i:2", 1}}));
}

TEST_F(GroveTest, AReplicaThatLacksPodsForTooLongIsMadeAnew) {
  make(clique("a", 2) + ", " + clique("b", 1), "terminationDelay: 10m, ");
  run();
  const std::string uid = cluster_.get<kube::PodClique>("llm-0-b")->metadata().uid;
  schedule([](const kube::Pod& pod) { return pod.spec->hostname != "llm-0-a-0"; });
  EXPECT_EQ(reason(clique_status("llm-0-a"), "MinAvailableBreached"), "True InsufficientReadyPods");
  cluster_.wait(Duration::seconds(540));
  EXPECT_EQ(cluster_.get<kube::PodClique>("llm-0-b")->metadata().uid, uid);
  cluster_.wait(Duration::seconds(61));
  EXPECT_NE(cluster_.get<kube::PodClique>("llm-0-b")->metadata().uid, uid) << "the whole gang goes";
  EXPECT_THAT(cluster_.events, Contains("Normal PodCliqueSetReplicaDeleteSuccessful PodCliqueSet replica 0 deleted"));
}

TEST_F(GroveTest, AReplicaOfAGroupGoesByItselfIfEnoughOthersAreThere) {
  make_scaled("terminationDelay: 10m, ");
  run();
  const std::string first = cluster_.get<kube::PodClique>("llm-0-decode-0-leader")->metadata().uid;
  const std::string second = cluster_.get<kube::PodClique>("llm-0-decode-1-leader")->metadata().uid;
  schedule(
      [](const kube::Pod& pod) { return label_of(pod.metadata, kube::kGrovePodClique) != "llm-0-decode-1-worker"; });
  cluster_.wait(Duration::seconds(601));
  EXPECT_EQ(cluster_.get<kube::PodClique>("llm-0-decode-0-leader")->metadata().uid, first);
  EXPECT_NE(cluster_.get<kube::PodClique>("llm-0-decode-1-leader")->metadata().uid, second);
}

TEST_F(GroveTest, WhatAnAutoscalerMayGrowHasOne) {
  make(clique("a", 2, "autoScalingConfig: {maxReplicas: 4}, "));
  const auto scaler = cluster_.get<watching::HorizontalPodAutoscaler>("llm-0-a");
  ASSERT_NE(scaler, nullptr);
  EXPECT_THAT(document::write_json(document::value_at(scaler->document, {"spec"})),
              HasSubstr(R"("minReplicas":2,"maxReplicas":4)"));
  EXPECT_EQ(clique_status("llm-0-a").selector,
            "app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=llm,grove.io/podclique=llm-0-a");
}

TEST_F(GroveTest, LosesItsFinalizersWhenItIsDeleted) {
  cluster_.finalizers_hold = true;
  make(clique("a", 1));
  for (const char* kind : {"set", "clique"}) {
    const Value at(format_rfc3339(cluster_.now));
    if (std::string(kind) == "set") {
      cluster_.set<kube::PodCliqueSet>("llm", {"metadata", "deletionTimestamp"}, at);
    } else {
      cluster_.set<kube::PodClique>("llm-0-a", {"metadata", "deletionTimestamp"}, at);
    }
  }
  cluster_.settle();
  EXPECT_TRUE(cluster_.get<kube::PodCliqueSet>("llm") == nullptr) << "what has none any more is gone";
  EXPECT_TRUE(cluster_.get<kube::PodClique>("llm-0-a") == nullptr);
}

// ---- webhook
// ---------------------------------------------------------------------------------------------------------

Value set_of_yaml(const std::string& part) {
  return with_pod_clique_set_defaults(
      document::read_yaml("{metadata: {name: llm}, spec: {template: {" + part + "}}}", "test").documents.at(0));
}

TEST(GroveWebhook, FillsInDefaults) {
  const Value set = set_of_yaml("cliques: [" + clique("a", 3, "autoScalingConfig: {maxReplicas: 4}, ") + "]");
  const Value whole = document::value_at(set, {"spec", "template"});
  EXPECT_EQ(document::text_at(whole, {"terminationDelay"}), "4h0m0s");
  EXPECT_EQ(document::write_json(document::value_at(whole, {"headlessServiceConfig"})),
            R"({"publishNotReadyAddresses":true})");
  const Value spec = document::value_at(document::items_at(whole, {"cliques"}).at(0), {"spec"});
  EXPECT_EQ(document::value_at(spec, {"minAvailable"}), Value(std::int64_t{3}));
  EXPECT_EQ(document::value_at(spec, {"autoScalingConfig", "minReplicas"}), Value(std::int64_t{3}));
  EXPECT_EQ(document::text_at(spec, {"podSpec", "restartPolicy"}), "Always");
}

TEST(GroveWebhook, RefusesInGrovesWords) {
  EXPECT_EQ(pod_clique_set_refusal(set_of_yaml("cliques: [" + clique("a", 1) + "]"), nullptr), "");
  EXPECT_EQ(pod_clique_set_refusal(set_of_yaml("cliques: [" + clique("a", 1, "minAvailable: 2, ") + "]"), nullptr),
            "spec.template.cliques[0].spec.minAvailable: Invalid value: 2: minAvailable must not be greater than "
            "replicas");
  const std::string refusal = pod_clique_set_refusal(
      document::read_yaml(
          "{metadata: {name: llm}, spec: {template: {cliques: [{name: a, spec: {roleName: a, replicas: 1, "
          "minAvailable: 1, podSpec: {schedulerName: mine, containers: [{name: c}]}}}]}}}",
          "test")
          .documents.at(0),
      nullptr);
  EXPECT_THAT(refusal, HasSubstr("schedulerName must be an enabled scheduler backend"));
}

TEST(GroveWebhook, RefusesChangesOfWhatStays) {
  const Value before = set_of_yaml("cliques: [" + clique("a", 1) + "]");
  EXPECT_EQ(pod_clique_set_refusal(set_of_yaml("cliques: [" + clique("a", 1, "", "i:2") + "]"), &before), "");
  EXPECT_THAT(pod_clique_set_refusal(set_of_yaml("cliques: [" + clique("b", 1) + "]"), &before),
              HasSubstr("not allowed to change clique composition, new clique name 'b' is not allowed"));
}

TEST_F(GroveTest, MakesABatchOfReplicasHoweverManyAreWanted) {
  cluster_.allow_creations(40);
  make(clique("a", 1), "", 2147483647);
  EXPECT_LT(cluster_.tried, 700U);
  EXPECT_LT(names<kube::PodClique>().size(), 40U);
}

TEST_F(GroveTest, GoesOnWithTheNextReplicasOnceTheFirstAreThere) {
  make(clique("a", 0), "", 252);
  EXPECT_THAT(names<kube::PodClique>(), SizeIs(252));
  EXPECT_THAT(names<PodGang>(), SizeIs(252));
}

TEST_F(GroveTest, MakesABatchOfPodsAndOfGroupReplicasHoweverManyAreWanted) {
  cluster_.allow_creations(60);
  make(clique("router", 2147483647) + ", " + clique("leader", 1),
       "podCliqueScalingGroups: [{name: decode, replicas: 2147483647, minAvailable: 1, cliqueNames: [leader]}], ");
  EXPECT_LT(cluster_.tried, 2500U);
}

TEST_F(GroveTest, RefusesAGangThatWouldListMoreThanAnObjectHolds) {
  make(clique("leader", 1),
       "podCliqueScalingGroups: [{name: decode, replicas: 2147483647, minAvailable: 2147483647, cliqueNames: "
       "[leader]}], ");
  EXPECT_THAT(names<PodGang>(), IsEmpty());
  EXPECT_THAT(cluster_.events,
              Contains("Warning PodGangCreateOrUpdateFailed a PodGang of 2147483647 PodCliques would list more than "
                       "1000"));
}

}  // namespace
}  // namespace loadline::operators
