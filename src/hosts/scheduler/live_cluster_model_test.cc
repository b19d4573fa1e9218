// Every waiting pod is woken by every event that could help it: after each event, a scheduler that remembers nothing
// refuses all pods that were not given a turn.
#include "hosts/scheduler/live_cluster_model.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"
#include "brain/engine/registry.h"
#include "foundation/base/rng.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/watching/cache_feed.h"

namespace loadline::scheduler {
namespace {

using cluster::NodeId;
using cluster::PodId;

class TestSubscriptions final : public watching::Subscriptions {
 public:
  [[nodiscard]] watching::Caches& caches() override { return caches_; }

 protected:
  std::function<void(const watching::ObjectKey&)> adder() override {
    return [](const watching::ObjectKey&) {};
  }
  void needs(watching::AnyCache&) override {}

 private:
  watching::Caches caches_;
};

/// What an API server has of a pod.
struct PodDraft {
  std::string labels;  ///< "app: a"
  std::string spec;    ///< ", priority: 5"
  std::string cpu = "1";
  std::string node = {};
  bool is_leaving = false;
  bool is_gated = false;
};

struct NodeDraft {
  std::string labels;
  std::string spec = {};  ///< "taints: […]"
  int cpus = 4;
};

/// Caches, the model that follows them, and the dispatcher whose turns the test takes.
class TestCluster {
 public:
  TestCluster() { model.set_dispatcher(dispatcher); }

  template <class Kind>
  void put(const std::string& text) {
    document::Value object = document::read_yaml(text, "test").documents.front();
    object = document::with_at(std::move(object), {"metadata", "resourceVersion"},
                               document::Value(std::to_string(++revision_)));
    auto& cache = subscriptions.caches().of<Kind>();
    const watching::ObjectKey key{std::string(document::text_at(object, {"metadata", "namespace"})),
                                  std::string(document::text_at(object, {"metadata", "name"}))};
    cache.put(observe<Kind>(object, cache.find(key).get()));
  }
  template <class Kind>
  void erase(const std::string& name, const std::string& name_space = {}) {
    subscriptions.caches().of<Kind>().erase({name_space, name});
  }

  void put_node(const std::string& name, const NodeDraft& node) {
    put<kube::Node>(
        fmt::format("{{metadata: {{name: {0}, labels: {{kubernetes.io/hostname: {0}, {1}}}}}, spec: {{{2}}}, "
                    "status: {{allocatable: {{cpu: '{3}', memory: 8Gi, pods: '20'}}}}}}",
                    name, node.labels, node.spec, node.cpus));
  }
  void put_pod(const std::string& name, const PodDraft& pod) {
    put<kube::Pod>(fmt::format(
        "{{metadata: {{name: {0}, namespace: default, uid: u-{0}, labels: {{{1}}}{2}}}, spec: {{containers: [{{name: "
        "app, resources: {{requests: {{cpu: '{3}'}}}}}}]{4}{5}{6}}}}}",
        name, pod.labels, pod.is_leaving ? ", deletionTimestamp: '2026-01-01T00:00:00Z'" : "", pod.cpu, pod.spec,
        pod.node.empty() ? "" : ", nodeName: " + pod.node, pod.is_gated ? ", schedulingGates: [{name: g}]" : ""));
  }

  /// Takes all turns; says whom they bound. Victims begin to leave.
  std::vector<std::string> take_turns() {
    std::vector<std::string> bound;
    while (const std::optional<decision::Unit> unit = dispatcher.next()) {
      const decision::Turn taken = dispatcher.take(*unit);
      const decision::PodTurn& turn = taken.pods.front();
      ++turns;
      TrackedPod& tracked = model.tracked(turn.pod);
      if (turn.node.valid()) {
        tracked.is_waiting = false;
        bound.push_back(tracked.object->metadata().name);
      }
      for (const PodId victim : turn.victims) {
        dispatcher.leaving(victim);
        victims.push_back(model.tracked(victim).object->metadata().name);
      }
    }
    return bound;
  }

  /// Those that a scheduler without memory would place, or make room for.
  std::vector<std::string> forgotten() {
    std::vector<std::string> names;
    placement::Scheduler fresh =
        *placement::Scheduler::make(model.cluster(), engine::registry(), kube::SchedulerConfiguration{});
    for (const auto& [name, object] : subscriptions.caches().of<kube::Pod>().in("default")) {
      const TrackedPod* pod = model.find({"default", name});
      if (pod == nullptr || !pod->is_waiting) continue;
      const placement::Decision decision = fresh.decide(pod->id);
      const bool is_nominated = model.cluster().pod(pod->id).nominated.valid();
      if (decision.attempt.scheduled() || (decision.preemption.node.valid() && !is_nominated)) names.push_back(name);
    }
    return names;
  }

  TestSubscriptions subscriptions;
  LiveClusterModel model{subscriptions};
  engine::Dispatcher dispatcher{
      model.cluster(), *placement::Scheduler::make(model.cluster(), engine::registry(), kube::SchedulerConfiguration{}),
      engine::Refusals::kTold, decision::CarriedOut::kByHost};
  std::size_t turns = 0;
  std::vector<std::string> victims;

 private:
  std::uint64_t revision_ = 0;
};

constexpr const char* kSpread =
    ", topologySpreadConstraints: [{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, labelSelector: "
    "{matchLabels: {app: a}}}]";
constexpr const char* kApart =
    ", affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "kubernetes.io/hostname, labelSelector: {matchLabels: {app: a}}}]}}";
constexpr const char* kTogether =
    ", affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: zone, labelSelector: "
    "{matchLabels: {app: b}}}]}}";

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Simulation seed 112: a pod that is being deleted is not counted any more.
TEST(LiveClusterModel, APodThatIsLeavingEvensOut) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1"});
  cluster.put_node("two", {"zone: z2", {}, 1});
  cluster.put_pod("full", {"app: b", "", "1", "two"});
  cluster.put_pod("first", {"app: a", "", "1", "one"});
  cluster.put_pod("second", {"app: a", kSpread});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.put_pod("first", {"app: a", "", "1", "one", true});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("second"));
}

TEST(LiveClusterModel, APodOfWhichBindingAndEndAreHeardAtOnceEvensOut) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1"});
  cluster.put_node("two", {"zone: z2", {}, 1});
  cluster.put_pod("full", {"app: b", "", "1", "two"});
  cluster.put_pod("first", {"app: a", ""});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("first"));
  cluster.put_pod("second", {"app: a", kSpread});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.put_pod("first", {"app: a", "", "1", "one", true});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("second"));
}

TEST(LiveClusterModel, APodThatNoAntiAffinityMatchesAnyMoreHelps) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1"});
  cluster.put_pod("first", {"app: a", "", "1", "one"});
  cluster.put_pod("second", {"app: c", kApart});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.put_pod("first", {"app: b", "", "1", "one"});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("second"));
}

TEST(LiveClusterModel, RoomThatWasKeptIsFreeOnceItsPodIsElsewhere) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1", {}, 2});
  cluster.put_pod("victim", {"app: a", "", "2", "one"});
  cluster.put_pod("urgent", {"app: b", ", priority: 10", "2"});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  EXPECT_THAT(cluster.victims, ElementsAre("victim"));
  cluster.put_pod("modest", {"app: c", "", "2"});
  cluster.erase<kube::Pod>("victim", "default");
  cluster.put_node("two", {"zone: z1", "unschedulable: true"});
  cluster.put_pod("urgent", {"app: b", ", priority: 10", "2", "two"});  // another scheduler bound it
  EXPECT_THAT(cluster.take_turns(), ElementsAre("modest"));
}

/// Simulation: a node was replaced under its name while a binding to it was under way, and others got the room.
TEST(LiveClusterModel, ANodeThatComesBackHasThePodsThatAreBeingBoundToIt) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1", {}, 2});
  cluster.put_pod("first", {"app: a", "", "2"});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("first"));
  cluster.erase<kube::Node>("one");
  cluster.put_pod("second", {"app: a", "", "1"});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.put_node("one", {"zone: z1", {}, 2});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.put_pod("first", {"app: a", "", "2", "one"});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.erase<kube::Pod>("first", "default");
  EXPECT_THAT(cluster.take_turns(), ElementsAre("second"));
}

/// Simulation seed 103: a pod of a StatefulSet was bound because the claim of its predecessor was bound; that claim
/// went, and its own waited for its first consumer for ever.
TEST(LiveClusterModel, APodThatIsHeardOfOnceItHasFinishedHasConsumedItsRoom) {
  TestCluster cluster;
  cluster.put_node("one", {});
  engine::ReservationKeeper& keeper = cluster.dispatcher.keeper();
  kube::Reservation asked;
  asked.metadata.name = "room";
  asked.selector = cluster::testing::selecting("app", "a");
  asked.status.nodes = {{"one", 1}};
  const cluster::ReservationId room = keeper.open(asked, 0);
  keeper.keep(room, asked, {{"", cluster::testing::PodBuilder("p").request("cpu", "4").build(), 1}});
  cluster.put_pod("p", {.labels = "app: a", .spec = ""});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("p"));
  EXPECT_EQ(keeper.at(room).under_way, 1);
  cluster.put<kube::Pod>(
      "{metadata: {name: p, namespace: default, uid: u-p, labels: {app: a}}, spec: {nodeName: one, containers: [{name: "
      "app, resources: {requests: {cpu: '1'}}}]}, status: {phase: Succeeded}}");
  EXPECT_EQ(keeper.at(room).under_way, 0);
  EXPECT_EQ(keeper.at(room).consumed, 1);
}

TEST(LiveClusterModel, TheClaimOfAPodThatHadTheNameBeforeIsNotItsOwn) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1"});
  cluster.put<kube::StorageClass>(
      "{metadata: {name: late}, provisioner: disk.example, volumeBindingMode: WaitForFirstConsumer}");
  const auto put_claim = [&](const char* owner_uid) {
    cluster.put<kube::PersistentVolumeClaim>(fmt::format(
        "{{metadata: {{name: db-0-scratch, namespace: default, uid: c-{0}, ownerReferences: [{{apiVersion: v1, kind: "
        "Pod, name: db-0, uid: {0}, controller: true}}]}}, spec: {{storageClassName: late, accessModes: "
        "[ReadWriteOnce], resources: {{requests: {{storage: 1Gi}}}}}}}}",
        owner_uid));
  };
  put_claim("u-before");
  cluster.put_pod("db-0", {"app: a",
                           ", volumes: [{name: scratch, ephemeral: {volumeClaimTemplate: {spec: {accessModes: "
                           "[ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}}}]"});
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  put_claim("u-before");
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  cluster.erase<kube::PersistentVolumeClaim>("db-0-scratch", "default");
  EXPECT_THAT(cluster.take_turns(), IsEmpty());
  put_claim("u-db-0");
  EXPECT_THAT(cluster.take_turns(), ElementsAre("db-0"));
}

std::string job_text(const std::string& spec, const std::string& owner = {}) {
  return fmt::format("{{metadata: {{name: train, namespace: default{}}}, spec: {{{}}}}}", owner, spec);
}

TEST(LiveClusterModel, WorkloadsSayWhenTheirPodsEndWhicheverIsHeardOfFirst) {
  constexpr const char* kOwned =
      "{{metadata: {{name: {}, namespace: default{}, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: train, "
      "uid: '1', controller: true}}]}}, spec: {{containers: [{{name: app}}]}}}}";
  TestCluster cluster;
  const auto expected = [&](const std::string& name) {
    return cluster.model.cluster().run_facts(cluster.model.find({"default", name})->id).expected;
  };
  const auto seconds = [](std::int64_t count) { return std::optional(Duration::seconds(count)); };
  cluster.put<kube::Pod>(fmt::format(kOwned, "before", ""));
  cluster.put<kube::Pod>(fmt::format(kOwned, "own", ", annotations: {loadline.dev/expected-duration: '5'}"));
  EXPECT_EQ(expected("before"), std::nullopt);
  cluster.put<kube::Job>(job_text("activeDeadlineSeconds: 60"));
  EXPECT_EQ(expected("before"), seconds(60));
  EXPECT_EQ(expected("own"), seconds(5)) << "what the pod says counts";
  cluster.put<kube::Pod>(fmt::format(kOwned, "after", ""));
  EXPECT_EQ(expected("after"), seconds(60));
  cluster.put<kube::Pod>(fmt::format(kOwned, "after", ", labels: {a: b}"));
  EXPECT_EQ(expected("after"), seconds(60)) << "also when it has changed";
  // The Job says nothing any more, and the JobSet above it does.
  cluster.put<kube::JobSet>(
      "{metadata: {name: set, namespace: default, annotations: {loadline.dev/expected-duration: 1h}}}");
  cluster.put<kube::Job>(job_text("",
                                  ", ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: "
                                  "set, uid: '2', controller: true}]"));
  EXPECT_EQ(expected("before"), seconds(3600));
  cluster.erase<kube::JobSet>("set", "default");
  EXPECT_EQ(expected("before"), std::nullopt);
  EXPECT_EQ(expected("own"), seconds(5));
}

TEST(LiveClusterModel, WhatHelpsNoPodWakesNoPod) {
  TestCluster cluster;
  cluster.put_node("one", {"zone: z1", {}, 1});
  cluster.put_pod("big", {"app: a", "", "8"});
  cluster.take_turns();
  ASSERT_EQ(cluster.turns, 1U);
  cluster.put_node("one", {"zone: z1", {}, 1});  // a heartbeat
  cluster.put<kube::Service>("{metadata: {name: web, namespace: default}, spec: {selector: {app: a}}}");
  cluster.put<kube::PodDisruptionBudget>(
      "{metadata: {name: web, namespace: default}, spec: {minAvailable: 1, selector: {matchLabels: {app: a}}}}");
  cluster.put_pod("small", {"app: b", "", "1"});
  EXPECT_THAT(cluster.take_turns(), ElementsAre("small"));
  EXPECT_EQ(cluster.turns, 2U) << "only the new one had a turn";
}

/// A random life of a cluster.
class RandomLife {
 public:
  explicit RandomLife(std::uint64_t seed) : random_(seed) {
    for (int count = 0; count < 3; ++count) add_node();
  }

  void live(int events) {
    for (int event = 0; event < events && !::testing::Test::HasFailure(); ++event) {
      const std::string what = happen();
      for (const std::string& pod : cluster_.take_turns()) pods_.at(pod).node = node_of(pod);
      for (const std::string& pod : std::exchange(cluster_.victims, {})) leaving_.push_back(pod);
      EXPECT_THAT(cluster_.forgotten(), IsEmpty()) << "after event " << event << ": " << what;
    }
  }
  [[nodiscard]] std::size_t turns() const { return cluster_.turns; }

 private:
  std::string happen() {
    const std::uint64_t what = random_.below(20);
    if (what < 6) return add_pod();
    if (what < 8) return add_node();
    if (what < 11) return change_node();
    if (what < 12 && !leaving_.empty()) return erase_pod(leaving_.front());
    return change_pod();
  }

  std::string node_of(const std::string& pod) {
    cluster::Cluster& cluster = cluster_.model.cluster();
    const TrackedPod* tracked = cluster_.model.find({"default", pod});
    return std::string(cluster.node_name(cluster.pod(tracked->id).node));
  }

  template <class Map>
  std::string pick(const Map& map) {
    auto at = map.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(map.size())));
    return at->first;
  }

  std::string add_pod() {
    static constexpr std::array kRules = {
        "", "", kSpread, kApart, kTogether, ", tolerations: [{operator: Exists}]", ", nodeSelector: {disk: ssd}"};
    PodDraft pod;
    pod.labels = random_label();
    pod.spec = kRules.at(random_.below(kRules.size()));
    pod.spec += fmt::format(", priority: {}", random_.below(3));
    if (random_.below(6) == 0) pod.spec += ", preemptionPolicy: Never";
    pod.cpu = std::to_string(1 + random_.below(3));
    pod.is_gated = random_.below(8) == 0;
    const std::string name = fmt::format("pod-{}", next_++);
    pods_[name] = pod;
    cluster_.put_pod(name, pod);
    return "new " + name;
  }

  std::string random_label() {
    static constexpr std::array kLabels = {"app: a", "app: b", "app: c"};
    return kLabels.at(random_.below(kLabels.size()));
  }

  std::string add_node() {
    NodeDraft node;
    node.labels = fmt::format("zone: z{}{}", random_.below(3), random_.below(2) == 0 ? ", disk: ssd" : "");
    node.cpus = static_cast<int>(1 + random_.below(5));
    const std::string name = fmt::format("node-{}", next_++);
    nodes_[name] = node;
    cluster_.put_node(name, node);
    return "new " + name;
  }

  std::string change_node() {
    if (nodes_.empty()) return add_node();
    const std::string name = pick(nodes_);
    NodeDraft& node = nodes_.at(name);
    switch (random_.below(5)) {
      case 0:
        node.cpus = static_cast<int>(1 + random_.below(5));
        break;
      case 1:
        node.spec = random_.below(2) == 0 ? "taints: [{key: t, effect: NoSchedule}]" : "";
        break;
      case 2:
        node.spec = random_.below(2) == 0 ? "unschedulable: true" : "";
        break;
      case 3:
        node.labels = fmt::format("zone: z{}{}", random_.below(3), random_.below(2) == 0 ? ", disk: ssd" : "");
        break;
      default:
        nodes_.erase(name);
        cluster_.erase<kube::Node>(name);
        return name + " is gone";
    }
    cluster_.put_node(name, node);
    return name + " changes";
  }

  std::string erase_pod(const std::string& name) {
    const std::string gone = name;
    std::erase(leaving_, gone);
    pods_.erase(gone);
    cluster_.erase<kube::Pod>(gone, "default");
    return gone + " is gone";
  }

  std::string change_pod() {
    if (pods_.empty()) return add_pod();
    const std::string name = pick(pods_);
    PodDraft& pod = pods_.at(name);
    switch (random_.below(6)) {
      case 0:
        return erase_pod(name);
      case 1:
        pod.is_leaving = true;
        break;
      case 2:
        pod.labels = random_label();
        break;
      case 3:
        if (pod.node.empty()) pod.is_gated = false;
        break;
      case 4:
        // The binding is refused: it waits again.
        if (TrackedPod* tracked = cluster_.model.find({"default", name});
            tracked != nullptr && cluster_.model.is_assumed(*tracked)) {
          cluster_.model.set_aside(*tracked);
          tracked->is_resting = false;
          cluster_.model.enqueue(*tracked);
          pod.node.clear();
          return name + " is not bound";
        }
        break;
      default:
        if (pod.node.empty() && !nodes_.empty() && random_.below(4) == 0) pod.node = pick(nodes_);
        break;
    }
    cluster_.put_pod(name, pod);
    return name + " changes";
  }

  Rng random_;
  TestCluster cluster_;
  std::uint64_t next_ = 0;
  std::map<std::string, NodeDraft> nodes_;
  std::map<std::string, PodDraft> pods_;
  std::vector<std::string> leaving_;
};

TEST(LiveClusterModel, ForgetsNoPod) {
  std::size_t turns = 0;
  for (std::uint64_t seed = 1; seed <= 100 && !HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomLife life(seed);
    life.live(80);
    turns += life.turns();
  }
  EXPECT_GT(turns, 100U * 40) << "nothing happened";
}

}  // namespace
}  // namespace loadline::scheduler
