#include "hosts/kubelet/device_plugin.h"

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/kubelet/annotations.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/service.h"

namespace loadline::kubelet {
namespace {

using controllers::Caches;
using controllers::Observed;
using document::Value;

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kCountLabel = "nvidia.com/gpu.count";
constexpr std::string_view kReplicasLabel = "nvidia.com/gpu.replicas";
constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";
constexpr std::string_view kSharedSuffix = "-SHARED";
constexpr std::int64_t kMostDevices = 1'000'000;

std::optional<std::int64_t> read_count(std::string_view text) {
  if (text.empty() || text.size() > 7 || text.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  return std::min<std::int64_t>(std::stoll(std::string(text)), kMostDevices);
}

std::string_view label(const kube::Node& node, std::string_view key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

/// How many GPUs the machine has, whether or not a device plugin advertises them.
std::int64_t gpu_count(const kube::Node& node) {
  const AnnotationReader annotations(node.metadata.annotations);
  if (const std::string* declared = annotations.text(kGpus)) return read_count(*declared).value_or(0);
  if (const auto counted = read_count(label(node, kCountLabel))) return *counted;
  const auto capacity = node.capacity.find(kGpu);
  return capacity == node.capacity.end() ? 0 : std::min(capacity->second.value(), kMostDevices);
}

// ---- the plugin's configuration ------------------------------------------------------------------------------------

std::optional<GpuSharing> read_strategy(const Value& config, const char* field, const char* strategy) {
  const Value* sharing = document::find_at(config, {"sharing", field});
  const Value* resources = sharing == nullptr ? nullptr : sharing->find("resources");
  if (resources == nullptr || !resources->is_array()) return std::nullopt;
  const Value* renames = sharing->find("renameByDefault");
  const bool is_renamed = renames != nullptr && renames->is_boolean() && renames->boolean();
  for (const Value& resource : resources->array()) {
    const Value* replicas = resource.find("replicas");
    if (document::text_at(resource, {"name"}) != kGpu || replicas == nullptr || !replicas->is_integer()) continue;
    GpuSharing found{strategy, std::clamp<std::int64_t>(replicas->integer(), 1, kMostDevices), std::string(kGpu)};
    const std::string_view rename = document::text_at(resource, {"rename"});
    if (!rename.empty()) {
      found.resource = rename.find('/') == std::string_view::npos ? "nvidia.com/" + std::string(rename) : rename;
    } else if (is_renamed) {
      found.resource = std::string(kGpu) + ".shared";
    }
    return found;
  }
  return std::nullopt;
}

/// Of several files the one that the node asks for, or that is called as if it were the only one.
const std::string* choose_file(const kube::ConfigMap& config, std::string_view wanted) {
  const auto find = [&](std::string_view key) -> const std::string* {
    const auto found = config.data.find(key);
    return found == config.data.end() ? nullptr : &found->second;
  };
  if (!wanted.empty()) return find(wanted);
  if (config.data.size() == 1) return &config.data.begin()->second;
  for (const std::string_view key : {"config.yaml", "default", "any"}) {
    if (const std::string* file = find(key)) return file;
  }
  return nullptr;
}

controllers::ObjectPtr<kube::ConfigMap> find_config(const Observed<kube::Pod>& plugin, const Caches& caches) {
  const auto& maps = caches.of<kube::ConfigMap>();
  const std::string& name_space = plugin.metadata().namespace_;
  if (const Value* volumes = document::find_at(plugin.document, {"spec", "volumes"}); volumes && volumes->is_array()) {
    for (const Value& volume : volumes->array()) {
      const std::string_view name = document::text_at(volume, {"configMap", "name"});
      if (name.empty() || name == "kube-root-ca.crt") continue;
      if (const auto found = maps.find(name_space, name)) return found;
    }
  }
  for (const auto& [name, map] : maps.in(name_space)) {
    if (name.find("device-plugin-config") != std::string::npos) return map;
  }
  return nullptr;
}

GpuSharing sharing_of(const Observed<kube::Pod>& plugin, const kube::Node& node, const Caches& caches) {
  const auto config = find_config(plugin, caches);
  if (config == nullptr) return {};
  const std::string* file = choose_file(config->view, label(node, "nvidia.com/device-plugin.config"));
  return file == nullptr ? GpuSharing() : read_gpu_sharing(*file).value_or(GpuSharing());
}

// ---- what is advertised --------------------------------------------------------------------------------------------

std::string product(const kube::Node& node, bool is_shared) {
  std::string name(label(node, kProductLabel));
  if (name.ends_with(kSharedSuffix)) name.resize(name.size() - kSharedSuffix.size());
  return is_shared ? name + std::string(kSharedSuffix) : name;
}

Devices advertise(const kube::Node& node, std::int64_t count, const GpuSharing& sharing) {
  Devices devices;
  const bool is_renamed = sharing.resource != kGpu;
  devices.amounts[std::string(kGpu)] = is_renamed ? 0 : count * sharing.replicas;
  const std::string shared = is_renamed ? sharing.resource : std::string(kGpu) + ".shared";
  devices.amounts[shared] = is_renamed ? std::optional(count * sharing.replicas) : std::nullopt;
  devices.labels[std::string(kCountLabel)] = std::to_string(count);
  devices.labels[std::string(kReplicasLabel)] = std::to_string(sharing.replicas);
  devices.labels["nvidia.com/gpu.sharing-strategy"] = sharing.strategy;
  devices.labels["nvidia.com/mps.capable"] = sharing.strategy == "mps" ? "true" : "false";
  if (!label(node, kProductLabel).empty()) {
    devices.labels[std::string(kProductLabel)] = product(node, sharing.replicas > 1 && !is_renamed);
  }
  return devices;
}

}  // namespace

std::optional<GpuSharing> read_gpu_sharing(std::string_view yaml) {
  const document::Reading reading = document::read(yaml, "config");
  if (reading.documents.empty() || !reading.documents.front().is_object()) return std::nullopt;
  const Value& config = reading.documents.front();
  if (auto sharing = read_strategy(config, "timeSlicing", "time-slicing")) return sharing;
  return read_strategy(config, "mps", "mps");
}

bool is_device_plugin(const kube::Pod& pod) {
  return std::any_of(pod.spec->containers.begin(), pod.spec->containers.end(), [](const kube::Container& container) {
    return container.image.find("k8s-device-plugin") != std::string::npos;
  });
}

Devices devices_of(const Observed<kube::Node>& node, const Caches& caches) {
  const bool needs_plugin = node.metadata().annotations.contains(std::string(kGpus));
  const bool was_shared = !label(node.view, kReplicasLabel).empty();
  const bool has_gpus = needs_plugin || was_shared || node.view.capacity.contains(std::string(kGpu)) ||
                        !label(node.view, kCountLabel).empty();
  if (!has_gpus) return {};
  for (const auto& [key, pod] : caches.pods_on(node.metadata().name)) {
    if (pod->view.status.phase != kube::PodPhase::kRunning || !is_device_plugin(pod->view)) continue;
    return advertise(node.view, gpu_count(node.view), sharing_of(*pod, node.view, caches));
  }
  if (needs_plugin) {
    return {{{std::string(kGpu), std::nullopt}, {std::string(kGpu) + ".shared", std::nullopt}}, {}};
  }
  // Without a plugin, what was declared is advertised; a plugin that is gone shares nothing any more.
  return was_shared ? advertise(node.view, gpu_count(node.view), {}) : Devices();
}

}  // namespace loadline::kubelet
