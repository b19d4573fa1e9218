// A cluster that nodes and pods leave, change in and come back to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/facts/zone_labels.h"
#include "brain/cluster/testing/pod_builder.h"
#include "foundation/base/rng.h"

namespace loadline::cluster {
namespace {

using namespace testing;  // NOLINT: the fixtures' words
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> scanned(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const NodeId node : cluster.scan_order()) names.emplace_back(cluster.node_name(node));
  return names;
}

/// The counter of pods with the label app=web by zone.
CounterId count_web(Cluster& cluster) {
  const Symbol here = cluster.symbols().intern("default");
  const TermId term = cluster.intern(PodTerm{{here}, {}, PodSelector::of_labels({{"app", "web"}}, cluster.symbols())});
  return cluster.intern(
      CounterSpec{{term}, cluster.intern_topology_key(cluster.symbols().intern(kZoneLabel)), {}, false});
}

/// What the counter counts in a zone; -1: no node is there.
std::int32_t in_zone(const Cluster& cluster, CounterId id, const std::string& zone) {
  const TopologyKey& key = cluster.topology_key(cluster.counter(id).spec.key);
  const auto found = key.domains.find(cluster.symbols().find(zone));
  return found == key.domains.end() ? -1 : cluster.counter(id).pods[found->second.index()];
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

TEST(LifeTest, AHeartbeatIsNoChange) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n"));
  const auto mark = cluster.changes().end();
  kube::Node beating = node("n");
  beating.conditions = {{"Ready", "True", "KubeletReady", ""}};
  cluster.update_node(id, beating);
  EXPECT_EQ(cluster.changes().end(), mark);
  EXPECT_EQ(cluster.node_object(id).conditions.size(), 1U);
}

TEST(LifeTest, AChangeOfFactsConcernsTheOneNode) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n"));
  cluster.add_node(node("m"));
  for (const NodeBuilder& next : {node("n").cordoned(), node("n").taint("t", kube::TaintEffect::kNoSchedule),
                                  node("n").allocatable("cpu", "1"), node("n").label("disk", "ssd")}) {
    const auto mark = cluster.changes().end();
    const std::uint64_t matching = cluster.matching_version();
    cluster.update_node(id, next);
    const auto changes = cluster.changes().since(mark);
    ASSERT_TRUE(changes);
    EXPECT_THAT(std::vector<NodeId>(changes->begin(), changes->end()), ElementsAre(id));
    EXPECT_EQ(cluster.matching_version(), matching);
  }
}

TEST(LifeTest, AnnotationsAreForOthersToRead) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n"));
  const auto mark = cluster.changes().end();
  const std::uint64_t version = cluster.facts_version(id);
  kube::Node noted = node("n");
  noted.metadata.annotations["power"] = "400W";
  cluster.update_node(id, noted);
  EXPECT_EQ(cluster.changes().end(), mark);
  EXPECT_NE(cluster.facts_version(id), version);
}

TEST(LifeTest, PodsMoveFromDomainToDomainWithTheirNode) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").zone("a"));
  cluster.add_node(node("m").zone("b"));
  const CounterId counter = count_web(cluster);
  cluster.add_pod(pod("p").label("app", "web"), id);
  EXPECT_EQ(in_zone(cluster, counter, "a"), 1);
  cluster.update_node(id, node("n").zone("b"));
  EXPECT_EQ(in_zone(cluster, counter, "a"), -1);
  EXPECT_EQ(in_zone(cluster, counter, "b"), 1);
  EXPECT_EQ(cluster.counter(counter).domains, 1);
  cluster.update_node(id, node("n").zone("c"));  // where "a" was
  EXPECT_EQ(in_zone(cluster, counter, "b"), 0);
  EXPECT_EQ(in_zone(cluster, counter, "c"), 1);
  EXPECT_EQ(cluster.topology_key(cluster.counter(counter).spec.key).values.size(), 2U);
}

TEST(LifeTest, ANodeThatIsRemovedLeavesNothing) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").zone("a").image("nginx:1", 100));
  cluster.add_node(node("m").zone("b").image("nginx:1", 200));
  const CounterId counter = count_web(cluster);
  const PodId placed = cluster.add_pod(pod("p").label("app", "web").request("cpu", "1").host_port(80), id);
  const PodId hopeful = cluster.add_pod(pod("q"));
  cluster.nominate(hopeful, id);

  EXPECT_THAT(cluster.remove_node(id), ElementsAre(placed));
  EXPECT_FALSE(cluster.pod(placed).node.valid());
  EXPECT_FALSE(cluster.pod(hopeful).nominated.valid());
  EXPECT_THAT(cluster.nominated_nodes(), IsEmpty());
  EXPECT_EQ(cluster.node_count(), 1U);
  EXPECT_FALSE(cluster.find_node("n").valid());
  EXPECT_EQ(scanned(cluster), Strings{"m"});
  EXPECT_EQ(in_zone(cluster, counter, "a"), -1);
  EXPECT_EQ(cluster.counter(counter).total, 0);
  const ImageState& image = *cluster.image(cluster.symbols().find("nginx:1"));
  EXPECT_EQ(image.nodes, 1);
  EXPECT_EQ(image.bytes, 200);
}

TEST(LifeTest, ANodeComesBackAsTheYoungestInASlotThatIsFree) {
  Cluster cluster;
  const NodeId first = cluster.add_node(node("n").zone("a").allocatable("nvidia.com/gpu", "8"));
  const NodeId second = cluster.add_node(node("m").zone("a"));
  const PodId pod_id = cluster.add_pod(pod("p").request("cpu", "1"), first);
  cluster.remove_node(first);
  const std::uint64_t version = cluster.facts_version(first);
  const NodeId again = cluster.add_node(node("n").zone("a"));
  EXPECT_EQ(cluster.node_slots(), 2U);
  EXPECT_TRUE(cluster.older(second, again));
  EXPECT_EQ(scanned(cluster), (Strings{"m", "n"}));
  EXPECT_NE(cluster.facts_version(again), version);
  EXPECT_EQ(cluster.requested(again, kCpu), 0);
  EXPECT_EQ(cluster.allocatable(again, cluster.resources().find("nvidia.com/gpu")), 0);
  cluster.place(pod_id, again);
  EXPECT_EQ(cluster.requested(again, kCpu), 1000);
}

TEST(LifeTest, ANodeThatComesLastAndGoesConcernsNoOther) {
  Cluster cluster;
  for (const char* name : {"a1", "a2"}) cluster.add_node(node(name).zone("a"));
  const NodeId first_b = cluster.add_node(node("b1").zone("b"));
  EXPECT_EQ(scanned(cluster), (Strings{"a1", "b1", "a2"}));
  auto mark = cluster.changes().end();
  auto members = cluster.membership_changes().end();
  const NodeId late = cluster.add_node(node("b2").zone("b"));
  EXPECT_EQ(scanned(cluster), (Strings{"a1", "b1", "a2", "b2"}));
  cluster.remove_node(late);
  EXPECT_EQ(scanned(cluster), (Strings{"a1", "b1", "a2"}));
  ASSERT_TRUE(cluster.changes().since(mark).has_value());
  EXPECT_THAT(*cluster.changes().since(mark), Each(late));
  EXPECT_THAT(*cluster.membership_changes().since(members), ElementsAre(late, late));

  cluster.remove_node(first_b);  // a zone of its own by now
  EXPECT_TRUE(cluster.changes().since(mark).has_value());
  cluster.remove_node(cluster.find_node("a1"));
  EXPECT_EQ(scanned(cluster), Strings{"a2"});
  EXPECT_FALSE(cluster.changes().since(mark).has_value()) << "those behind it in its zone stand elsewhere";
  EXPECT_FALSE(cluster.membership_changes().since(members).has_value());
}

TEST(LifeTest, ScanOrderIsThatOfAClusterMadeAnew) {
  Rng random(4711);
  for (int history = 0; history < 200; ++history) {
    Cluster cluster;
    std::vector<NodeBuilder> there;
    for (int step = 0; step < 40; ++step) {
      if (there.empty() || random.below(100) < 60) {
        there.push_back(
            node("n" + std::to_string(step)).zone(std::string(1, static_cast<char>('a' + random.below(4)))));
        cluster.add_node(there.back());
      } else {
        const auto gone =
            there.end() - 1 - static_cast<std::ptrdiff_t>(random.below(std::min<std::size_t>(there.size(), 3)));
        cluster.remove_node(cluster.find_node(static_cast<const kube::Node&>(*gone).metadata.name));
        there.erase(gone);
      }
      if (random.below(100) < 30) continue;
      Cluster fresh;
      for (const NodeBuilder& each : there) fresh.add_node(each);
      ASSERT_EQ(scanned(cluster), scanned(fresh)) << history << ' ' << step;
    }
  }
}

// ---- pods -----------------------------------------------------------------------------------------------------------

TEST(LifeTest, AnUpdatedPodCountsAsWhatItIsNow) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").zone("a"));
  const CounterId counter = count_web(cluster);
  const PodId web = cluster.add_pod(pod("p").request("cpu", "1"), id);
  kube::Pod now = pod("p").request("cpu", "2").label("app", "web").priority(7).started(5);
  const auto mark = cluster.changes().end();
  cluster.update_pod(web, now);
  EXPECT_EQ(cluster.requested(id, kCpu), 2000);
  EXPECT_EQ(in_zone(cluster, counter, "a"), 1);
  EXPECT_EQ(cluster.pod(web).priority, 7);
  EXPECT_EQ(cluster.changes().end(), mark + 1);
  cluster.update_pod(web, now);
  EXPECT_EQ(cluster.changes().end(), mark + 1) << "the same again is no change";
}

TEST(LifeTest, WhatTheModelKnowsFirstOutlastsAnOlderNews) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n"));
  const PodId victim = cluster.add_pod(pod("p"), id);
  cluster.set_started(victim, Instant{} + Duration::seconds(3));
  cluster.set_terminating(victim, true);
  cluster.update_pod(victim, pod("p").label("app", "web"));
  EXPECT_TRUE(cluster.pod(victim).terminating);
  EXPECT_TRUE(cluster.pod(victim).terminating_by_preemption);
  EXPECT_EQ(cluster.pod(victim).started, Instant{} + Duration::seconds(3));
  EXPECT_EQ(cluster.pod(victim).node, id);
}

TEST(LifeTest, TheEchoOfABindingMakesNoShape) {
  Cluster cluster;
  const NodeId one = cluster.add_node(node("1"));
  const NodeId two = cluster.add_node(node("2"));
  const PodId first = cluster.add_pod(pod("p"));
  cluster.place(first, one);
  cluster.update_pod(first, pod("p").on_node("1"));
  const PodId second = cluster.add_pod(pod("q").on_node("2"), two);
  EXPECT_EQ(cluster.pod(first).shape, cluster.pod(second).shape);
  EXPECT_EQ(cluster.shape_count(), 1U);
}

TEST(LifeTest, IdsAreUsedAgainOnlyOnceTheyAreReclaimed) {
  Cluster cluster;
  const PodId first = cluster.add_pod(pod("p").label("job", "1"));
  const std::uint64_t uid = cluster.pod(first).uid;
  const ShapeId shape = cluster.pod(first).shape;
  cluster.remove_pod(first);
  cluster.remove_pod(first);  // once is enough
  EXPECT_EQ(cluster.pod_count(), 0U);
  EXPECT_EQ(cluster.reclaimable(), 2U);
  EXPECT_NE(cluster.add_pod(pod("q").label("job", "2")), first);
  cluster.reclaim();
  EXPECT_EQ(cluster.reclaimable(), 0U);
  EXPECT_FALSE(cluster.is_shape(shape));
  const PodId again = cluster.add_pod(pod("r").label("job", "3"));
  EXPECT_EQ(again, first);
  EXPECT_EQ(cluster.pod(again).shape, shape);
  EXPECT_GT(cluster.pod(again).uid, uid);
  EXPECT_EQ(cluster.pod_name(again), "r");
}

TEST(LifeTest, AShapeThatAPodComesBackToStays) {
  Cluster cluster;
  const PodId first = cluster.add_pod(pod("p"));
  const ShapeId shape = cluster.pod(first).shape;
  cluster.remove_pod(first);
  const PodId second = cluster.add_pod(pod("q"));
  cluster.reclaim();
  EXPECT_EQ(cluster.pod(second).shape, shape);
  EXPECT_TRUE(cluster.is_shape(shape));
}

TEST(LifeTest, ACounterThatIsAskedForStaysAndAnotherGoes) {
  Cluster cluster;
  const NodeId id = cluster.add_node(node("n").zone("a"));
  const CounterId kept = count_web(cluster);
  const TermId db = cluster.intern(
      PodTerm{{cluster.symbols().intern("default")}, {}, PodSelector::of_labels({{"app", "db"}}, cluster.symbols())});
  const CounterId dropped = cluster.intern(CounterSpec{{db}, cluster.counter(kept).spec.key, {}, false});
  cluster.reclaim();
  EXPECT_TRUE(cluster.is_counter(dropped)) << "it was asked for since the last time";
  EXPECT_EQ(count_web(cluster), kept);
  cluster.reclaim();
  EXPECT_TRUE(cluster.is_counter(kept));
  EXPECT_FALSE(cluster.is_counter(dropped));

  // Another takes its place: pods that are there already count.
  cluster.add_pod(pod("p").label("app", "cache"), id);
  const TermId cache = cluster.intern(PodTerm{
      {cluster.symbols().intern("default")}, {}, PodSelector::of_labels({{"app", "cache"}}, cluster.symbols())});
  const CounterId reused = cluster.intern(CounterSpec{{cache}, cluster.counter(kept).spec.key, {}, false});
  EXPECT_EQ(reused, dropped);
  EXPECT_EQ(cluster.counter(reused).total, 1);
  cluster.add_pod(pod("q").label("app", "cache"), id);
  EXPECT_EQ(cluster.counter(reused).total, 2);
}

// ---- namespaces, and what pods belong to ---------------------------------------------------------------------------

TEST(LifeTest, ANamespaceThatIsRemovedHasItsNameAsLabelToThoseLeftInIt) {
  Cluster cluster;
  cluster.set_namespace("team", {{"colour", "red"}});
  cluster.add_pod(pod("p").in("team"));
  cluster.remove_namespace("team");
  cluster.remove_namespace("never was");
  const LabelSet& labels = cluster.namespace_labels(cluster.symbols().find("team"));
  EXPECT_EQ(labels, LabelSet({{"kubernetes.io/metadata.name", "team"}}, cluster.symbols()));
}

kube::ObjectMeta metadata_of(const std::string& name) {
  kube::ObjectMeta metadata;
  metadata.name = name;
  metadata.namespace_ = "default";
  return metadata;
}

TEST(LifeTest, ARolloutConcernsOnlyThePodsThatBelongToSomethingElseNow) {
  Cluster cluster;
  const ShapeId shape =
      cluster.pod(cluster.add_pod(pod("p").label("app", "web").owned_by("ReplicaSet", "web-1"))).shape;
  EXPECT_TRUE(cluster.owner_selector(shape).empty());
  const auto select = [&](const std::string& value) {
    return PodSelector::of_labels({{"hash", value}}, cluster.symbols());
  };
  std::uint64_t version = cluster.matching_version();
  cluster.set_controller("ReplicaSet", metadata_of("web-2"), select("2"));  // no pod belongs to it yet
  EXPECT_EQ(cluster.matching_version(), version);
  cluster.set_controller("ReplicaSet", metadata_of("web-1"), select("1"));
  EXPECT_NE(cluster.matching_version(), version);
  EXPECT_EQ(cluster.owner_selector(shape), select("1"));
  version = cluster.matching_version();
  cluster.set_controller("ReplicaSet", metadata_of("web-1"), select("1"));  // its status, say
  EXPECT_EQ(cluster.matching_version(), version);
  cluster.remove_controller("ReplicaSet", "default", "web-1");
  EXPECT_TRUE(cluster.owner_selector(shape).empty());
}

TEST(LifeTest, AServiceIsReplacedByName) {
  Cluster cluster;
  const ShapeId shape = cluster.pod(cluster.add_pod(pod("p").label("app", "web"))).shape;
  kube::Service service;
  service.metadata = metadata_of("s");
  service.selector = {{"app", "web"}};
  cluster.set_service(service);
  EXPECT_FALSE(cluster.owner_selector(shape).empty());
  service.selector = {{"app", "db"}};
  cluster.set_service(service);
  EXPECT_TRUE(cluster.owner_selector(shape).empty());
  service.selector = {{"app", "web"}};
  cluster.set_service(service);
  EXPECT_FALSE(cluster.owner_selector(shape).empty());
  cluster.remove_service("default", "s");
  EXPECT_TRUE(cluster.owner_selector(shape).empty());
}

TEST(LifeTest, ABudgetIsReplacedByName) {
  Cluster cluster;
  kube::PodDisruptionBudget budget;
  budget.metadata = metadata_of("b");
  cluster.set_budget(budget, 1);
  const std::uint64_t version = cluster.budget_version();
  cluster.set_budget(budget, 1);
  EXPECT_EQ(cluster.budget_version(), version);
  cluster.set_budget(budget, 2);
  ASSERT_EQ(cluster.budgets().size(), 1U);
  EXPECT_EQ(cluster.budgets()[0].allowed, 2);
  cluster.remove_budget("default", "b");
  EXPECT_THAT(cluster.budgets(), IsEmpty());
}

}  // namespace
}  // namespace loadline::cluster
