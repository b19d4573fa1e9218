#include "brain/cluster/cluster.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/pod_builder.h"

namespace loadline::cluster {
namespace {

using namespace testing;  // NOLINT: the fixtures' words

// ---- nodes ----------------------------------------------------------------------------------------------------------

std::vector<std::string> scan(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeId node : cluster.scan_order()) names.emplace_back(cluster.node_name(node));
  return names;
}

TEST(ClusterTest, NodesAreScannedZoneByZoneInTurn) {
  Cluster cluster;
  cluster.add_node(node("a1").zone("a"));
  cluster.add_node(node("a2").zone("a"));
  cluster.add_node(node("none"));
  cluster.add_node(node("b1").zone("b"));
  cluster.add_node(node("a3").zone("a"));
  cluster.add_node(node("b2").zone("b"));
  EXPECT_EQ(scan(cluster), (Strings{"a1", "none", "b1", "a2", "b2", "a3"}));
  cluster.add_node(node("other-a").zone("a").region("r"));  // the same zone name in a region is another zone
  EXPECT_EQ(scan(cluster), (Strings{"a1", "none", "b1", "other-a", "a2", "b2", "a3"}));
}

TEST(ClusterTest, TheDeprecatedZoneLabelsComeFirst) {
  Cluster cluster;
  cluster.add_node(node("1").zone("a"));
  cluster.add_node(node("2").zone("a"));
  cluster.add_node(node("3").zone("b").label("failure-domain.beta.kubernetes.io/zone", "a"));
  cluster.add_node(node("4").zone("b"));
  EXPECT_EQ(scan(cluster), (Strings{"1", "4", "2", "3"}));
}

TEST(ClusterTest, AnImageIsAsLargeAsTheFirstNodeSays) {
  Cluster cluster;
  cluster.add_node(node("1").image("nginx:1", 100));
  cluster.add_node(node("2").image("nginx:1", 999).image("nginx:1", 5).image("redis:7", 7));
  const Symbol nginx = cluster.symbols().find("nginx:1");
  ASSERT_NE(cluster.image(nginx), nullptr);
  EXPECT_EQ(cluster.image(nginx)->bytes, 100);
  EXPECT_EQ(cluster.image(nginx)->nodes, 2);
  EXPECT_EQ(cluster.image(cluster.symbols().find("redis:7"))->nodes, 1);
  EXPECT_EQ(cluster.image(cluster.symbols().intern("unknown")), nullptr);
}

TEST(ClusterTest, ANodeIsFoundByNameAndShowsWhatItOffers) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").allocatable("cpu", "2500m").allocatable("nvidia.com/gpu", "8"));
  EXPECT_EQ(cluster.find_node("n"), id);
  EXPECT_FALSE(cluster.find_node("m").valid());
  EXPECT_EQ(cluster.allocatable(id, kCpu), 2500);
  EXPECT_EQ(cluster.allocatable(id, cluster.resources().find("nvidia.com/gpu")), 8);
  EXPECT_EQ(cluster.allowed_pods(id), 110);
  const NodeId later = cluster.add_node(node("later"));
  EXPECT_EQ(cluster.allocatable(later, cluster.resources().find("nvidia.com/gpu")), 0);
}

TEST(ClusterTest, AnUpdatedNodeIsAsIfItHadAlwaysBeenSo) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").zone("a").allocatable("nvidia.com/gpu", "8").image("nginx:1", 3));
  cluster.add_node(node("m").zone("a"));
  cluster.add_node(node("o").zone("b"));
  const PodId placed =
      cluster.add_pod(pod("p").label("app", "web").away_from(pods_with("app", "web", "topology.kubernetes.io/zone")));
  cluster.place(placed, id);
  cluster.update_node(id, node("n").zone("b").allocatable("cpu", "8").cordoned());
  EXPECT_EQ(cluster.allocatable(id, cluster.resources().find("nvidia.com/gpu")), 0);
  EXPECT_EQ(cluster.allocatable(id, kCpu), 8000);
  EXPECT_TRUE(cluster.facts(id).unschedulable);
  EXPECT_EQ(cluster.image(cluster.symbols().find("nginx:1")), nullptr);
  EXPECT_EQ(scan(cluster), (Strings{"n", "m", "o"}));
  const AffinityTermCountId affinity_term_count =
      cluster.matching_affinity_term_counts(cluster.pod(placed).shape).at(0);
  const TopologyKey& zones = cluster.topology_key(cluster.affinity_term_count(affinity_term_count).spec.key);
  EXPECT_EQ(
      cluster.affinity_term_count(affinity_term_count).pods.at(zones.domain_of[cluster.find_node("o").index()].index()),
      1);
  EXPECT_EQ(
      cluster.affinity_term_count(affinity_term_count).pods.at(zones.domain_of[cluster.find_node("m").index()].index()),
      0);
}

// ---- pods -----------------------------------------------------------------------------------------------------------

TEST(ClusterTest, PodsThatNothingTellsApartShareAShape) {
  Cluster cluster;
  const PodId one = cluster.add_pod(pod("one").request("cpu", "1"));
  const PodId two = cluster.add_pod(pod("two").request("cpu", "1").priority(5));
  const PodId three = cluster.add_pod(pod("three").request("cpu", "2"));
  EXPECT_EQ(cluster.pod(one).shape, cluster.pod(two).shape);
  EXPECT_NE(cluster.pod(one).shape, cluster.pod(three).shape);
  EXPECT_EQ(cluster.shape_count(), 2U);
  EXPECT_LT(cluster.pod(one).uid, cluster.pod(two).uid);
}

TEST(ClusterTest, ARecordRemembersWhatPreemptionReads) {
  Cluster cluster;
  PodBuilder builder = pod("p").priority(7).never_preempts().started(60).deleted_at(90);
  builder.pod().status.conditions.push_back({"DisruptionTarget", "True", "PreemptionByScheduler", ""});
  const PodRecord& record = cluster.pod(cluster.add_pod(builder));
  EXPECT_EQ(record.priority, 7);
  EXPECT_EQ(record.preemption_policy, kube::PreemptionPolicy::kNever);
  EXPECT_EQ(record.started, Instant{} + Duration::seconds(60));
  EXPECT_TRUE(record.terminating);
  EXPECT_TRUE(record.terminating_by_preemption);
  const PodRecord& plain = cluster.pod(cluster.add_pod(pod("q")));
  EXPECT_EQ(plain.priority, 0);
  EXPECT_FALSE(plain.started);
  EXPECT_FALSE(plain.terminating);
}

TEST(ClusterTest, NominationsAreKeptInOrderAndMoveWithThePod) {
  Cluster cluster;
  const NodeId one = cluster.add_node(node("1"));
  const NodeId two = cluster.add_node(node("2"));
  const PodId a = cluster.add_pod(pod("a"));
  const PodId b = cluster.add_pod(pod("b"));
  cluster.nominate(b, one);
  cluster.nominate(a, one);
  EXPECT_EQ(cluster.nominated_to(one), (std::vector<PodId>{b, a}));
  cluster.nominate(b, two);
  EXPECT_EQ(cluster.nominated_to(one), std::vector<PodId>{a});
  EXPECT_EQ(cluster.nominated_to(two), std::vector<PodId>{b});
  cluster.remove_pod(a);
  EXPECT_TRUE(cluster.nominated_to(one).empty());
}

TEST(ClusterTest, ANamespaceWithoutAnObjectHasItsNameAsLabel) {
  Cluster cluster;
  cluster.add_pod(pod("p").in("quiet"));
  const LabelSet& labels = cluster.namespace_labels(cluster.symbols().find("quiet"));
  EXPECT_EQ(labels, LabelSet({{"kubernetes.io/metadata.name", "quiet"}}, cluster.symbols()));
}

TEST(ClusterTest, RelabellingANamespaceMovesItsPodsInAndOutOfCounts) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n"));
  kube::PodAffinityTerm term = pods_with("app", "web", "kubernetes.io/hostname");
  term.namespace_selector = selecting("team", "ml");
  const PodId asker = cluster.add_pod(pod("asker").near(term));
  const AffinityTerm& compiled = cluster.shape_of(asker).required_affinity.at(0);
  const CounterId counter = cluster.intern(CounterSpec{{compiled.term}, compiled.key, {}, false});
  cluster.place(cluster.add_pod(pod("p").in("team-a").label("app", "web")), id);
  EXPECT_EQ(cluster.counter(counter).total, 0);
  cluster.set_namespace("team-a", {{"team", "ml"}});
  EXPECT_EQ(cluster.counter(counter).total, 1);
  cluster.set_namespace("team-a", {});
  EXPECT_EQ(cluster.counter(counter).total, 0);
}

// ---- owners ---------------------------------------------------------------------------------------------------------

TEST(ClusterTest, APodBelongsToItsServicesAndItsController) {
  Cluster cluster;
  kube::Service service;
  service.metadata.name = service.metadata.namespace_ = "default";
  service.selector = {{"app", "web"}};
  cluster.change_owners().add_service(service);
  const PodId web = cluster.add_pod(pod("p").label("app", "web").owned_by("ReplicaSet", "web-1"));
  const PodId lone = cluster.add_pod(pod("q").label("app", "db"));
  EXPECT_TRUE(cluster.owner_selector(cluster.pod(lone).shape).empty());
  EXPECT_EQ(cluster.owner_selector(cluster.pod(web).shape),
            PodSelector::of_labels({{"app", "web"}}, cluster.symbols()));

  kube::ObjectMeta metadata;
  metadata.name = "web-1";
  metadata.namespace_ = "default";
  cluster.change_owners().add_controller("ReplicaSet", metadata,
                                         PodSelector::of_labels({{"hash", "1"}}, cluster.symbols()));
  EXPECT_EQ(cluster.owner_selector(cluster.pod(web).shape),
            PodSelector::of_labels({{"app", "web"}, {"hash", "1"}}, cluster.symbols()));
}

// ---- contracts ------------------------------------------------------------------------------------------------------

TEST(ClusterDeathTest, WhatIsNotUndoneIsNotToldInATransaction) {
  Cluster cluster;
  kube::PodGroup group;
  group.metadata.namespace_ = "default";
  group.metadata.name = "train";
  cluster.set_pod_group(group);
  const GroupId id = cluster.find_group("default", "train");
  const Transaction transaction(cluster, Visibility::kSeen);
  const auto dies = [](auto&& change) { EXPECT_DEATH(change(), "contract violated"); };
  dies([&] { cluster.set_pod_group(group); });
  dies([&] { cluster.remove_pod_group("default", "train"); });
  dies([&] { cluster.set_group_started(id); });
  dies([&] { cluster.set_namespace("default", {}); });
  dies([&] { cluster.remove_namespace("default"); });
  dies([&] { cluster.set_service({}); });
  dies([&] { cluster.remove_service("default", "web"); });
  dies([&] { cluster.set_controller("ReplicaSet", {}, PodSelector::everything()); });
  dies([&] { cluster.remove_controller("ReplicaSet", "default", "web"); });
  dies([&] { static_cast<void>(cluster.change_owners()); });
  dies([&] { cluster.set_budget({}, 1); });
  dies([&] { cluster.remove_budget("default", "web"); });
  dies([&] { cluster.set_budgets({}); });
}

// ---- properties -----------------------------------------------------------------------------------------------------

constexpr std::size_t kNodes = 5;
constexpr int kTemplates = 6;

/// Everything of a cluster that placements change.
struct Books {
  std::vector<std::vector<PodId>> pods_on, nominated_to;
  std::vector<std::vector<std::int64_t>> requested;
  std::vector<std::int64_t> nonzero_cpu, nonzero_memory;
  std::vector<bool> ports;
  std::vector<std::vector<std::int32_t>> counters, affinity_term_counts;
  std::vector<std::int64_t> totals;
  std::vector<NodeId> places;
  bool operator==(const Books&) const = default;
};

/// A cluster with the constraints that keep counts busy, and the counters that plugins would ask for.
class Playground {
 public:
  Playground() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      NodeBuilder builder = node("n" + std::to_string(i));
      if (i < 4) builder.zone(i % 2 == 0 ? "a" : "b");  // the last node has no zone
      if (i == 1) builder.taint("dedicated", kube::TaintEffect::kNoSchedule);
      cluster.add_node(builder);
    }
    for (int i = 0; i < kTemplates; ++i) add(i);
    const TopologyKeyId zone = cluster.intern_topology_key(cluster.symbols().intern("topology.kubernetes.io/zone"));
    NodeFilter tolerable;
    tolerable.required_keys = {zone};
    tolerable.tolerations.emplace();
    const NodeFilterId filter = cluster.intern(tolerable);
    const Symbol here = cluster.symbols().intern("default");
    for (const char* app : {"web", "db"}) {
      const TermId term =
          cluster.intern(PodTerm{{here}, {}, PodSelector::of_labels({{"app", app}}, cluster.symbols())});
      for (const TopologyKeyId key : {zone, kEachNode}) {
        counters.push_back(cluster.intern(CounterSpec{{term}, key, {}, false}));
        counters.push_back(cluster.intern(CounterSpec{{term}, key, {}, true}));
      }
      counters.push_back(cluster.intern(CounterSpec{{term}, zone, filter, true}));
    }
    counters.push_back(cluster.intern(CounterSpec{{}, zone, filter, true}));
  }

  PodId add(int of_template) {
    const std::string name = "p" + std::to_string(pods.size());
    PodBuilder builder =
        pod(name).label("app", of_template % 2 == 0 ? "web" : "db").request("cpu", std::to_string(of_template % 3));
    const char* zone = "topology.kubernetes.io/zone";
    if (of_template == 1) builder.near(pods_with("app", "web", zone)).host_port(80);
    if (of_template == 2) builder.away_from(pods_with("app", "web", zone)).request("nvidia.com/gpu", "1");
    if (of_template == 3) builder.prefers_near(3, pods_with("app", "db", "kubernetes.io/hostname"));
    if (of_template == 4) builder.prefers_away_from(9, pods_with("app", "web", zone)).in("other");
    pods.push_back(cluster.add_pod(builder));
    removed.push_back(false);
    return pods.back();
  }

  [[nodiscard]] Books books() const {
    Books books;
    for (std::size_t i = 0; i < cluster.node_count(); ++i) {
      const NodeId id{i};
      books.pods_on.push_back(cluster.pods_on(id));
      books.nominated_to.push_back(cluster.nominated_to(id));
      auto& requested = books.requested.emplace_back();
      for (std::size_t r = 0; r < cluster.resources().size(); ++r)
        requested.push_back(cluster.requested(id, ResourceId{r}));
      books.nonzero_cpu.push_back(cluster.nonzero_cpu(id));
      books.nonzero_memory.push_back(cluster.nonzero_memory(id));
      books.ports.push_back(cluster.has_host_ports(id));
    }
    for (const CounterId id : counters) {
      books.counters.push_back(cluster.counter(id).pods);
      books.totals.push_back(cluster.counter(id).total);
    }
    for (const AffinityTermCountId id : affinity_term_counts()) {
      books.affinity_term_counts.push_back(cluster.affinity_term_count(id).pods);
      books.totals.push_back(cluster.affinity_term_count(id).total);
    }
    for (const PodId id : pods) books.places.push_back(cluster.pod(id).node);
    return books;
  }

  /// Every affinity term count: of the templates of pods exactly four carry a term, each another one.
  static std::vector<AffinityTermCountId> affinity_term_counts() {
    return {AffinityTermCountId{0}, AffinityTermCountId{1}, AffinityTermCountId{2}, AffinityTermCountId{3}};
  }

  /// What the books should say, from the pods on the nodes alone.
  void check_sums() const {
    for (std::size_t i = 0; i < cluster.node_count(); ++i) {
      const NodeId id{i};
      std::vector<std::int64_t> requested(cluster.resources().size());
      std::int64_t cpu = 0, memory = 0;
      bool ports = false;
      for (const PodId pod : cluster.pods_on(id)) {
        RC_ASSERT(cluster.pod(pod).node == id);
        const PodShape& shape = cluster.shape_of(pod);
        for (const ResourceAmount& entry : shape.usage) requested[entry.resource.index()] += entry.amount;
        cpu += shape.nonzero_cpu;
        memory += shape.nonzero_memory;
        ports = ports || !shape.host_ports.empty();
      }
      for (std::size_t r = 0; r < requested.size(); ++r) {
        RC_ASSERT(cluster.requested(id, ResourceId{r}) == requested[r]);
      }
      RC_ASSERT(cluster.nonzero_cpu(id) == cpu);
      RC_ASSERT(cluster.nonzero_memory(id) == memory);
      RC_ASSERT(cluster.has_host_ports(id) == ports);
    }
  }

  void check_counts() const {
    for (const CounterId id : counters) {
      const Counter again = cluster.recount(id);
      RC_ASSERT(cluster.counter(id).pods == again.pods);
      RC_ASSERT(cluster.counter(id).nodes == again.nodes);
      RC_ASSERT(cluster.counter(id).total == again.total);
      RC_ASSERT(cluster.counter(id).domains == again.domains);
      RC_ASSERT(again.total == independent_total(id));
    }
    for (const AffinityTermCountId id : affinity_term_counts()) {
      RC_ASSERT(cluster.affinity_term_count(id).pods == cluster.recount(id).pods);
      RC_ASSERT(cluster.affinity_term_count(id).total == cluster.recount(id).total);
    }
  }

  Cluster cluster;
  std::vector<PodId> pods;
  std::vector<bool> removed;
  std::vector<CounterId> counters;

 private:
  /// The counter's total from pods, terms and filter, without the links that recount() shares with counting.
  [[nodiscard]] std::int64_t independent_total(CounterId id) const {
    const CounterSpec& spec = cluster.counter(id).spec;
    std::int64_t total = 0;
    for (const PodId pod : pods) {
      const PodRecord& record = cluster.pod(pod);
      if (!record.node.valid() || spec.all_of.empty()) continue;
      if (!cluster.topology_key(spec.key).domain_of[record.node.index()].valid()) continue;
      if (spec.skip_terminating && record.terminating) continue;
      if (spec.filter.valid() && !cluster.filtered_nodes(spec.filter).contains(record.node)) continue;
      if (cluster.matches(spec.all_of[0], cluster.shape_of(pod))) ++total;
    }
    return total;
  }
};

/// One random change of what is placed; those that make no sense for the pod are passed over.
template <class Place, class Unplace>
void move_some_pod(const Playground& ground, const Place& place, const Unplace& unplace) {
  const std::size_t index = *rc::gen::inRange<std::size_t>(0, ground.pods.size());
  if (ground.removed[index]) return;
  if (ground.cluster.pod(ground.pods[index]).node.valid()) {
    unplace(ground.pods[index]);
  } else {
    place(ground.pods[index], NodeId{*rc::gen::inRange<std::size_t>(0, ground.cluster.node_count())});
  }
}

void change_something(Playground& ground) {
  Cluster& cluster = ground.cluster;
  const std::size_t index = *rc::gen::inRange<std::size_t>(0, ground.pods.size());
  const PodId pod = ground.pods[index];
  switch (*rc::gen::inRange(0, 8)) {
    case 0:
      ground.add(*rc::gen::inRange(0, kTemplates));
      break;
    case 1:
      cluster.remove_pod(pod);
      ground.removed[index] = true;
      break;
    case 2:
      if (!ground.removed[index]) cluster.set_terminating(pod, true);
      break;
    case 3:
      if (!ground.removed[index]) cluster.nominate(pod, NodeId{*rc::gen::inRange<std::size_t>(0, kNodes)});
      break;
    default:
      move_some_pod(ground, [&](PodId p, NodeId n) { cluster.place(p, n); }, [&](PodId p) { cluster.unplace(p); });
  }
}

RC_GTEST_PROP(ClusterProperty, BooksEqualTheSumsOverThePodsOnEachNode, ()) {
  Playground ground;
  for (int steps = *rc::gen::inRange(0, 40); steps > 0; --steps) change_something(ground);
  ground.check_sums();
  ground.check_counts();
}

RC_GTEST_PROP(ClusterProperty, BooksStayTrueWhenNodesComeAndChange, ()) {
  Playground ground;
  for (int steps = *rc::gen::inRange(0, 20); steps > 0; --steps) change_something(ground);
  ground.cluster.add_node(node("late").zone(*rc::gen::element<std::string>("a", "c")));
  const NodeId changed{*rc::gen::inRange<std::size_t>(0, kNodes)};
  ground.cluster.update_node(changed, node("n" + std::to_string(changed.index())).zone("c"));
  for (int steps = *rc::gen::inRange(0, 20); steps > 0; --steps) change_something(ground);
  ground.check_sums();
  ground.check_counts();
}

RC_GTEST_PROP(ClusterProperty, ARolledBackTransactionLeavesNoTrace, ()) {
  Playground ground;
  for (int steps = *rc::gen::inRange(0, 25); steps > 0; --steps) change_something(ground);
  const Books before = ground.books();
  {
    Transaction transaction(ground.cluster);
    for (int steps = *rc::gen::inRange(0, 25); steps > 0; --steps) {
      move_some_pod(
          ground, [&](PodId p, NodeId n) { ground.cluster.place(p, n); }, [&](PodId p) { ground.cluster.unplace(p); });
    }
    ground.check_sums();
    ground.check_counts();
  }
  RC_ASSERT(ground.books() == before);
}

RC_GTEST_PROP(ClusterProperty, ACommittedTransactionStays, ()) {
  Playground ground;
  for (int steps = *rc::gen::inRange(0, 10); steps > 0; --steps) change_something(ground);
  Books after;
  {
    Transaction transaction(ground.cluster);
    for (int steps = *rc::gen::inRange(0, 10); steps > 0; --steps) {
      move_some_pod(
          ground, [&](PodId p, NodeId n) { ground.cluster.place(p, n); }, [&](PodId p) { ground.cluster.unplace(p); });
    }
    after = ground.books();
    transaction.commit();
  }
  RC_ASSERT(ground.books() == after);
}

RC_GTEST_PROP(ClusterProperty, ACounterMadeLateCountsAsIfItHadAlwaysBeenThere, ()) {
  Playground ground;
  for (int steps = *rc::gen::inRange(0, 25); steps > 0; --steps) change_something(ground);
  const TopologyKeyId fresh =
      ground.cluster.intern_topology_key(ground.cluster.symbols().intern("kubernetes.io/hostname"));
  const TermId term = ground.cluster.counter(ground.counters[0]).spec.all_of[0];
  ground.counters.push_back(ground.cluster.intern(CounterSpec{{term}, fresh, {}, true}));
  ground.check_counts();
  for (int steps = *rc::gen::inRange(0, 10); steps > 0; --steps) change_something(ground);
  ground.check_counts();
}

}  // namespace
}  // namespace loadline::cluster
