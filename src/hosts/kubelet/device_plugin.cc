#include "hosts/kubelet/device_plugin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/kubelet/annotations.h"

namespace loadline::kubelet {
namespace {

using capacity::GpuSharing;
using document::Value;
using watching::Caches;
using watching::Change;
using watching::ObjectKey;
using watching::Observed;

constexpr std::string_view kGpu = "nvidia.com/gpu";
constexpr std::string_view kCountLabel = "nvidia.com/gpu.count";
constexpr std::string_view kReplicasLabel = "nvidia.com/gpu.replicas";
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

bool shares_gpus(const kube::ConfigMap& map) {
  return std::any_of(map.data.begin(), map.data.end(),
                     [](const auto& file) { return capacity::read_gpu_sharing(file.second).has_value(); });
}

/// Keeps the key while `is_one`. True if anything of it matters: it is one now, or was one before.
bool note(std::set<ObjectKey>& keys, const ObjectKey& key, bool is_one) {
  if (is_one) {
    keys.insert(key);
    return true;
  }
  return keys.erase(key) > 0;
}

bool is_running(const kube::Pod& pod) { return pod.status.phase == kube::PodPhase::kRunning; }

}  // namespace

bool is_device_plugin(const kube::Pod& pod) { return capacity::is_device_plugin(*pod.spec); }

bool DevicePlugins::on_change(const Change<kube::ConfigMap>& change) {
  return note(configurations_, change.last().key(), change.after != nullptr && shares_gpus(change.after->view));
}

bool DevicePlugins::on_change(const Change<kube::DaemonSet>& change) {
  const bool is_one = change.after != nullptr && capacity::may_share_gpus(change.after->key().name_space) &&
                      change.after->view.template_.spec != nullptr &&
                      capacity::is_device_plugin(*change.after->view.template_.spec);
  const std::size_t before = daemon_sets_.size();
  note(daemon_sets_, change.last().key(), is_one);
  return daemon_sets_.size() != before;  // what its pods do, they say themselves
}

bool DevicePlugins::on_change(const Change<kube::Pod>& change) {
  if (!is_device_plugin(change.last().view)) return false;
  const ObjectKey key = change.last().key();
  note(pods_, key, change.after != nullptr && capacity::may_share_gpus(key.name_space));
  return change.before == nullptr || change.after == nullptr ||
         change.before->view.status.phase != change.after->view.status.phase;
}

DevicePlugins::Configuration DevicePlugins::in_force(const Observed<kube::Node>& node,
                                                     const Observed<kube::Pod>* plugin, const Caches& caches) const {
  const auto file_of = [&](const ObjectKey& key, std::string_view fallback) -> const std::string* {
    const auto map = caches.of<kube::ConfigMap>().find(key);  // stays in the cache while this is asked
    return map == nullptr ? nullptr : capacity::plugin_file_of(node.view, map->view.data, fallback);
  };
  if (plugin != nullptr) {
    for (const std::string& name : kube::mounted_config_maps(document::value_at(plugin->document, {"spec"}))) {
      const ObjectKey key{plugin->metadata().namespace_, name};
      if (configurations_.contains(key)) return {file_of(key, {}), {}};
    }
  }
  bool is_managed = false;
  for (const auto& [name, policy] : caches.of<kube::ClusterPolicy>().in("")) {
    is_managed = true;
    for (const ObjectKey& key : configurations_) {
      const bool is_named = key.name == policy->view.plugin_config && capacity::may_share_gpus(key.name_space);
      if (is_named) return {file_of(key, policy->view.plugin_config_default), {}};
    }
  }
  if (is_managed || has_any()) return {};
  const auto first = std::ranges::find_if(
      configurations_, [](const ObjectKey& key) { return capacity::may_share_gpus(key.name_space); });
  if (first == configurations_.end()) return {};
  return {file_of(*first, {}),
          fmt::format("GPUs are shared as ConfigMap {} says, though no device plugin mounts it: the cluster has none",
                      first->to_string())};
}

AdvertisedDevices DevicePlugins::devices_of(const Observed<kube::Node>& node, const Caches& caches) const {
  const bool needs_plugin = node.metadata().annotations.contains(std::string(kGpus));
  const bool was_shared = !label(node.view, kReplicasLabel).empty();
  const bool has_gpus = needs_plugin || was_shared || node.view.capacity.contains(std::string(kGpu)) ||
                        !label(node.view, kCountLabel).empty();
  if (!has_gpus) return {};
  const Observed<kube::Pod>* plugin = nullptr;
  for (const auto& [key, pod] : caches.pods_on(node.metadata().name)) {
    if (is_running(pod->view) && is_device_plugin(pod->view)) plugin = pod.get();
  }
  if (plugin == nullptr && needs_plugin) {
    return {{{{std::string(kGpu), std::nullopt}, {std::string(kGpu) + ".shared", std::nullopt}}, {}}, {}};
  }
  Configuration configuration = in_force(node, plugin, caches);
  const std::optional<GpuSharing> sharing =
      configuration.file == nullptr ? std::nullopt : capacity::read_gpu_sharing(*configuration.file);
  // Without a plugin, what was declared is advertised; a plugin that is gone shares nothing any more.
  if (plugin == nullptr && !sharing && !was_shared) return {};
  if (!sharing) configuration.assumption.clear();
  return {capacity::advertised(node.view, gpu_count(node.view), sharing.value_or(GpuSharing())),
          std::move(configuration.assumption)};
}

}  // namespace loadline::kubelet
