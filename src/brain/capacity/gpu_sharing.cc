#include "brain/capacity/gpu_sharing.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/nvidia/device_plugin.h"

namespace loadline::capacity {
namespace {

using document::Value;

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kProductLabel = "nvidia.com/gpu.product";
constexpr std::string_view kSharedSuffix = "-SHARED";
constexpr std::int64_t kMostReplicas = 1'000'000;
constexpr std::string_view kSystemNamespaces[] = {"kube-system", "gpu-operator", "nvidia-gpu-operator",
                                                  "nvidia-device-plugin"};

std::string_view label(const kube::Node& node, std::string_view key) {
  const auto found = node.metadata.labels.find(key);
  return found == node.metadata.labels.end() ? std::string_view() : std::string_view(found->second);
}

std::optional<GpuSharing> read_strategy(const Value& config, const char* field, const char* strategy) {
  const Value* sharing = document::find_at(config, {"sharing", field});
  const Value* resources = sharing == nullptr ? nullptr : sharing->find("resources");
  if (resources == nullptr || !resources->is_array()) return std::nullopt;
  const Value* renames = sharing->find("renameByDefault");
  const bool is_renamed = renames != nullptr && renames->is_boolean() && renames->boolean();
  for (const Value& resource : resources->array()) {
    const Value* replicas = resource.find("replicas");
    if (document::text_at(resource, {"name"}) != kGpu || replicas == nullptr || !replicas->is_integer()) continue;
    GpuSharing found{strategy, std::clamp<std::int64_t>(replicas->integer(), 1, kMostReplicas), std::string(kGpu)};
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

std::string product(const kube::Node& node, bool is_shared) {
  std::string name(label(node, kProductLabel));
  if (name.ends_with(kSharedSuffix)) name.resize(name.size() - kSharedSuffix.size());
  return is_shared ? name + std::string(kSharedSuffix) : name;
}

}  // namespace

std::optional<GpuSharing> read_gpu_sharing(std::string_view yaml) {
  if (yaml.find("sharing") == std::string_view::npos) return std::nullopt;
  const document::Reading reading = document::read(yaml, "config");
  if (reading.documents.empty() || !reading.documents.front().is_object()) return std::nullopt;
  const Value& config = reading.documents.front();
  if (auto sharing = read_strategy(config, "timeSlicing", "time-slicing")) return sharing;
  return read_strategy(config, "mps", "mps");
}

const std::string* plugin_file_of(const kube::Node& node, const kube::StringMap& files, std::string_view fallback) {
  const auto find = [&](std::string_view key) -> const std::string* {
    const auto found = files.find(key);
    return found == files.end() ? nullptr : &found->second;
  };
  const std::string_view wanted = label(node, "nvidia.com/device-plugin.config");
  if (!wanted.empty()) return find(wanted);
  if (!fallback.empty()) return find(fallback);
  if (files.size() == 1) return &files.begin()->second;
  for (const std::string_view key : {"config.yaml", "default", "any"}) {
    if (const std::string* file = find(key)) return file;
  }
  return nullptr;
}

bool may_share_gpus(std::string_view name_space) {
  return std::ranges::find(kSystemNamespaces, name_space) != std::end(kSystemNamespaces);
}

bool is_device_plugin(const kube::PodSpec& pod) {
  const auto is_plugin = [](const kube::Container& each) { return kube::is_device_plugin_image(each.image); };
  return std::ranges::any_of(pod.containers, is_plugin) && std::ranges::any_of(pod.volumes, &kube::Volume::host_path);
}

Devices advertised(const kube::Node& node, std::int64_t gpus, const GpuSharing& sharing) {
  Devices devices;
  const bool is_renamed = sharing.resource != kGpu;
  devices.amounts[std::string(kGpu)] = is_renamed ? 0 : gpus * sharing.replicas;
  const std::string shared = is_renamed ? sharing.resource : std::string(kGpu) + ".shared";
  devices.amounts[shared] = is_renamed ? std::optional(gpus * sharing.replicas) : std::nullopt;
  devices.labels["nvidia.com/gpu.count"] = std::to_string(gpus);
  devices.labels["nvidia.com/gpu.replicas"] = std::to_string(sharing.replicas);
  devices.labels["nvidia.com/gpu.sharing-strategy"] = sharing.strategy;
  devices.labels["nvidia.com/mps.capable"] = sharing.strategy == "mps" ? "true" : "false";
  if (!label(node, kProductLabel).empty()) {
    devices.labels[std::string(kProductLabel)] = product(node, sharing.replicas > 1 && !is_renamed);
  }
  return devices;
}

void advertise(const Devices& devices, kube::Node& node) {
  for (const auto& [resource, amount] : devices.amounts) {
    for (kube::ResourceList* list : {&node.capacity, &node.allocatable}) {
      if (amount) {
        (*list)[resource] = kube::Quantity::of(*amount);
      } else {
        list->erase(resource);
      }
    }
  }
  for (const auto& [key, value] : devices.labels) {
    if (value) {
      node.metadata.labels[key] = *value;
    } else {
      node.metadata.labels.erase(key);
    }
  }
}

}  // namespace loadline::capacity
