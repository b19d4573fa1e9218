#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::capacity {

/// How NVIDIA's device plugin was told to share GPUs.
struct GpuSharing {
  std::string strategy = "none";  ///< "time-slicing", "mps"
  std::int64_t replicas = 1;
  std::string resource = "nvidia.com/gpu";  ///< under which shared GPUs are advertised
};

/// Reads a device plugin's configuration file; nothing: it is none, or says nothing of sharing GPUs.
/// Source: api/config/v1 of NVIDIA/k8s-device-plugin v0.17.
std::optional<GpuSharing> read_gpu_sharing(std::string_view yaml);

/// Of the files of a plugin's ConfigMap the one that the node is configured by: the one that its label
/// nvidia.com/device-plugin.config names, else `fallback`, else the only one, or the one that is called config.yaml,
/// default or any. Null: there is none. Points into `files`.
const std::string* plugin_file_of(const kube::Node& node, const kube::StringMap& files, std::string_view fallback = {});

/// Whether a ConfigMap of that namespace may be what a ClusterPolicy names, or counts where no plugin mounts any: those
/// where the plugin and gpu-operator usually are. In others, many can write.
[[nodiscard]] bool may_share_gpus(std::string_view name_space);

/// A pod of the plugin, by its image, and by a volume of the host's: it registers with the kubelet through one.
[[nodiscard]] bool is_device_plugin(const kube::PodSpec& pod);

/// What a node advertises of its devices. Nothing in place of a value: it is not advertised, the label is not there.
struct Devices {
  std::map<std::string, std::optional<std::int64_t>> amounts;  ///< by resource
  std::map<std::string, std::optional<std::string>> labels;
};

/// What so many GPUs of the node come to: replicas multiply them, under another name if the sharing says so, and labels
/// follow as GPU feature discovery sets them.
Devices advertised(const kube::Node& node, std::int64_t gpus, const GpuSharing& sharing);

/// Has the node advertise that.
void advertise(const Devices& devices, kube::Node& node);

}  // namespace loadline::capacity
