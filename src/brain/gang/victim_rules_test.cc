// The search for victims by rules that are not the recommended ones: other candidates, costs and budgets.
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/gang/domain_victims.h"
#include "brain/gang/victims.h"

namespace loadline::gang {
namespace {

using cluster::NodeId;
using cluster::PodId;
using engine::testing::node;
using engine::testing::pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Pods of two queues run on nodes of their own, and one pod waits that takes a whole node.
class VictimRulesTest : public engine::testing::DispatcherFixture {
 protected:
  VictimRulesTest() {
    for (const char* name : {"mine-1", "mine-2", "theirs-1", "theirs-2"}) {
      nodes_.push_back(add(node(std::string("of-") + name).allocatable("cpu", "4")));
      running_.push_back(add(pod(name).request("cpu", "4"), nodes_.back()));
    }
    waiting_ = submit(pod("waiting").request("cpu", "4").priority(1));
    for (const PodId each : running_) candidates_.push_back({{each}, {}, false, 0, 0, 0, 0});
  }

  std::vector<RoomNeed> needs() {
    std::vector<RoomNeed> needs = room_needs(cluster_, dispatcher().scheduler(), {&waiting_, 1}, 1);
    for (RoomNeed& need : needs) need.nodes = nodes_;
    return needs;
  }
  std::vector<std::string> names(const std::optional<Victims>& found) {
    std::vector<std::string> names;
    for (std::size_t i = 0; found && i < found->units.size(); ++i) {
      for (const PodId each : found->units[i].pods) names.push_back(cluster_.pod_name(each));
    }
    return names;
  }
  std::vector<std::string> victims(const VictimRules& rules) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    return names(find_victims(cluster_, candidates_, {&waiting_, 1}, needs(), fits(), rules));
  }
  std::vector<std::string> victims_in(const NodeSets& domains, const VictimRules& rules) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    return names(find_victims_in_one(cluster_, candidates_, {&waiting_, 1}, needs(), domains, fits(), rules));
  }
  TryPlace fits() {
    return [this] {
      const placement::Decision decision = dispatcher().scheduler().decide(waiting_);
      if (decision.attempt.scheduled()) cluster_.place(waiting_, decision.attempt.node);
      return decision.attempt.scheduled();
    };
  }
  bool is_of(PodId pod, const std::string& queue) { return cluster_.pod_name(pod).starts_with(queue); }

  /// As Kueue and Volcano have it: rather those leave whose queue has borrowed.
  VictimRules preferring(const std::string& queue) {
    VictimRules rules = recommended_rules(cluster_);
    rules.cost = [this, queue](std::span<const EvictionUnit* const> units) {
      VictimCost cost = cost_of(units, nullptr);
      for (const EvictionUnit* unit : units) cost.highest_priority += is_of(unit->pods.front(), queue) ? 0 : 1;
      return cost;
    };
    return rules;
  }

  std::vector<NodeId> nodes_;
  std::vector<PodId> running_;
  std::vector<EvictionUnit> candidates_;
  PodId waiting_;
};

TEST_F(VictimRulesTest, TheCostDecides) {
  EXPECT_THAT(victims(recommended_rules(cluster_)), ElementsAre("mine-1")) << "the first of equal ones";
  EXPECT_THAT(victims(preferring("theirs")), ElementsAre("theirs-1"));
  EXPECT_THAT(victims(preferring("mine")), ElementsAre("mine-1"));
}

TEST_F(VictimRulesTest, TheCostDecidesBetweenDomains) {
  const NodeSets domains = {{nodes_[0], nodes_[1]}, {nodes_[2], nodes_[3]}};
  EXPECT_THAT(victims_in(domains, preferring("theirs")), ElementsAre("theirs-1"));
  EXPECT_THAT(victims_in(domains, preferring("mine")), ElementsAre("mine-1"));
}

TEST_F(VictimRulesTest, OnlyCandidatesLeave) {
  candidates_.erase(candidates_.begin());
  EXPECT_THAT(victims(recommended_rules(cluster_)), ElementsAre("mine-2"));
  candidates_.clear();
  EXPECT_THAT(victims(recommended_rules(cluster_)), IsEmpty());
}

TEST_F(VictimRulesTest, BudgetsGuardWhatTheyAreToldTo) {
  VictimRules rules = recommended_rules(cluster_);
  rules.budgets = [this] { return [this](PodId each) { return is_of(each, "mine"); }; };
  rules.cost = [&rules](std::span<const EvictionUnit* const> units) { return cost_of(units, rules.budgets); };
  EXPECT_THAT(victims(rules), ElementsAre("theirs-1"));
}

/// Beyond kFewUnits, sets are proposed in the order of preference.
TEST_F(VictimRulesTest, ThePreferenceLeadsAmongMany) {
  for (int i = 0; i < 12; ++i) {
    const std::string name = "crowd-" + std::to_string(i);
    nodes_.push_back(add(node("of-" + name).allocatable("cpu", "4")));
    candidates_.push_back({{add(pod(name).request("cpu", "4"), nodes_.back())}, {}, false, 0, 0, 0, 0});
  }
  VictimRules rules = preferring("theirs");
  rules.is_preferred = [this](const EvictionUnit& a, const EvictionUnit& b) {
    return is_of(a.pods.front(), "theirs") > is_of(b.pods.front(), "theirs");
  };
  EXPECT_THAT(victims(rules), ElementsAre("theirs-1"));
}

}  // namespace
}  // namespace loadline::gang
