#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Whether an image is that of the device plugin: `nvcr.io/nvidia/k8s-device-plugin:v0.17.0`, or a copy of it
/// elsewhere.
[[nodiscard]] inline bool is_device_plugin_image(std::string_view image) {
  return image.find("k8s-device-plugin") != std::string_view::npos;
}

/// The names of the ConfigMaps that volumes of a pod's spec hold, projected ones too.
[[nodiscard]] std::vector<std::string> mounted_config_maps(const document::Value& pod_spec);

/// A DaemonSet whose pods are NVIDIA's device plugin, and the ConfigMaps of its namespace that they mount, which its
/// typed form does not keep. Stands among the objects that were read, of<DevicePlugin>(), in their order.
struct DevicePlugin {
  std::string name_space;
  std::string name;
  std::vector<std::string> config_maps;
};

/// gpu-operator's ClusterPolicy, nvidia.com/v1: which ConfigMap of its namespace configures the device plugin that the
/// operator runs, and which of its files where a node names none.
struct ClusterPolicy {
  ObjectMeta metadata;
  std::string plugin_config;
  std::string plugin_config_default;
};

}  // namespace loadline::kube
