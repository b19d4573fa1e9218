#include "objects/kube/overlay.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/kueue/unread_job.h"
#include "objects/kube/nvidia/device_plugin.h"
#include "objects/kube/scheduling/workload_reference.h"

namespace loadline::kube {
namespace {

template <class Item>
void append(std::vector<Item>& to, std::vector<Item>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

/// A DaemonSet that is applied over another mounts what it says itself.
void replace_plugins(std::vector<DevicePlugin>& plugins, const std::vector<DevicePlugin>& added) {
  for (const DevicePlugin& plugin : added) {
    std::erase_if(plugins, [&](const DevicePlugin& earlier) {
      return earlier.name_space == plugin.name_space && earlier.name == plugin.name;
    });
    plugins.push_back(plugin);
  }
}

/// A ConfigMap that is applied over another carries what it says itself.
void forget_configurations_of(const std::vector<ConfigMap>& added,
                              std::vector<SchedulerConfiguration>& configurations) {
  if (std::ranges::none_of(configurations, [](const auto& each) { return each.config_map.has_value(); })) return;
  std::set<std::pair<std::string_view, std::string_view>> names;
  for (const ConfigMap& map : added) names.emplace(map.metadata.namespace_, map.metadata.name);
  std::erase_if(configurations, [&](const SchedulerConfiguration& each) {
    return each.config_map && names.contains({each.config_map->name_space, each.config_map->name});
  });
}

}  // namespace

void Overlay::warn(const ObjectMeta& metadata, std::string_view kind) {
  const std::string name = metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
  warnings_.push_back({.severity = Severity::kWarning,
                       .at = metadata.source,
                       .subject = fmt::format("{} {}", kind, name),
                       .path = "",
                       .message = "defined more than once; the last definition counts",
                       .hint = ""});
}

Diagnostics apply_over(Objects& objects, Objects added) {
  Diagnostics warnings;
  Overlay overlay(warnings);
  // A Workload of Kubernetes 1.35 may be on one side, and the pods that name its groups on the other.
  forget_groups_of_references(objects);
  forget_groups_of_references(added);
  forget_configurations_of(added.of<ConfigMap>(), objects.of<SchedulerConfiguration>());
  std::set<std::size_t> merged;  // a kind in two versions has one list
  for (const KindInfo& info : known_kinds()) {
    if (merged.insert(info.number).second) info.merge(overlay, info, objects, added);
  }
  append(objects.of<SchedulerConfiguration>(), added.of<SchedulerConfiguration>());
  if (!added.of<KueueConfiguration>().empty()) {
    objects.of<KueueConfiguration>() = std::move(added.of<KueueConfiguration>());
  }
  append(objects.of<ReferenceToWorkload>(), added.of<ReferenceToWorkload>());
  append(objects.of<UnreadJob>(), added.of<UnreadJob>());
  replace_plugins(objects.of<DevicePlugin>(), added.of<DevicePlugin>());
  make_groups_of_references(objects);
  append(objects.skipped, added.skipped);
  objects.is_whole_cluster = objects.is_whole_cluster || added.is_whole_cluster;
  return warnings;
}

}  // namespace loadline::kube
