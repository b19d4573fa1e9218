#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/shapes/shape.h"
#include "foundation/base/id.h"
#include "foundation/base/symbol.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::queue::kueue {

using ShapeId = Id<struct PodShapeTag>;

/// How much of one resource is asked for: thousandths of CPUs, whole units of everything else. Never negative.
struct ResourceAmount {
  Symbol resource;
  std::int64_t amount = 0;
  friend bool operator==(const ResourceAmount&, const ResourceAmount&) = default;
};

/// What flavors can mind of a pod, and what one pod of it counts as.
struct PodShape {
  std::vector<ResourceAmount> requests;  ///< by the resources' names
  std::vector<cluster::Requirement> node_selector;
  std::vector<std::vector<cluster::Requirement>> terms;  ///< of required node affinity: matchExpressions
  std::vector<cluster::CompiledToleration> tolerations;
};

/// Pod specs as queues tell them apart: two of one shape get the same flavors, and fail alike. Shapes stay; their ids
/// are dense.
///
/// Two specs are of one shape if they agree in the requests and ports of their containers, node selector, affinity,
/// tolerations, spread constraints, runtime class, priority, overhead, resource claims and pod-level requests.
/// Source: Kueue v0.19.2, pkg/util/pod SpecShape; requests: pkg/workload totalRequestsFromPodSets.
class PodShapes {
 public:
  /// `symbols` are those of the quota tree.
  PodShapes(SymbolTable& symbols, const kube::KueueResources& resources) : symbols_(symbols), resources_(resources) {}

  /// The spec as Kueue adjusts it: limits stand in for requests that are missing, defaults of LimitRanges and overhead
  /// of the RuntimeClass are there. O(spec), or a comparison if it was asked about last.
  ShapeId intern(const std::shared_ptr<const kube::PodSpec>& spec);
  [[nodiscard]] const PodShape& at(ShapeId shape) const { return shapes_[shape.index()]; }
  [[nodiscard]] std::size_t size() const { return shapes_.size(); }

 private:
  [[nodiscard]] PodShape compile(const kube::PodSpec& spec);
  [[nodiscard]] kube::ResourceList counted(const kube::PodSpec& spec) const;

  SymbolTable& symbols_;
  kube::KueueResources resources_;
  std::vector<PodShape> shapes_;
  std::unordered_map<std::string, ShapeId> by_key_;
  std::shared_ptr<const kube::PodSpec> last_;
  ShapeId last_shape_;
};

/// Bytes that are equal for two specs exactly if they are of one shape.
[[nodiscard]] std::string shape_key(const kube::PodSpec& spec);

}  // namespace loadline::queue::kueue
