#include "objects/kube/overlay.h"

#include <fmt/format.h>

#include <map>
#include <type_traits>
#include <utility>

#include "objects/kube/generated_name.h"

namespace loadline::kube {
namespace {

/// True for kinds whose live object says more than a manifest that is applied over it could change.
template <class Kind>
constexpr bool kKeepsItsState =
    std::is_same_v<Kind, Pod> || std::is_same_v<Kind, PersistentVolumeClaim> || std::is_same_v<Kind, PersistentVolume>;

class Overlay {
 public:
  explicit Overlay(Diagnostics& warnings) : warnings_(warnings) {}

  template <class Kind>
  void merge(std::vector<Kind>& objects, std::vector<Kind>& added, std::string_view kind) {
    const std::size_t before = objects.size();
    std::map<std::pair<std::string, std::string>, std::size_t> index;
    for (std::size_t i = 0; i < before; ++i) index.emplace(key(objects[i].metadata), i);
    for (Kind& object : added) {
      if (object.metadata.name_was_generated) {  // each one is new
        object.metadata.name = generate_name(object.metadata, kind, [&](const std::string& name) {
          return index.contains({object.metadata.namespace_, name});
        });
      }
      const auto [found, fresh] = index.try_emplace(key(object.metadata), objects.size());
      if (fresh) {
        objects.push_back(std::move(object));
        added_.insert({{kind, found->second}, true});
        continue;
      }
      const bool again = !added_.insert({{kind, found->second}, true}).second;
      if (again) warn(object.metadata, kind);
      replace(objects[found->second], std::move(object), again);
    }
  }

 private:
  static std::pair<std::string, std::string> key(const ObjectMeta& metadata) {
    return {metadata.namespace_, metadata.name};
  }

  template <class Kind>
  static void replace(Kind& old, Kind&& object, bool again) {
    if (kKeepsItsState<Kind> && !again) return;
    object.metadata.uid = std::move(old.metadata.uid);
    object.metadata.creation_timestamp = old.metadata.creation_timestamp;
    old = std::move(object);
  }

  void warn(const ObjectMeta& metadata, std::string_view kind) {
    const std::string name = metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + "/" + metadata.name;
    warnings_.push_back({.severity = Severity::kWarning,
                         .at = metadata.source,
                         .subject = fmt::format("{} {}", kind, name),
                         .path = "",
                         .message = "defined more than once; the last definition counts",
                         .hint = ""});
  }

  Diagnostics& warnings_;
  std::map<std::pair<std::string_view, std::size_t>, bool> added_;
};

template <class Item>
void append(std::vector<Item>& to, std::vector<Item>& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

Diagnostics apply_over(Objects& objects, Objects added) {
  Diagnostics warnings;
  Overlay overlay(warnings);
  overlay.merge(objects.namespaces, added.namespaces, "Namespace");
  overlay.merge(objects.nodes, added.nodes, "Node");
  overlay.merge(objects.pods, added.pods, "Pod");
  overlay.merge(objects.priority_classes, added.priority_classes, "PriorityClass");
  overlay.merge(objects.runtime_classes, added.runtime_classes, "RuntimeClass");
  overlay.merge(objects.service_accounts, added.service_accounts, "ServiceAccount");
  overlay.merge(objects.resource_quotas, added.resource_quotas, "ResourceQuota");
  overlay.merge(objects.limit_ranges, added.limit_ranges, "LimitRange");
  overlay.merge(objects.pod_disruption_budgets, added.pod_disruption_budgets, "PodDisruptionBudget");
  overlay.merge(objects.deployments, added.deployments, "Deployment");
  overlay.merge(objects.replica_sets, added.replica_sets, "ReplicaSet");
  overlay.merge(objects.stateful_sets, added.stateful_sets, "StatefulSet");
  overlay.merge(objects.daemon_sets, added.daemon_sets, "DaemonSet");
  overlay.merge(objects.jobs, added.jobs, "Job");
  overlay.merge(objects.cron_jobs, added.cron_jobs, "CronJob");
  overlay.merge(objects.services, added.services, "Service");
  overlay.merge(objects.replication_controllers, added.replication_controllers, "ReplicationController");
  overlay.merge(objects.persistent_volumes, added.persistent_volumes, "PersistentVolume");
  overlay.merge(objects.persistent_volume_claims, added.persistent_volume_claims, "PersistentVolumeClaim");
  overlay.merge(objects.storage_classes, added.storage_classes, "StorageClass");
  overlay.merge(objects.csi_nodes, added.csi_nodes, "CSINode");
  overlay.merge(objects.csi_drivers, added.csi_drivers, "CSIDriver");
  overlay.merge(objects.csi_storage_capacities, added.csi_storage_capacities, "CSIStorageCapacity");
  overlay.merge(objects.volume_attachments, added.volume_attachments, "VolumeAttachment");
  overlay.merge(objects.config_maps, added.config_maps, "ConfigMap");
  append(objects.scheduler_configurations, added.scheduler_configurations);
  append(objects.skipped, added.skipped);
  objects.is_whole_cluster = objects.is_whole_cluster || added.is_whole_cluster;
  return warnings;
}

}  // namespace loadline::kube
