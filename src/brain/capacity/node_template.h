#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "brain/capacity/gpu_models.h"
#include "foundation/base/result.h"
#include "objects/kube/core/node.h"

namespace loadline::capacity {

/// A machine in words. What is not said goes without saying: 8 CPUs, 32Gi of memory, 100Gi of storage and 110 pods, or
/// what clouds put around such GPUs.
struct NodeShape {
  kube::ResourceList capacity;  ///< as far as it was said
  const GpuModel* gpu = nullptr;
  std::int64_t gpus = 0;             ///< of that model
  bool needs_device_plugin = false;  ///< the GPUs are not advertised before a plugin runs
  std::string instance_type;         ///< of instance_types.h it says all that the shape does not
  std::string capacity_type;         ///< "spot", "on-demand"; empty: not given
  std::string arch = "amd64";
  kube::StringMap labels;
  std::vector<kube::Taint> taints;

  friend bool operator==(const NodeShape&, const NodeShape&) = default;
};

/// The shape with what its instance type, if that is a known one, says of size, GPUs and architecture, where the shape
/// says nothing itself.
NodeShape with_instance_type(NodeShape shape);

/// A machine like the one of a node that is there.
struct LikeNode {
  std::string node;  ///< its name

  friend bool operator==(const LikeNode&, const LikeNode&) = default;
};

/// Nodes alike that do not exist: so many, and what they look like.
struct NodeTemplate {
  std::size_t count = 1;
  std::string name;  ///< before the number; empty: "node", "gpu-a100", or "NODE-added" if they are like NODE
  std::variant<NodeShape, LikeNode> machine;

  /// The name of the node that they are like; null if a shape describes them.
  [[nodiscard]] const std::string* like() const;
  [[nodiscard]] const NodeShape* shape() const;  ///< null if they are like a node

  friend bool operator==(const NodeTemplate&, const NodeTemplate&) = default;
};

NodeTemplate nodes_like(std::string node, std::size_t count = 1);

struct Zone {
  std::string region;  ///< may be empty
  std::string name;

  friend auto operator<=>(const Zone&, const Zone&) = default;
};

/// The zones of nodes, in the order in which they are first seen.
std::vector<Zone> zones_of(const std::vector<kube::Node>& nodes);

/// The nodes of templates, in their order: `count` of the first, then those of the second, ….
///
/// Names are numbered within each prefix, past those that nodes of `there` have. A node that is like another has its
/// labels, annotations, taints, resources and images, and a hostname of its own; it is neither cordoned nor troubled
/// (no taints of node.kubernetes.io/). It may be like a node of `there`, or like one of a template before it. One of a
/// shape is labelled as kubelets, clouds and NVIDIA's GPU feature discovery label nodes, and stands in one of `zones`,
/// which are taken in turn; without any it has no zone. Labels of a shape go before all of these.
/// Errors: no node of the name to be like. O(there + nodes made).
Result<std::vector<kube::Node>> make_nodes(std::span<const NodeTemplate> templates,
                                           const std::vector<kube::Node>& there, std::span<const Zone> zones);

}  // namespace loadline::capacity
