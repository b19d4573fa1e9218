#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/kubelet/gpu_models.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// Some nodes alike.
struct NodeShape {
  std::size_t count = 1;
  std::string name;             ///< before the number; empty: "node", or "gpu-a100"
  kube::ResourceList capacity;  ///< as far as it was said
  const GpuModel* gpu = nullptr;
  std::int64_t gpus = 0;
  bool needs_device_plugin = false;  ///< GPUs are advertised once a plugin runs
  std::string instance_type;
  std::string capacity_type;  ///< "spot", "on-demand"; empty: not given
  std::string arch = "amd64";
  kube::StringMap labels;
  std::vector<kube::Taint> taints;
};

/// Reads `COUNT[:KEY=VALUE[,KEY=VALUE…]]`: `100`, `50:gpu=a100:8`, `20:cpu=64,memory=256Gi,capacity-type=spot,
/// taint=spot=true:NoSchedule,label=team=ml`. Keys: name, cpu, memory, storage, pods, gpu (MODEL[:COUNT]),
/// device-plugin (required), instance-type, capacity-type, arch, label, taint. Errors are sentences for the
/// user.
Result<NodeShape> parse_node_shape(std::string_view text);

/// Reads `MODEL[:COUNT]` into the shape: "a100:8".
Result<void> parse_gpu(std::string_view text, NodeShape& shape);

struct NodeGeneration {
  std::vector<NodeShape> shapes;
  std::size_t zones = 1;  ///< nodes are dealt out to them in turn
  std::string region = "virtual-1";
  std::string kubelet_version = "v1.36.2";
  Instant now;
};

/// Node documents, ready to be created: with labels as clouds, kubelets and GPU feature discovery set them, a range of
/// addresses for pods, and a status that says that they are ready. Names are numbered within each prefix.
std::vector<document::Value> generate_nodes(const NodeGeneration& generation);

/// A Node of a manifest or of a kind Cluster, made virtual: marked as such, and with what is missing of range and
/// status. `index` tells apart the nodes of one cluster.
document::Value make_virtual(document::Value node, std::size_t index, const std::string& kubelet_version, Instant now);

}  // namespace loadline::kubelet
