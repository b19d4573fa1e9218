// What a cluster has lived through must not show: in its books and in its decisions it equals one that was filled with
// what is there now.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/testing/node_builder.h"
#include "brain/engine/registry.h"
#include "brain/placement/scheduler.h"
#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::placement {
namespace {

using cluster::Cluster;
using cluster::NodeId;
using cluster::PodId;
using cluster::testing::PodBuilder;
using cluster::testing::pods_with;
using cluster::testing::selecting;
using testing::kHostname;
using testing::kZone;

/// What an API server would hold: all that a history leaves.
struct Objects {
  std::map<std::string, kube::StringMap> namespaces;
  std::map<std::string, kube::Service> services;
  std::map<std::string, std::string> replica_sets;  // in "default": name, and the app it selects
  std::map<std::string, kube::PodDisruptionBudget> budgets;
  std::map<PodId, kube::Pod> pods;
};

kube::ObjectMeta metadata_of(const std::string& name) {
  kube::ObjectMeta metadata;
  metadata.name = name;
  metadata.namespace_ = "default";
  return metadata;
}

void set_replica_set(Cluster& cluster, const std::string& name, const std::string& app) {
  const auto selector = cluster::PodSelector::of_labels({{"app", app}}, cluster.symbols());
  cluster.set_controller("ReplicaSet", metadata_of(name), selector);
}

/// A cluster filled with what is in another now, oldest first.
void fill(Cluster& fresh, const Cluster& lived, const Objects& objects) {
  for (const auto& [name, labels] : objects.namespaces) fresh.set_namespace(name, labels);
  for (const NodeId node : lived.nodes()) fresh.add_node(lived.node_object(node));
  for (const auto& [name, service] : objects.services) fresh.set_service(service);
  for (const auto& [name, app] : objects.replica_sets) set_replica_set(fresh, name, app);
  for (const auto& [name, budget] : objects.budgets) fresh.set_budget(budget, budget.disruptions_allowed.value_or(0));
  std::vector<PodId> pods;
  for (const NodeId node : lived.nodes()) {
    pods.insert(pods.end(), lived.pods_on(node).begin(), lived.pods_on(node).end());
  }
  for (const PodId pod : pods) {
    const kube::Pod& object = objects.pods.at(pod);
    const NodeId node = fresh.find_node(lived.node_name(lived.pod(pod).node));
    if (object.spec->node_name.empty()) {
      fresh.place(fresh.add_pod(object), node);
    } else {
      fresh.add_pod(object, node);
    }
  }
  for (const NodeId node : lived.nodes()) {
    for (const PodId pod : lived.nominated_to(node)) {
      fresh.nominate(fresh.add_pod(objects.pods.at(pod)), fresh.find_node(lived.node_name(node)));
    }
  }
}

/// Books of a node by names, which ids do not show in.
std::string books_of(const Cluster& cluster, NodeId node) {
  std::string text = std::string(cluster.node_name(node)) + ':';
  std::set<std::string> amounts;
  for (std::size_t i = 0; i < cluster.resources().size(); ++i) {
    const cluster::ResourceId resource{i};
    const std::string name(cluster.resources().name(resource));
    const std::int64_t requested = cluster.requested(node, resource);
    const std::int64_t offered = cluster.allocatable(node, resource);
    if (requested != 0 || offered != 0) {
      amounts.insert(' ' + name + ' ' + std::to_string(requested) + '/' + std::to_string(offered));
    }
  }
  for (const std::string& amount : amounts) text += amount;
  text += " nonzero " + std::to_string(cluster.nonzero_cpu(node)) + ' ' + std::to_string(cluster.nonzero_memory(node));
  text += cluster.has_host_ports(node) ? " ports" : "";
  for (const PodId pod : cluster.pods_on(node)) text += ' ' + cluster.pod_text(pod);
  for (const PodId pod : cluster.nominated_to(node)) text += " nominated " + cluster.pod_text(pod);
  for (const Symbol image : cluster.facts(node).images) {
    const cluster::ImageState& state = *cluster.image(image);
    text += " image " + std::to_string(state.bytes) + " on " + std::to_string(state.nodes);
  }
  return text;
}

/// A decision by names.
std::string text_of(const Cluster& cluster, const Decision& decision) {
  std::string text = decision.message;
  if (decision.attempt.scheduled()) text += "to " + std::string(cluster.node_name(decision.attempt.node));
  if (const Candidate* chosen = decision.preemption.chosen()) {
    text += " preempting on " + std::string(cluster.node_name(chosen->node));
    for (const PodId victim : chosen->victims) text += ' ' + cluster.pod_text(victim);
  }
  return text;
}

class History : public testing::PlacementFixture, public ::testing::WithParamInterface<int> {
 protected:
  History() : random_(static_cast<std::uint64_t>(GetParam()) + 77) {}

  NodeId any_node() { return cluster_.nodes()[random_.below(cluster_.node_count())]; }
  PodId any_placed() {
    std::vector<PodId> placed;
    for (const auto& [pod, object] : objects_.pods) {
      if (cluster_.pod(pod).node.valid()) placed.push_back(pod);
    }
    return placed.empty() ? PodId{} : placed[random_.below(placed.size())];
  }

  PodBuilder random_template(int number) {
    PodBuilder builder = random_.pod("t" + std::to_string(number));
    if (random_.chance(30)) builder.in("team");
    if (random_.chance(30)) builder.owned_by("ReplicaSet", random_.one_of({"rs1", "rs2"}));
    if (random_.chance(15)) {
      for (const char* name : {"first1", "first2", "first3"}) builder.requires_nodes(cluster::testing::named(name));
    }
    if (random_.chance(20)) {
      kube::PodAffinityTerm term = pods_with("app", random_.one_of({"web", "db"}), random_.one_of({kHostname, kZone}));
      term.namespace_selector = selecting("colour", "red");
      builder.prefers_away_from(50, term);
    }
    return builder;
  }

  // ---- pods --------------------------------------------------------------------------------------------------------

  void schedule() {
    PodBuilder builder = templates_[random_.below(templates_.size())];
    builder.pod().metadata.name = "p" + std::to_string(++made_);
    if (random_.chance(15)) builder.label("job", builder.pod().metadata.name);  // a shape of its own
    const PodId id = add(builder);
    objects_.pods[id] = builder.build();
    const Decision decision = decide(id);
    if (decision.attempt.scheduled()) {
      place(id, decision.attempt.node);
    } else if (decision.preemption.node.valid()) {
      cluster_.nominate(id, decision.preemption.node);
      for (const PodId victim : decision.preemption.chosen()->victims) remove(victim);
    } else {
      remove(id);
    }
  }

  void place(PodId pod, NodeId node) {
    cluster_.nominate(pod, NodeId{});
    cluster_.place(pod, node);
    const Instant now = Instant{} + Duration::seconds(++made_);
    cluster_.set_started(pod, now);
    objects_.pods[pod].status.start_time = now;
  }

  void remove(PodId pod) {
    cluster_.remove_pod(pod);
    objects_.pods.erase(pod);
  }

  /// What a watch says of a pod that runs.
  void update_pod(PodId pod) {
    kube::Pod& object = objects_.pods[pod];
    switch (random_.below(5)) {
      case 0:
        object.metadata.labels["app"] = random_.one_of({"web", "db", "train"});
        break;
      case 1: {
        kube::ContainerStatus status;
        status.name = "main";
        status.resources.emplace().requests["cpu"] = cluster::testing::quantity(random_.one_of({"50m", "2"}));
        object.status.container_statuses = {status};
        break;
      }
      case 2:
        object.metadata.deletion_timestamp = Instant{} + Duration::seconds(1);
        break;
      case 3: {
        kube::PodSpec bound = *object.spec;
        bound.node_name = cluster_.node_name(cluster_.pod(pod).node);
        object.spec = std::make_shared<const kube::PodSpec>(bound);
        break;
      }
      default:
        object.status.phase = kube::PodPhase::kRunning;  // which nothing reads
    }
    cluster_.update_pod(pod, object);
  }

  void happen_to_pods(std::uint64_t what) {
    const PodId pod = any_placed();
    if (what < 50 || !pod.valid()) {
      schedule();
    } else if (what < 65) {
      remove(pod);
    } else if (what < 85) {
      update_pod(pod);
    } else if (what < 90) {
      cluster_.set_terminating(pod, false);
      objects_.pods[pod].metadata.deletion_timestamp = Instant{};
    } else {
      serve_nominated();
    }
  }

  void serve_nominated() {
    for (const NodeId node : cluster_.nodes()) {
      if (cluster_.nominated_to(node).empty()) continue;
      const PodId pod = cluster_.nominated_to(node).front();
      const Decision decision = decide(pod);
      if (decision.attempt.scheduled()) return place(pod, decision.attempt.node);
      return remove(pod);
    }
  }

  // ---- nodes -------------------------------------------------------------------------------------------------------

  void happen_to_nodes(std::uint64_t what) {
    if (what < 25) {
      const std::string name = random_.chance(30) && !gone_.empty() ? gone_.back() : "n" + std::to_string(++made_);
      std::erase(gone_, name);
      add(random_.node(name));
    } else if (what < 45 && cluster_.node_count() > 2) {
      remove_node(any_node());
    } else {
      update_node(any_node());
    }
  }

  void remove_node(NodeId node) {
    gone_.emplace_back(cluster_.node_name(node));
    const std::vector<PodId> hopeful = cluster_.nominated_to(node);
    for (const PodId pod : hopeful) remove(pod);
    for (const PodId pod : cluster_.remove_node(node)) {
      EXPECT_FALSE(cluster_.pod(pod).node.valid());
      remove(pod);
    }
  }

  void update_node(NodeId id) {
    kube::Node node = cluster_.node_object(id);
    const kube::Node other = random_.node(node.metadata.name);
    switch (random_.below(8)) {
      case 0:
        node.metadata.labels = other.metadata.labels;
        break;
      case 1:
      case 2:
        relabel(node);
        break;
      case 3:
        node.taints = other.taints;
        break;
      case 4:
        node.allocatable = other.allocatable;
        break;
      case 5:
        node.images = {{{"model"}, static_cast<std::int64_t>(1 + random_.below(3)) << 29}};
        break;
      case 6:
        node.unschedulable = !node.unschedulable;
        break;
      default:
        heartbeat(id, node);
        return;
    }
    cluster_.update_node(id, node);
  }

  /// Domains of several nodes, of the empty text, and none.
  void relabel(kube::Node& node) {
    const std::string key = random_.one_of({kHostname, kZone});
    if (random_.chance(30)) {
      node.metadata.labels.erase(key);
    } else {
      node.metadata.labels[key] = random_.one_of({node.metadata.name, "shared", "", ""});
    }
  }

  /// Nothing that decisions read, so no change log lists it.
  void heartbeat(NodeId id, kube::Node node) {
    const auto mark = cluster_.changes().end();
    node.conditions = {{"Ready", "True", "KubeletReady", ""}};
    cluster_.update_node(id, node);
    EXPECT_EQ(cluster_.changes().end(), mark);
    EXPECT_EQ(cluster_.node_object(id).conditions.size(), 1U);
  }

  // ---- all else ----------------------------------------------------------------------------------------------------

  void happen_elsewhere() {
    const std::string name = random_.one_of({"one", "two"});
    const std::string replica_set = random_.one_of({"rs1", "rs2"});
    switch (random_.below(8)) {
      case 0: {
        const std::string space = random_.one_of({"default", "team"});
        objects_.namespaces[space] = {{"colour", random_.one_of({"red", "blue"})}};
        cluster_.set_namespace(space, objects_.namespaces[space]);
        break;
      }
      case 1:
        objects_.namespaces.erase("team");
        cluster_.remove_namespace("team");
        break;
      case 2: {
        kube::Service service;
        service.metadata = metadata_of(name);
        service.selector = {{"app", random_.one_of({"web", "db", "train"})}};
        objects_.services[name] = service;
        cluster_.set_service(service);
        break;
      }
      case 3:
        objects_.services.erase(name);
        cluster_.remove_service("default", name);
        break;
      case 4: {
        kube::PodDisruptionBudget& budget = objects_.budgets[name];
        budget.metadata = metadata_of(name);
        budget.selector = selecting("app", random_.one_of({"web", "db"}));
        budget.disruptions_allowed = static_cast<std::int32_t>(random_.below(2));
        cluster_.set_budget(budget, *budget.disruptions_allowed);
        break;
      }
      case 5:
        objects_.replica_sets[replica_set] = random_.one_of({"web", "db", "train"});
        set_replica_set(cluster_, replica_set, objects_.replica_sets[replica_set]);
        break;
      case 6:
        objects_.replica_sets.erase(replica_set);
        cluster_.remove_controller("ReplicaSet", "default", replica_set);
        break;
      default:
        objects_.budgets.erase(name);
        cluster_.remove_budget("default", name);
    }
  }

  void happen() {
    const std::uint64_t what = random_.below(100);
    if (what < 65) return happen_to_pods(random_.below(100));
    if (what < 88) return happen_to_nodes(random_.below(100));
    if (what < 96) return happen_elsewhere();
    scheduler().reclaim();
    EXPECT_EQ(cluster_.reclaimable(), 0U);
  }

  // ---- what must hold ----------------------------------------------------------------------------------------------

  void expect_counts_to_be_current() {
    for (std::size_t i = 0; i < cluster_.counter_slots(); ++i) {
      const cluster::CounterId id{i};
      const cluster::Counter again = cluster_.recount(id);
      EXPECT_EQ(cluster_.counter(id).pods, again.pods);
      EXPECT_EQ(cluster_.counter(id).nodes, again.nodes);
      EXPECT_EQ(cluster_.counter(id).total, again.total);
      EXPECT_EQ(cluster_.counter(id).domains, again.domains);
    }
    for (std::size_t i = 0; i < cluster_.affinity_term_count_slots(); ++i) {
      const cluster::AffinityTermCountId id{i};
      EXPECT_EQ(cluster_.affinity_term_count(id).pods, cluster_.recount(id).pods);
      EXPECT_EQ(cluster_.affinity_term_count(id).total, cluster_.recount(id).total);
    }
  }

  void expect_no_trace() {
    Cluster fresh;
    fill(fresh, cluster_, objects_);
    ASSERT_EQ(fresh.node_count(), cluster_.node_count());
    for (std::size_t i = 0; i < fresh.node_count(); ++i) {
      EXPECT_EQ(books_of(cluster_, cluster_.scan_order()[i]), books_of(fresh, fresh.scan_order()[i]));
    }
    EXPECT_EQ(cluster_.pod_count(), fresh.pod_count());
    Scheduler anew = Scheduler::make(fresh, engine::registry(), configuration_, extensions_).value();
    for (PodBuilder builder : templates_) {
      builder.pod().metadata.name = "asking";
      const PodId here = add(builder);
      const PodId there = fresh.add_pod(builder);
      const Decision quick = decide(here);
      EXPECT_EQ(text_of(cluster_, quick), text_of(fresh, anew.decide(there)));
      EXPECT_EQ(text_of(cluster_, quick), text_of(cluster_, decide(here, Detail::kFull)));
      cluster_.remove_pod(here);
      fresh.remove_pod(there);
    }
  }

  testing::RandomObjects random_;
  Objects objects_;
  std::vector<PodBuilder> templates_;
  std::vector<std::string> gone_;
  int made_ = 0;
};

TEST_P(History, LeavesNoTrace) {
  for (std::uint64_t i = 3 + random_.below(12); i > 0; --i) add(random_.node("first" + std::to_string(i)));
  for (int i = 0; i < 6; ++i) templates_.push_back(random_template(i));
  for (int i = 1; i <= 150 && !HasFailure(); ++i) {
    happen();
    if (i % 10 == 0) expect_no_trace();
    if (i % 10 == 5) expect_counts_to_be_current();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, History, ::testing::Range(0, 100));

class MemoryTest : public testing::PlacementFixture {};

/// How much an image is worth on a node depends on how many others have it: a node that changes concerns those, too.
TEST_F(MemoryTest, AnImageThatSpreadsIsWorthMoreWhereItWasBefore) {
  const NodeId plain = add(cluster::testing::node("plain"));
  const NodeId with_image = add(cluster::testing::node("with-image").image("model:latest", 600 << 20));
  const auto reserved = cluster::testing::node("reserved").taint("reserved", kube::TaintEffect::kNoSchedule);
  const NodeId other = add(reserved);
  const auto load = cluster::testing::pod("load").request("cpu", "1200m").request("memory", "4800Mi");
  cluster_.place(add(load), with_image);
  const auto asking = cluster::testing::pod("asking").image("model").request("cpu", "100m").request("memory", "400Mi");
  EXPECT_EQ(decide(asking).attempt.node, plain);
  cluster_.update_node(other, cluster::testing::NodeBuilder(reserved).image("model:latest", 600 << 20));
  EXPECT_EQ(decide(asking).attempt.node, with_image);
}

/// Jobs come and go, each with a label and an anti-affinity of its own, and so do nodes.
TEST_F(MemoryTest, WhatComesAndGoesLeavesNoMemoryBehind) {
  for (int i = 0; i < 4; ++i) add(cluster::testing::node("n" + std::to_string(i)).zone(i % 2 == 0 ? "a" : "b"));
  std::vector<std::size_t> sizes;
  for (int round = 0; round < 30; ++round) {
    std::vector<PodId> running;
    for (int i = 0; i < 20; ++i) {
      const std::string job = "job-" + std::to_string(round) + '-' + std::to_string(i);
      const PodId id = add(cluster::testing::pod(job)
                               .label("job", job)
                               .request("cpu", "100m")
                               .away_from(pods_with("job", job, kHostname)));
      const Decision decision = decide(id);
      ASSERT_TRUE(decision.attempt.scheduled());
      cluster_.place(id, decision.attempt.node);
      running.push_back(id);
    }
    for (const PodId pod : running) cluster_.remove_pod(pod);
    cluster_.remove_node(add(cluster::testing::node("late" + std::to_string(round)).zone("c")));
    scheduler().reclaim();
    sizes.push_back(cluster_.pod_slots() + cluster_.shape_slots() + cluster_.counter_slots() +
                    cluster_.affinity_term_count_slots() + cluster_.node_slots());
  }
  EXPECT_EQ(cluster_.pod_count(), 0U);
  EXPECT_EQ(cluster_.shape_count(), 0U);
  EXPECT_EQ(sizes.back(), sizes[5]);
}

}  // namespace
}  // namespace loadline::placement
