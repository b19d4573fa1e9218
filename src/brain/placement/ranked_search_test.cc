#include "brain/placement/ranked_search.h"

#include <algorithm>
#include <string>
#include <vector>

#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"
#include "foundation/base/rng.h"

namespace loadline::placement {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::PodBuilder;

/// A cluster that changes: pods of a few templates come in runs and interleaved, pods leave, nodes change. Whatever
/// happens, the decision that builds on earlier ones must be that which looks at every node anew.
class ChangingClusterTest : public testing::PlacementFixture, public ::testing::WithParamInterface<int> {
 protected:
  ChangingClusterTest() : random_(static_cast<std::uint64_t>(GetParam()) + 1) {}

  [[nodiscard]] NodeId any_node() { return NodeId{static_cast<std::size_t>(random_.below(cluster_.node_count()))}; }

  /// The decision, after comparing it with the one that looks at every node.
  Decision checked_decision(PodId id) {
    const Decision quick = decide(id);
    const Decision whole = decide(id, Detail::kFull);
    EXPECT_EQ(quick.attempt.node, whole.attempt.node) << pod_name(id);
    EXPECT_EQ(quick.attempt.by_nomination, whole.attempt.by_nomination) << pod_name(id);
    EXPECT_EQ(placement::text(quick), placement::text(whole)) << pod_name(id);
    EXPECT_EQ(quick.preemption.node, whole.preemption.node) << pod_name(id);
    if (!quick.attempt.scheduled()) {
      EXPECT_EQ(quick.attempt.rejections, whole.attempt.rejections) << pod_name(id);
      EXPECT_EQ(quick.preemption.rejections, whole.preemption.rejections) << pod_name(id);
      EXPECT_EQ(quick.attempt.rejecting_plugins, whole.attempt.rejecting_plugins) << pod_name(id);
      EXPECT_EQ(quick.attempt.wake_ups, whole.attempt.wake_ups) << pod_name(id);
    }
    return quick;
  }

  void schedule(const PodBuilder& builder) {
    const PodId id = add(builder);
    const Decision decision = checked_decision(id);
    if (decision.attempt.scheduled()) {
      cluster_.place(id, decision.attempt.node);
      cluster_.set_started(id, Instant{} + Duration::seconds(++now_));
      placed_.push_back(id);
    } else if (decision.preemption.node.valid() && random_.chance(70)) {
      preempt(id, decision.preemption);
    }
  }

  void preempt(PodId id, const Preemption& preemption) {
    cluster_.nominate(id, preemption.node);
    for (const PodId victim : preemption.chosen()->victims) {
      if (random_.chance(20)) {
        cluster_.set_terminating(victim, true);
      } else {
        remove(victim);
      }
    }
    nominated_.push_back(id);
  }

  void remove(PodId id) {
    std::erase(placed_, id);
    cluster_.remove_pod(id);
  }

  void happen() {
    const std::uint64_t what = random_.below(100);
    if (what < 10 && !placed_.empty()) {
      remove(placed_[random_.below(placed_.size())]);
    } else if (what < 13) {
      const NodeId changed = any_node();
      cluster_.update_node(changed, random_.node(std::string(cluster_.node_name(changed))));
    } else if (what < 15) {
      add(random_.node("late" + std::to_string(++now_)));
    } else if (what < 20 && !nominated_.empty()) {
      const PodId id = nominated_.back();
      nominated_.pop_back();
      const Decision decision = checked_decision(id);
      cluster_.nominate(id, NodeId{});
      if (!decision.attempt.scheduled()) return;
      cluster_.place(id, decision.attempt.node);
      placed_.push_back(id);
    } else if (what < 23 && !placed_.empty()) {
      cluster_.set_terminating(placed_[random_.below(placed_.size())], false);
    } else if (what < 24) {
      cluster_.set_namespace("default", {{"team", random_.one_of({"red", "blue"})}});
    } else {
      PodBuilder builder = templates_[random_.below(templates_.size())];
      for (std::uint64_t run = random_.chance(30) ? 1 + random_.below(12) : 1; run > 0; --run) {
        builder.pod().metadata.name = "p" + std::to_string(++now_);
        schedule(builder);
      }
    }
  }

  void live() {
    const std::size_t nodes = 3 + random_.below(20);
    for (std::size_t i = 0; i < nodes; ++i) add(random_.node("n" + std::to_string(i)));
    for (int i = 0; i < 8; ++i) templates_.push_back(random_.pod("t" + std::to_string(i)));
    for (int i = 0; i < 120 && !HasFailure(); ++i) happen();
    for (std::size_t i = 0; i < cluster_.counter_slots(); ++i) {
      const cluster::CounterId id{i};
      EXPECT_EQ(cluster_.counter(id).pods, cluster_.recount(id).pods);
      EXPECT_EQ(cluster_.counter(id).total, cluster_.recount(id).total);
    }
    for (std::size_t i = 0; i < cluster_.affinity_term_count_slots(); ++i) {
      const cluster::AffinityTermCountId id{i};
      EXPECT_EQ(cluster_.affinity_term_count(id).pods, cluster_.recount(id).pods);
    }
  }

  [[nodiscard]] std::string pod_name(PodId id) const { return cluster_.pod_name(id); }

  testing::RandomObjects random_;
  std::vector<PodBuilder> templates_;
  std::vector<PodId> placed_, nominated_;
  std::int64_t now_ = 0;
};

TEST_P(ChangingClusterTest, IsDecidedAsIfEveryNodeWereLookedAt) { live(); }

TEST_P(ChangingClusterTest, SoItIsWithOtherWeightsAndStrategies) {
  kube::SchedulerProfile& profile = configuration_.profiles[0];
  profile.args.fit.strategy = kube::ScoringStrategyType::kMostAllocated;
  profile.args.inter_pod_affinity.hard_pod_affinity_weight = 50;
  profile.plugins.score.enabled = {{"PodTopologySpread", 7}, {"ImageLocality", 3}};
  live();
}

/// Likes every node differently, and every pod likes others: to it no two nodes are of a kind.
class Fickle final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "Fickle"; }
  [[nodiscard]] Points points() const override { return Point::kScore; }
  void score(Cycle& cycle, std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    const cluster::PodRecord& record = cycle.record();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      std::uint64_t mixed =
          31 * record.uid + std::uint64_t{17} * nodes[i].value + cycle.cluster().pods_on(nodes[i]).size();
      scores[i] = static_cast<std::int64_t>(Rng(mixed).below(101));
    }
  }
};

class FickleSource final : public PluginSource {
 public:
  [[nodiscard]] std::string_view name() const override { return "Fickle"; }
  [[nodiscard]] Result<std::unique_ptr<Plugin>> make(const kube::SchedulerProfile&) const override {
    return std::make_unique<Fickle>();
  }
};

TEST_P(ChangingClusterTest, SoItIsWithAPluginThatIsNotBuiltIn) {
  extensions_.plugins.push_back(std::make_shared<FickleSource>());
  configuration_.profiles[0].plugins.score.enabled = {{"Fickle", 100}};
  live();
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChangingClusterTest, ::testing::Range(0, 60));

}  // namespace
}  // namespace loadline::placement
