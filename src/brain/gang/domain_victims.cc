#include "brain/gang/domain_victims.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace loadline::gang {

using cluster::NodeId;

namespace {

/// The needs if the members are in this domain.
std::vector<RoomNeed> needs_in(const cluster::Cluster& cluster, std::span<const NodeId> domain,
                               const std::vector<RoomNeed>& needs) {
  std::vector<bool> is_inside(cluster.node_slots());
  for (const NodeId node : domain) is_inside[node.index()] = true;
  std::vector<RoomNeed> inside = needs;
  for (RoomNeed& need : inside) {
    std::erase_if(need.nodes, [&](NodeId node) { return !is_inside[node.index()]; });
  }
  return inside;
}

/// A domain, and what making room in it costs by count.
struct Option {
  VictimCost estimate;
  std::vector<RoomNeed> needs;
};

}  // namespace

std::optional<Victims> find_victims_in_one(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                           std::span<const cluster::PodId> members, const std::vector<RoomNeed>& needs,
                                           const NodeSets& domains, const TryPlace& try_place) {
  std::vector<Option> options;
  for (const std::vector<NodeId>& domain : domains) {
    std::vector<RoomNeed> inside = needs_in(cluster, domain, needs);
    const std::optional<VictimCost> estimate = estimate_victims(cluster, units, members, inside);
    if (estimate) options.push_back({*estimate, std::move(inside)});
  }
  std::ranges::stable_sort(options, {}, &Option::estimate);
  if (options.size() > kMostVictimDomains) options.resize(kMostVictimDomains);
  std::optional<Victims> best;
  std::size_t attempts = 0;
  for (const Option& option : options) {
    if (best && !(option.estimate < best->cost)) break;
    std::optional<Victims> found =
        find_victims(cluster, units, members, option.needs, try_place, best ? &best->cost : nullptr);
    if (!found) continue;
    attempts += found->attempts;
    best = std::move(found);
  }
  if (best) best->attempts = attempts;
  return best;
}

}  // namespace loadline::gang
