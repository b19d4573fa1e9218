#include "hosts/simulator/shared_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/capacity/gpu_sharing.h"
#include "objects/kube/core/service.h"
#include "objects/kube/nvidia/device_plugin.h"

namespace loadline::simulator {
namespace {

constexpr std::string_view kGpu = "nvidia.com/gpu";

bool shares_gpus(const kube::ConfigMap& map) {
  return std::any_of(map.data.begin(), map.data.end(),
                     [](const auto& file) { return capacity::read_gpu_sharing(file.second).has_value(); });
}

/// The ConfigMaps that share GPUs, by namespace and name.
std::vector<const kube::ConfigMap*> sharing_configurations(const kube::Objects& objects) {
  std::vector<const kube::ConfigMap*> found;
  for (const kube::ConfigMap& map : objects.of<kube::ConfigMap>()) {
    if (shares_gpus(map)) found.push_back(&map);
  }
  std::ranges::sort(found, {}, [](const kube::ConfigMap* map) {
    return std::pair<std::string_view, std::string_view>(map->metadata.namespace_, map->metadata.name);
  });
  return found;
}

/// Whether it counts without a plugin that mounts it.
bool may_share(const kube::ConfigMap* map) { return capacity::may_share_gpus(map->metadata.namespace_); }

/// The configuration of the device plugin that counts, and why.
struct InForce {
  const kube::ConfigMap* map = nullptr;  ///< null: none
  std::string_view fallback;             ///< its file for nodes that name none
  bool is_assumed = false;
};

InForce find_in_force(const kube::Objects& objects, const std::vector<const kube::ConfigMap*>& candidates) {
  for (const kube::DevicePlugin& plugin : objects.of<kube::DevicePlugin>()) {
    for (const kube::ConfigMap* map : candidates) {
      if (map->metadata.namespace_ != plugin.name_space) continue;
      if (std::ranges::find(plugin.config_maps, map->metadata.name) != plugin.config_maps.end())
        return {map, {}, false};
    }
  }
  for (const kube::ClusterPolicy& policy : objects.of<kube::ClusterPolicy>()) {
    for (const kube::ConfigMap* map : candidates) {
      const bool is_named = map->metadata.name == policy.plugin_config && may_share(map);
      if (is_named) return {map, policy.plugin_config_default, false};
    }
  }
  const bool has_plugin = !objects.of<kube::DevicePlugin>().empty() || !objects.of<kube::ClusterPolicy>().empty();
  const auto assumed = std::ranges::find_if(candidates, may_share);
  if (has_plugin || assumed == candidates.end()) return {};
  return {*assumed, {}, true};
}

/// GPUs of the node that the configuration may share; 0: none.
std::int64_t unshared_gpus(const kube::Node& node) {
  const bool is_of_cluster = !node.metadata.uid.empty() || node.metadata.creation_timestamp.has_value();
  const auto replicas = node.metadata.labels.find("nvidia.com/gpu.replicas");
  if (is_of_cluster || (replicas != node.metadata.labels.end() && replicas->second != "1")) return 0;
  const auto gpus = node.allocatable.find(kGpu);
  return gpus == node.allocatable.end() ? 0 : gpus->second.value();
}

/// How many nodes it has changed.
std::size_t share(std::span<kube::Node> nodes, const InForce& in_force) {
  if (in_force.map == nullptr) return 0;
  std::size_t changed = 0;
  for (kube::Node& node : nodes) {
    const std::int64_t gpus = unshared_gpus(node);
    if (gpus == 0) continue;
    const std::string* file = capacity::plugin_file_of(node, in_force.map->data, in_force.fallback);
    if (file == nullptr) continue;
    const auto sharing = capacity::read_gpu_sharing(*file);
    if (!sharing) continue;
    capacity::advertise(capacity::advertised(node, gpus, *sharing), node);
    ++changed;
  }
  return changed;
}

Diagnostic warning_about(const kube::ConfigMap& map, std::string message, std::string hint) {
  Diagnostic warning;
  warning.severity = Severity::kWarning;
  warning.at = map.metadata.source;
  warning.subject = fmt::format("ConfigMap {}/{}", map.metadata.namespace_, map.metadata.name);
  warning.message = std::move(message);
  warning.hint = std::move(hint);
  return warning;
}

}  // namespace

Diagnostics share_gpus(kube::Objects& objects) {
  const std::vector<const kube::ConfigMap*> candidates = sharing_configurations(objects);
  const InForce in_force = find_in_force(objects, candidates);
  const std::size_t changed = share(objects.of<kube::Node>(), in_force);
  Diagnostics told;
  if (changed > 0 && in_force.is_assumed) {
    told.push_back(warning_about(
        *in_force.map,
        fmt::format("shares the GPUs of {} node{}: it is taken to be the configuration of NVIDIA's device plugin, of "
                    "which the input holds none",
                    changed, changed == 1 ? "" : "s"),
        "give the plugin's DaemonSet, which mounts it, or gpu-operator's ClusterPolicy, which names it"));
  }
  const bool has_gpus =
      std::ranges::any_of(objects.of<kube::Node>(), [](const kube::Node& node) { return unshared_gpus(node) > 0; });
  if (in_force.map == nullptr && has_gpus) {
    for (const kube::ConfigMap* map : candidates) {
      told.push_back(warning_about(*map, "shares no GPUs: no device plugin of the input mounts it",
                                   "mount it in the plugin's DaemonSet, or name it in gpu-operator's ClusterPolicy"));
    }
  }
  return told;
}

void share_gpus_of(std::span<kube::Node> nodes, const kube::Objects& objects) {
  share(nodes, find_in_force(objects, sharing_configurations(objects)));
}

}  // namespace loadline::simulator
