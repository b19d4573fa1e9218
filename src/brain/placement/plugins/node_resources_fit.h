#pragma once

#include <span>
#include <string>
#include <vector>

#include "brain/placement/plugin.h"
#include "brain/placement/plugins/resource_scoring.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Refuses nodes without room for the pod's requests, naming every resource that falls short, and scores the others by
/// how full they would be.
///
/// A rejection is unresolvable if some request exceeds what the node could ever offer. Scores, per resource with
/// capacity c and use r including the pod, weighted by the configured weights, integer division throughout:
///   LeastAllocated           (c − r)·100 / c, 0 if r > c
///   MostAllocated            min(r, c)·100 / c
///   RequestedToCapacityRatio the shape at r·100 / c, scores times 10; only resources with a score above 0 weigh in;
///   rounded
/// Example (LeastAllocated): cpu 1 of 4 used, memory half used: (75 + 50) / 2 = 62.
/// Source: kube-scheduler v1.36, plugin NodeResourcesFit.
class NodeResourcesFit final : public Plugin {
 public:
  explicit NodeResourcesFit(const kube::NodeResourcesFitArgs& args) : args_(args) {}
  [[nodiscard]] std::string_view name() const override { return "NodeResourcesFit"; }
  [[nodiscard]] Points points() const override {
    return Point::kPreFilter | Point::kFilter | Point::kPreScore | Point::kScore;
  }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] std::string without_pre_filter() const override {
    return R"(error reading "PreFilterNodeResourcesFit" from cycleState: not found)";
  }
  PreFilterResult pre_filter(Cycle& cycle) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
  void filter_each(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                   std::span<RejectionId> rejections) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;

  /// What the filter compares of the shape's requests: all that its arguments do not have it ignore.
  [[nodiscard]] std::vector<cluster::ResourceAmount> compared_requests(const cluster::Cluster& cluster,
                                                                       const cluster::PodShape& shape) const;

 private:
  [[nodiscard]] bool ignores(std::string_view resource) const;
  [[nodiscard]] std::int64_t score_of(std::span<const ScoredResource> resources) const;

  kube::NodeResourcesFitArgs args_;
};

/// The three scoring strategies, as formulas.
std::int64_t least_allocated(std::span<const ScoredResource> resources);
std::int64_t most_allocated(std::span<const ScoredResource> resources);
std::int64_t requested_to_capacity_ratio(std::span<const ScoredResource> resources,
                                         std::span<const kube::UtilizationShapePoint> shape);

std::unique_ptr<Plugin> make_node_resources_fit(const kube::PluginArgs& args);

}  // namespace loadline::placement
