#pragma once

#include <span>
#include <vector>

#include "brain/placement/plugin.h"
#include "brain/placement/plugins/resource_scoring.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Prefers nodes whose resources the pod would bring closer to being used in equal parts.
///
/// With b(x) = trunc((1 − σ)·100) over the used fractions (each at most 1; σ is half the difference of two, the
/// population standard deviation of more), the score is `50 + (50 + b(with pod) − b(without)) / 2`; no change at all
/// is 75. Pods that request none of the resources are not scored. Floating point in upstream's order of operations.
/// Source: kube-scheduler v1.36, plugin NodeResourcesBalancedAllocation (formula new in 1.36, PR 135573).
class NodeResourcesBalancedAllocation final : public Plugin {
 public:
  explicit NodeResourcesBalancedAllocation(const kube::NodeResourcesBalancedAllocationArgs& args) : args_(args) {}
  [[nodiscard]] std::string_view name() const override { return "NodeResourcesBalancedAllocation"; }
  [[nodiscard]] Points points() const override { return Point::kPreScore | Point::kScore; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  bool pre_score(Cycle& cycle, const FeasibleNodes& feasible) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;

 private:
  [[nodiscard]] ResourceLens lens(const Cycle& cycle) const;

  kube::NodeResourcesBalancedAllocationArgs args_;
};

std::int64_t balanced_allocation(std::span<const ScoredResource> resources);

std::unique_ptr<Plugin> make_node_resources_balanced_allocation(const kube::PluginArgs& args);

}  // namespace loadline::placement
