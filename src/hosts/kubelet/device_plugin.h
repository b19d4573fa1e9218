#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "hosts/controllers/caches.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

/// What a node advertises of its devices. Nothing in place of a value: it is not advertised, the label is not there.
struct Devices {
  std::map<std::string, std::optional<std::int64_t>> amounts;  ///< by resource
  std::map<std::string, std::optional<std::string>> labels;
};

/// How NVIDIA's device plugin was told to share GPUs.
struct GpuSharing {
  std::string strategy = "none";  ///< "time-slicing", "mps"
  std::int64_t replicas = 1;
  std::string resource = "nvidia.com/gpu";  ///< under which shared GPUs are advertised
};

/// Reads a device plugin's configuration file; nothing: it is none, or says nothing of sharing GPUs.
/// Source: api/config/v1 of NVIDIA/k8s-device-plugin v0.17.
std::optional<GpuSharing> read_gpu_sharing(std::string_view yaml);

/// A pod of the plugin, by its image.
[[nodiscard]] bool is_device_plugin(const kube::Pod& pod);

/// What the node's GPUs come to.
///
/// A node that was declared with `loadline.dev/gpus: "8"` has that many, and advertises them as long as a pod of the
/// device plugin runs there. One that was declared with a capacity of nvidia.com/gpu advertises it without. Where a
/// plugin runs, its configuration counts: the ConfigMap that it mounts, or else one called *device-plugin-config* in
/// its namespace; of several keys the one that the node's label nvidia.com/device-plugin.config names. Replicas
/// multiply what is advertised, under another name if it says so, and labels follow as GPU feature discovery sets them.
Devices devices_of(const controllers::Observed<kube::Node>& node, const controllers::Caches& caches);

}  // namespace loadline::kubelet
