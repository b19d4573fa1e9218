#include "brain/gang/domain_victims.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace loadline::gang {

using cluster::NodeId;

namespace {

/// What making room costs in each of the domains, by count.
class DomainCosts {
 public:
  /// A domain, who could leave there, and the needs of members that are in it.
  struct Option {
    VictimCost estimate;
    std::vector<EvictionUnit> units;
    std::vector<RoomNeed> needs;
  };

  DomainCosts(cluster::Cluster& cluster, std::span<const EvictionUnit> units, std::span<const cluster::PodId> members,
              const std::vector<RoomNeed>& needs, const VictimRules& rules)
      : cluster_(cluster),
        units_(units),
        members_(members),
        needs_(needs),
        rules_(rules),
        all_count_(minds_other_pods(cluster, needs)) {
    for (const RoomNeed& need : needs) {
      std::vector<bool>& nodes = usable_.emplace_back(cluster.node_slots());
      for (const NodeId node : need.nodes) nodes[node.index()] = true;
    }
  }

  /// The cheapest first; without domains in which there is certainly no room.
  std::vector<Option> options(const NodeSets& domains) {
    const std::vector<std::vector<std::size_t>> units = units_by_domain(domains);
    std::vector<Option> options;
    for (std::size_t i = 0; i < domains.size(); ++i) {
      Option option{{}, {}, needs_in(domains[i])};
      for (const std::size_t unit : units[i]) option.units.push_back(units_[unit]);
      const std::optional<VictimCost> estimate =
          estimate_victims(cluster_, option.units, members_, option.needs, rules_);
      if (!estimate) continue;
      option.estimate = *estimate;
      options.push_back(std::move(option));
    }
    std::ranges::stable_sort(options, {}, &Option::estimate);
    return options;
  }

 private:
  /// Units that have a pod in the domain; all, if pods elsewhere may be in the way.
  [[nodiscard]] std::vector<std::vector<std::size_t>> units_by_domain(const NodeSets& domains) const {
    std::vector<std::size_t> domain_of(cluster_.node_slots(), domains.size());
    for (std::size_t i = 0; i < domains.size(); ++i) {
      for (const NodeId node : domains[i]) domain_of[node.index()] = i;
    }
    std::vector<std::vector<std::size_t>> found(domains.size() + 1);
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      for (std::size_t i = 0; i < domains.size() && all_count_; ++i) found[i].push_back(unit);
      for (const cluster::PodId pod : units_[unit].pods) {
        std::vector<std::size_t>& there = found[domain_of[cluster_.pod(pod).node.index()]];
        if (!all_count_ && (there.empty() || there.back() != unit)) there.push_back(unit);
      }
    }
    return found;
  }

  [[nodiscard]] std::vector<RoomNeed> needs_in(const std::vector<NodeId>& domain) const {
    std::vector<RoomNeed> inside;
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      inside.push_back({needs_[i].shape, needs_[i].demand, needs_[i].priority, needs_[i].members, {}});
      std::ranges::copy_if(domain, std::back_inserter(inside.back().nodes),
                           [&](NodeId node) { return usable_[i][node.index()]; });
    }
    return inside;
  }

  cluster::Cluster& cluster_;
  std::span<const EvictionUnit> units_;
  std::span<const cluster::PodId> members_;
  const std::vector<RoomNeed>& needs_;
  const VictimRules& rules_;
  bool all_count_;
  std::vector<std::vector<bool>> usable_;  // by need, by node
};

}  // namespace

std::optional<Victims> find_victims_in_one(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                           std::span<const cluster::PodId> members, const std::vector<RoomNeed>& needs,
                                           const NodeSets& domains, const TryPlace& try_place,
                                           const VictimRules& rules) {
  std::optional<Victims> best;
  std::size_t attempts = 0;
  std::size_t tried = 0;
  for (const DomainCosts::Option& option : DomainCosts(cluster, units, members, needs, rules).options(domains)) {
    if (best && (!(option.estimate < best->cost) || tried >= kMostVictimDomains)) break;
    ++tried;
    std::optional<Victims> found =
        find_victims(cluster, option.units, members, option.needs, try_place, rules, best ? &best->cost : nullptr);
    if (!found) continue;
    attempts += found->attempts;
    best = std::move(found);
  }
  if (best) best->attempts = attempts;
  return best;
}

}  // namespace loadline::gang
