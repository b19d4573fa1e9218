// Whether the search finds a placement wherever there is one, and never says that there is none then: against searches
// that are written apart from it, on random small clusters. LOADLINE_GROUP_SEARCH_CASES runs more cases of each kind,
// LOADLINE_GROUP_SEARCH_FIRST_CASE other ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/cluster/testing/node_builder.h"
#include "brain/gang/place.h"
#include "brain/gang/search/group_search.h"
#include "brain/gang/testing/random_cases.h"
#include "brain/placement/testing/placement_fixture.h"
#include "brain/placement/testing/random_objects.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::PodBuilder;

using testing::run_cases;
using testing::Told;

// ---- members that mind each other: the rules written once more ------------------------------------------------------

constexpr const char* kRackLabel = "rack";
constexpr const char* kZoneLabel = "topology.kubernetes.io/zone";
constexpr const char* kHostLabel = "kubernetes.io/hostname";
constexpr std::array kLevels = {kHostLabel, kRackLabel, kZoneLabel};

struct Rule {
  int color = 0;
  std::size_t level = 0;  // of kLevels
  int skew = 0;           // of a spread
};

struct RuleKind {
  int count = 1;
  int cpu = 0, gpu = 0;
  int zone = -1;  // the one it selects
  int color = 0;
  int port = 0;
  std::optional<Rule> affinity, anti_affinity, spread;
};

struct RuleNode {
  int cpu = 0, gpu = 0, pods = 0;
  std::array<int, 3> domains{};  // by level
};

struct RuleCase {
  std::vector<RuleKind> kinds;  // the last `existing` of them are there already, one pod each
  std::vector<std::size_t> existing_on;
  std::vector<RuleNode> nodes;
  int least = 1;
  std::optional<std::pair<int, int>> part;  // of the color so many
  [[nodiscard]] std::size_t waiting() const { return kinds.size() - existing_on.size(); }
};

/// Tries everything that can be done one after another; only what leads to the same places is not tried twice.
class RuleSearch {
 public:
  explicit RuleSearch(const RuleCase& rules)
      : rules_(rules), on_(rules.kinds.size() * rules.nodes.size(), '\0'), placed_(rules.kinds.size()) {
    for (std::size_t i = 0; i < rules.existing_on.size(); ++i) {
      const std::size_t kind = rules.waiting() + i;
      on(kind, rules.existing_on[i]) = 1;
      placed_[kind] = 1;
    }
  }

  /// nullopt: there is too much to try.
  std::optional<bool> has_placement() {
    const bool found = search();
    if (seen_.size() >= kMostStates && !found) return std::nullopt;
    return found;
  }

  bool fits(std::size_t kind, std::size_t node) const;

 private:
  static constexpr std::size_t kMostStates = 2'000'000;

  char& on(std::size_t kind, std::size_t node) { return on_[kind * rules_.nodes.size() + node]; }
  [[nodiscard]] int on(std::size_t kind, std::size_t node) const { return on_[kind * rules_.nodes.size() + node]; }

  bool search() {
    if (suffices()) return true;
    if (seen_.size() >= kMostStates || !seen_.insert(on_).second) return false;
    for (std::size_t k = 0; k < rules_.waiting(); ++k) {
      if (placed_[k] == rules_.kinds[k].count) continue;
      for (std::size_t n = 0; n < rules_.nodes.size(); ++n) {
        if (!fits(k, n)) continue;
        ++on(k, n);
        ++placed_[k];
        const bool found = search();
        --on(k, n);
        --placed_[k];
        if (found) return true;
      }
    }
    return false;
  }

  [[nodiscard]] bool suffices() const {
    int all = 0;
    int of_part = 0;
    for (std::size_t k = 0; k < rules_.waiting(); ++k) {
      all += placed_[k];
      if (rules_.part && rules_.kinds[k].color == rules_.part->first) of_part += placed_[k];
    }
    return all >= rules_.least && (!rules_.part || of_part >= rules_.part->second);
  }

  /// Pods of the color in the node's domain of the level; only on nodes of the zone, if it is one.
  [[nodiscard]] int count(int color, std::size_t level, std::size_t node, int zone = -1) const {
    int sum = 0;
    for (std::size_t n = 0; n < rules_.nodes.size(); ++n) {
      if (rules_.nodes[n].domains[level] != rules_.nodes[node].domains[level]) continue;
      if (zone >= 0 && rules_.nodes[n].domains[2] != zone) continue;
      for (std::size_t k = 0; k < rules_.kinds.size(); ++k) sum += rules_.kinds[k].color == color ? on(k, n) : 0;
    }
    return sum;
  }

  [[nodiscard]] bool has_room(const RuleKind& kind, std::size_t node) const {
    int cpu = kind.cpu;
    int gpu = kind.gpu;
    int pods = 1;
    for (std::size_t k = 0; k < rules_.kinds.size(); ++k) {
      const RuleKind& other = rules_.kinds[k];
      cpu += other.cpu * on(k, node);
      gpu += other.gpu * on(k, node);
      pods += on(k, node);
      if (kind.port > 0 && other.port == kind.port && on(k, node) > 0) return false;
    }
    const RuleNode& room = rules_.nodes[node];
    return (kind.cpu == 0 || cpu <= room.cpu) && (kind.gpu == 0 || gpu <= room.gpu) && pods <= room.pods;
  }

  [[nodiscard]] bool is_near(const RuleKind& kind, std::size_t node) const {
    if (!kind.affinity) return true;
    if (count(kind.affinity->color, kind.affinity->level, node) > 0) return true;
    int anywhere = 0;
    for (std::size_t k = 0; k < rules_.kinds.size(); ++k) {
      if (rules_.kinds[k].color == kind.affinity->color) anywhere += placed_[k];
    }
    return anywhere == 0 && kind.color == kind.affinity->color;
  }

  [[nodiscard]] bool is_apart(const RuleKind& kind, std::size_t node) const {
    if (kind.anti_affinity && count(kind.anti_affinity->color, kind.anti_affinity->level, node) > 0) return false;
    for (std::size_t k = 0; k < rules_.kinds.size(); ++k) {
      const std::optional<Rule>& rule = rules_.kinds[k].anti_affinity;
      if (!rule || rule->color != kind.color) continue;
      for (std::size_t n = 0; n < rules_.nodes.size(); ++n) {
        const bool is_same = rules_.nodes[n].domains[rule->level] == rules_.nodes[node].domains[rule->level];
        if (is_same && on(k, n) > 0) return false;
      }
    }
    return true;
  }

  [[nodiscard]] bool is_even(const RuleKind& kind, std::size_t node) const {
    if (!kind.spread) return true;
    int fewest = 1'000;
    for (std::size_t n = 0; n < rules_.nodes.size(); ++n) {
      const bool counts = kind.zone < 0 || rules_.nodes[n].domains[2] == kind.zone;
      if (counts) fewest = std::min(fewest, count(kind.spread->color, kind.spread->level, n, kind.zone));
    }
    const int own = kind.color == kind.spread->color ? 1 : 0;
    return count(kind.spread->color, kind.spread->level, node, kind.zone) + own - fewest <= kind.spread->skew;
  }

  const RuleCase& rules_;
  std::string on_;  // by kind and node: how many pods
  std::vector<int> placed_;
  std::unordered_set<std::string> seen_;
};

bool RuleSearch::fits(std::size_t k, std::size_t node) const {
  const RuleKind& kind = rules_.kinds[k];
  if (kind.zone >= 0 && rules_.nodes[node].domains[2] != kind.zone) return false;
  return has_room(kind, node) && is_near(kind, node) && is_apart(kind, node) && is_even(kind, node);
}

/// As fit_tightly() of packings, and nodes that all look alike now and then.
void fit_tightly(RuleCase& rules, Rng& rng) {
  for (RuleNode& node : rules.nodes) node.cpu = node.gpu = 0;
  for (std::size_t k = 0; k < rules.waiting(); ++k) {
    for (int i = 0; i < rules.kinds[k].count; ++i) {
      RuleNode& node = rules.nodes[rng.below(rules.nodes.size())];
      node.cpu += rules.kinds[k].cpu;
      node.gpu += rules.kinds[k].gpu;
    }
  }
  for (RuleNode& node : rules.nodes) node.cpu += static_cast<int>(rng.below(2));
}

RuleCase random_rules(Rng& rng, std::size_t most_nodes, std::size_t most_members, std::size_t most_kinds) {
  RuleCase rules;
  const std::size_t nodes = 1 + rng.below(most_nodes);
  const std::size_t members = 1 + rng.below(most_members);
  const std::size_t kinds = 1 + rng.below(std::min(members, most_kinds));
  const auto rule = [&] {
    return Rule{static_cast<int>(rng.below(3)), rng.below(3), 1 + static_cast<int>(rng.below(2))};
  };
  int cpu = 0;
  int gpu = 0;
  for (std::size_t k = 0; k < kinds; ++k) {
    RuleKind& kind = rules.kinds.emplace_back();
    kind.cpu = static_cast<int>(rng.below(5));
    kind.gpu = rng.below(2) == 0 ? 0 : 1 << rng.below(4);
    if (rng.below(6) == 0) kind.zone = static_cast<int>(rng.below(2));
    kind.color = static_cast<int>(rng.below(3));
    if (rng.below(6) == 0) kind.port = 80;
    if (rng.below(3) == 0) kind.affinity = rule();
    if (rng.below(3) == 0) kind.anti_affinity = rule();
    if (rng.below(4) == 0) kind.spread = rule();
  }
  for (std::size_t m = kinds; m < members; ++m) ++rules.kinds[rng.below(kinds)].count;
  for (const RuleKind& kind : rules.kinds) {
    cpu += kind.cpu * kind.count;
    gpu += kind.gpu * kind.count;
  }
  for (std::size_t n = 0; n < nodes; ++n) {
    RuleNode& node = rules.nodes.emplace_back();
    const int share = static_cast<int>(nodes);
    node.cpu = cpu / share + static_cast<int>(rng.below(5));
    node.gpu = gpu / share + static_cast<int>(rng.below(5));
    node.pods = rng.below(3) == 0 ? 1 + static_cast<int>(rng.below(3)) : 20;
    const int rack = static_cast<int>(rng.below(4));
    node.domains = {static_cast<int>(n), rack, rng.below(8) == 0 ? 1 - rack / 2 : rack / 2};
  }
  for (std::uint64_t i = rng.below(6) < 2 ? 1 + rng.below(2) : 0; i > 0; --i) {
    RuleKind& there = rules.kinds.emplace_back();
    there.color = static_cast<int>(rng.below(3));
    if (rng.below(2) == 0) there.anti_affinity = Rule{static_cast<int>(rng.below(3)), rng.below(3), 0};
    rules.existing_on.push_back(rng.below(nodes));
  }
  if (rng.below(2) == 0) fit_tightly(rules, rng);
  rules.least = static_cast<int>(rng.below(3) == 0 ? 1 + rng.below(members) : members);
  if (rng.below(4) == 0) rules.part = {static_cast<int>(rng.below(3)), 1 + static_cast<int>(rng.below(2))};
  return rules;
}

class GroupSearchModel : public placement::testing::PlacementFixture {
 protected:
  static PodBuilder pod_of(const RuleKind& kind, const std::string& name) {
    using namespace cluster::testing;  // NOLINT: the builders' words
    PodBuilder builder(name);
    builder.label("color", std::to_string(kind.color));
    if (kind.cpu > 0) builder.request("cpu", std::to_string(kind.cpu));
    if (kind.gpu > 0) builder.request("nvidia.com/gpu", std::to_string(kind.gpu));
    if (kind.zone >= 0) builder.selects_nodes(kZoneLabel, std::to_string(kind.zone));
    if (kind.port > 0) builder.host_port(kind.port);
    const auto term = [](const Rule& rule) {
      return pods_with("color", std::to_string(rule.color), kLevels[rule.level]);
    };
    if (kind.affinity) builder.near(term(*kind.affinity));
    if (kind.anti_affinity) builder.away_from(term(*kind.anti_affinity));
    if (kind.spread) {
      builder.spread(spread_over(kLevels[kind.spread->level], kind.spread->skew,
                                 kube::UnsatisfiableAction::kDoNotSchedule,
                                 selecting("color", std::to_string(kind.spread->color))));
    }
    return builder;
  }

  /// Fills the cluster; returns the members by kind, in turns.
  GroupDemand fill(const RuleCase& rules) {
    for (std::size_t n = 0; n < rules.nodes.size(); ++n) {
      const RuleNode& node = rules.nodes[n];
      cluster::testing::NodeBuilder builder("n" + std::to_string(n));
      builder.allocatable("cpu", std::to_string(node.cpu)).allocatable("nvidia.com/gpu", std::to_string(node.gpu));
      builder.allocatable("pods", std::to_string(node.pods));
      builder.label(kRackLabel, std::to_string(node.domains[1])).zone(std::to_string(node.domains[2]));
      add(builder);
    }
    GroupDemand demand;
    demand.least = rules.least;
    if (rules.part) demand.parts.push_back({{}, rules.part->second});
    for (std::size_t k = 0; k < rules.kinds.size(); ++k) {
      const RuleKind& kind = rules.kinds[k];
      if (k >= rules.waiting()) {
        add(pod_of(kind, "there-" + std::to_string(k)), NodeId{rules.existing_on[k - rules.waiting()]});
        continue;
      }
      for (int i = 0; i < kind.count; ++i) {
        PodBuilder member = pod_of(kind, "p" + std::to_string(k) + '-' + std::to_string(i));
        if (k % 2 == 0) member.label("index", std::to_string(i));  // a shape of its own, which is the same to all
        demand.members.push_back(add(member));
        if (rules.part && kind.color == rules.part->first) demand.parts[0].members.push_back(demand.members.back());
      }
    }
    return demand;
  }

  /// Every member of the answer passes the filters of a whole decision, with those before it in their places.
  void expect_can_be_placed(const GroupDemand& demand, const std::vector<Place>& places) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    std::set<PodId> placed;
    for (const Place& place : places) {
      const placement::Decision decision = decide(place.pod, placement::Detail::kFull);
      const std::vector<NodeId>& feasible = decision.attempt.feasible;
      EXPECT_NE(std::ranges::find(feasible, place.node), feasible.end()) << cluster_.pod_text(place.pod);
      put(cluster_, scheduler(), place);
      placed.insert(place.pod);
    }
    EXPECT_EQ(placed.size(), places.size());
    EXPECT_GE(static_cast<std::int64_t>(placed.size()), demand.least);
    for (const GroupDemand::Part& part : demand.parts) {
      EXPECT_GE(std::ranges::count_if(part.members, [&](PodId pod) { return placed.contains(pod); }), part.least);
    }
  }

  Told compare(const GroupDemand& demand, bool expected) {
    const GroupSearch found = search_group(cluster_, scheduler(), demand, cluster_.nodes());
    EXPECT_NE(found.report.ending, SearchEnding::kBudget);
    EXPECT_EQ(found.report.ending == SearchEnding::kFound, expected);
    if (expected) expect_can_be_placed(demand, found.places);
    for (const PodId pod : demand.members) EXPECT_FALSE(cluster_.pod(pod).node.valid());
    return {expected ? "found" : "proven", found.report.steps};
  }

  Told try_rules(Rng& rng, std::size_t most_nodes, std::size_t most_members, std::size_t most_kinds) {
    const RuleCase rules = random_rules(rng, most_nodes, most_members, most_kinds);
    const std::optional<bool> expected = RuleSearch(rules).has_placement();
    if (!expected) return {"left out", 0};
    return compare(fill(rules), *expected);
  }

  /// Of clusters too large for the search that is written apart: what is found can be placed, and the budget suffices.
  Told try_large_rules(Rng& rng, std::size_t most_nodes, std::size_t most_members, std::size_t most_kinds) {
    const GroupDemand demand = fill(random_rules(rng, most_nodes, most_members, most_kinds));
    const GroupSearch found = search_group(cluster_, scheduler(), demand, cluster_.nodes());
    EXPECT_NE(found.report.ending, SearchEnding::kBudget);
    if (found.report.ending != SearchEnding::kFound) return {"proven", found.report.steps};
    expect_can_be_placed(demand, found.places);
    return {"found", found.report.steps};
  }
};

/// A fixture of its own for each case.
class RulesCase : public GroupSearchModel {
 public:
  Told run(Rng& rng, std::size_t nodes, std::size_t members, std::size_t kinds) {
    return try_rules(rng, nodes, members, kinds);
  }
  Told run_large(Rng& rng, std::size_t nodes, std::size_t members, std::size_t kinds) {
    return try_large_rules(rng, nodes, members, kinds);
  }
  void TestBody() override {}
};

TEST(GroupSearchCompleteness, RulesAmongUpToSevenMembersOnSixNodes) {
  run_cases("rules 6 x 7", 1000, [](std::uint64_t seed) {
    Rng rng(seed ^ 0x67);
    return RulesCase().run(rng, 6, 7, 4);
  });
}

TEST(GroupSearchCompleteness, RulesAmongUpToTenMembersOnEightNodes) {
  run_cases("rules 8 x 10", 50, [](std::uint64_t seed) {
    Rng rng(seed ^ 0x810);
    return RulesCase().run(rng, 8, 10, 3);
  });
}

TEST(GroupSearchRules, AmongUpToTwentyMembersOnTwelveNodesAreTold) {
  run_cases("rules 12 x 20", 100, [](std::uint64_t seed) {
    Rng rng(seed ^ 0x1220);
    return RulesCase().run_large(rng, 12, 20, 4);
  });
}

// ---- whatever pods ask for: the filters themselves ------------------------------------------------------------------

class FiltersCase : public GroupSearchModel {
 public:
  Told run(std::uint64_t seed) {
    placement::testing::RandomObjects random(seed);
    for (std::uint64_t n = 1 + random.below(5); n > 0; --n) add(random.node("n" + std::to_string(n)));
    for (std::uint64_t i = random.below(5); i > 0; --i) {
      const PodId there = add(random.pod("there-" + std::to_string(i)));
      const std::vector<NodeId> nodes = scheduler().fitting(there, cluster_.nodes());
      if (nodes.empty()) continue;
      const NodeId node = nodes[random.below(nodes.size())];
      if (random.chance(20)) {
        cluster_.nominate(there, node);
      } else {
        cluster_.place(there, node);
      }
    }
    GroupDemand demand;
    const std::uint64_t kinds = 1 + random.below(3);
    for (std::uint64_t k = 0; k < kinds; ++k) {
      PodBuilder builder = random.pod("x");
      builder.request("cpu", random.one_of({"500m", "1", "1500m", "2", "3"}));
      for (std::uint64_t i = 1 + random.below(3); i > 0 && demand.members.size() < 6; --i) {
        builder.pod().metadata.name = "p" + std::to_string(k) + '-' + std::to_string(i);
        demand.members.push_back(add(builder));
      }
    }
    const std::uint64_t members = demand.members.size();
    demand.least = static_cast<std::int64_t>(random.chance(70) ? members : 1 + random.below(members));
    return compare(demand, has_placement(demand));
  }
  void TestBody() override {}

 private:
  bool has_placement(const GroupDemand& demand) {
    demand_ = &demand;
    where_.assign(demand.members.size(), NodeId{});
    seen_.clear();
    return search();
  }

  bool search() {
    std::int64_t placed = std::ranges::count_if(where_, [](NodeId node) { return node.valid(); });
    if (placed >= demand_->least) return true;
    if (!seen_.insert(where_).second) return false;
    std::set<cluster::ShapeId> tried;
    for (std::size_t m = 0; m < where_.size(); ++m) {
      const PodId pod = demand_->members[m];
      // Equal members come in their order.
      if (where_[m].valid() || !tried.insert(cluster_.pod(pod).shape).second) continue;
      for (const NodeId node : scheduler().fitting(pod, cluster_.nodes())) {
        const cluster::Transaction step(cluster_);
        put(cluster_, scheduler(), {pod, node});
        where_[m] = node;
        const bool found = search();
        where_[m] = NodeId{};
        if (found) return true;
      }
    }
    return false;
  }

  const GroupDemand* demand_ = nullptr;
  std::vector<NodeId> where_;  // by member
  std::set<std::vector<NodeId>> seen_;
};

TEST(GroupSearchCompleteness, WhateverUpToSixMembersAskForOnFiveNodes) {
  run_cases("filters 5 x 6", 300, [](std::uint64_t seed) { return FiltersCase().run(seed); });
}

}  // namespace
}  // namespace loadline::gang
