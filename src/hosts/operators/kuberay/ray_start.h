#pragma once

#include <map>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::operators {

/// The parameters of `ray start`, by name.
using RayStartParams = std::map<std::string, std::string, std::less<>>;

/// One kind of node of a Ray cluster: its head, or the workers of a group.
struct RayNode {
  bool is_head = false;
  const document::Value& group;  ///< headGroupSpec, or one of workerGroupSpecs
  std::string head_address;      ///< the full name of the head's service
  std::string head_port;         ///< where Ray's global control service listens
  bool has_autoscaler = false;   ///< Kubernetes' one, beside the head
};

/// What the author wrote of them, and what KubeRay adds: resources and labels of the group, addresses and ports.
/// Source: updateRayStartParams* and setMissingRayStartParams in common/pod.go, kuberay v1.6.2.
[[nodiscard]] RayStartParams ray_start_params(const RayNode& node);

/// "ray start --head  --block  --num-cpus=4 ": with what the Ray container's resources say of processors, memory and
/// accelerators, unless the parameters do. Source: generateRayStartCommand, ibidem.
[[nodiscard]] std::string ray_start_command(bool is_head, RayStartParams params, const document::Value& container);

/// "nvidia.com/gpu", "nvidia.com/mig-1g.5gb".
[[nodiscard]] bool is_ray_gpu(std::string_view resource);

}  // namespace loadline::operators
