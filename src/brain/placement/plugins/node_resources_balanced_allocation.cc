#include "brain/placement/plugins/node_resources_balanced_allocation.h"

#include <cmath>
#include <optional>

#include "brain/placement/cycle.h"

namespace loadline::placement {
namespace {

/// trunc((1 − σ)·100) of the fractions that `used` gives for resources with capacity.
template <class Used>
std::int64_t balance(std::span<const ScoredResource> resources, Used&& used) {
  std::size_t count = 0;
  double total = 0;
  double first = 0, second = 0;
  const auto fraction_of = [&](const ScoredResource& resource) {
    const double fraction = static_cast<double>(used(resource)) / static_cast<double>(resource.capacity);
    return fraction > 1 ? 1.0 : fraction;
  };
  for (const ScoredResource& resource : resources) {
    if (resource.capacity == 0) continue;
    const double fraction = fraction_of(resource);
    total += fraction;
    if (count == 0) first = fraction;
    if (count == 1) second = fraction;
    ++count;
  }
  double deviation = 0;
  if (count == 2) {
    deviation = std::abs((first - second) / 2);
  } else if (count > 2) {
    const double mean = total / static_cast<double>(count);
    double sum = 0;
    for (const ScoredResource& resource : resources) {
      if (resource.capacity == 0) continue;
      const double fraction = fraction_of(resource);
      sum = sum + (fraction - mean) * (fraction - mean);
    }
    deviation = std::sqrt(sum / static_cast<double>(count));
  }
  return static_cast<std::int64_t>((1 - deviation) * static_cast<double>(kMaxNodeScore));
}

}  // namespace

std::int64_t balanced_allocation(std::span<const ScoredResource> resources) {
  const std::int64_t with = balance(resources, [](const ScoredResource& resource) { return resource.requested; });
  const std::int64_t without = balance(resources, [](const ScoredResource& resource) { return resource.allocated; });
  return kMaxNodeScore / 2 + (kMaxNodeScore / 2 + with - without) / 2;
}

namespace {

struct BalancedAllocationState final : PluginState {
  std::optional<ResourceLens> lens;
};

}  // namespace

ResourceLens NodeResourcesBalancedAllocation::lens(const Cycle& cycle) const {
  return {cycle.cluster(), args_.resources, cycle.shape().requests_list, LoadKind::kRequested};
}

Locality NodeResourcesBalancedAllocation::sign(Cycle& cycle, Signature& signature) const {
  lens(cycle).sign(signature);
  return Locality::kNode;
}

bool NodeResourcesBalancedAllocation::pre_score(Cycle& cycle, const FeasibleNodes&) const {
  return !lens(cycle).asks_nothing();
}

void NodeResourcesBalancedAllocation::score(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                                            std::span<std::int64_t> scores) const {
  std::optional<ResourceLens>& seen = cycle.state<BalancedAllocationState>(this).lens;
  if (!seen) seen.emplace(lens(cycle));
  if (seen->asks_nothing()) return;  // where PreScore did not run, which would have skipped such a pod
  seen->aim(cycle.nodes_look_empty());
  for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = balanced_allocation(seen->at(nodes[i]));
}

std::unique_ptr<Plugin> make_node_resources_balanced_allocation(const kube::PluginArgs& args) {
  return std::make_unique<NodeResourcesBalancedAllocation>(args.balanced);
}

}  // namespace loadline::placement
