#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/signature.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// One configured resource as a scorer sees it on one node. A resource that the node lacks, or a scalar that the pod
/// does not ask for, has no capacity and is left out of every formula.
struct ScoredResource {
  std::int64_t weight = 1;
  std::int64_t requested = 0;  ///< with the pod
  std::int64_t allocated = 0;  ///< without it
  std::int64_t capacity = 0;
};

/// Whether a node's load counts what pods requested, or a floor of 100m and 200Mi per container that requests nothing.
enum class LoadKind : std::uint8_t { kNonZero, kRequested };

/// The resources of a scoring plugin, bound to one pod: fills in what a node offers and holds.
/// Source: kube-scheduler v1.36, noderesources/resource_allocation.go.
class ResourceLens {
 public:
  ResourceLens(const cluster::Cluster& cluster, const std::vector<kube::ResourceSpec>& resources,
               const kube::ResourceList& pod_requests, LoadKind load);

  /// Writes down what the pod asks for.
  void sign(Signature& signature) const;

  /// True if the pod asks for none of the resources.
  [[nodiscard]] bool asks_nothing() const;

  /// Finds the columns to read. Call it before a run of at(), in which no node or resource may be added.
  /// `ignore_load`: as if no pod ran there.
  void aim(bool ignore_load = false);
  /// The resources on `node`, in configured order; the span is valid until the next call.
  std::span<const ScoredResource> at(cluster::NodeId node);

 private:
  struct Entry {
    cluster::ResourceId resource;                  // invalid: no node has it
    std::int64_t requested;                        // by the pod
    bool skipped;                                  // a scalar the pod does not ask for
    std::span<const std::int64_t> capacity, load;  // by node; empty: the resource counts nowhere
  };
  const cluster::Cluster& cluster_;
  LoadKind load_;
  bool ignore_load_ = false;
  std::vector<Entry> entries_;
  std::vector<ScoredResource> view_;
};

}  // namespace loadline::placement
