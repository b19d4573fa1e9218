#include "objects/kube/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/namespace_schema.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/service_account_schema.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/defaults.h"
#include "objects/kube/node/runtime_class_schema.h"
#include "objects/kube/object_reader.h"
#include "objects/kube/objects.h"
#include "objects/kube/overlay.h"
#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "objects/kube/scheduling/priority_class_schema.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/validation.h"
#include "objects/schema/published.h"

namespace loadline::kube {

namespace {

template <auto Member>
struct ListOf;
template <class Kind, std::vector<Kind> Objects::* Member>
struct ListOf<Member> {
  using KindType = Kind;
};

/// The life of a document: decode, complete, default, validate, keep.
template <auto Member>
void read_kind(ObjectReader& reader, const KindInfo& info, const document::Value& value) {
  Decoder decoder = reader.start(info, value);
  typename ListOf<Member>::KindType object;
  decode_object(decoder, value, Path(info.schema), *info.schema, &object);
  reader.complete(decoder, info, value, object.metadata);
  set_defaults(object);
  reader.report(decoder, value, validate(object));
  auto& kept = reader.objects().*Member;
  const auto place = reader.place_for(decoder, info, value, object.metadata, kept.size());
  if (place) put(kept, *place, std::move(object));
}

template <auto Member>
void merge_kind(Overlay& overlay, const KindInfo& info, Objects& objects, Objects& added) {
  overlay.merge(objects.*Member, added.*Member, info.kind);
}

/// A kind as this table names it; its plural and its scope are published.
struct Row {
  std::string_view api_version;
  std::string_view kind;
  const Schema* schema;
  KindInfo::Read read;
  KindInfo::Merge merge;
};

template <auto Member>
constexpr Row kind(std::string_view api_version, std::string_view name, const Schema& schema) {
  return {api_version, name, &schema, read_kind<Member>, merge_kind<Member>};
}

constexpr std::string_view kCore = "v1";
constexpr std::string_view kApps = "apps/v1";
constexpr std::string_view kBatch = "batch/v1";
constexpr std::string_view kNode = "node.k8s.io/v1";
constexpr std::string_view kPolicy = "policy/v1";
constexpr std::string_view kScheduling = "scheduling.k8s.io/v1";
constexpr std::string_view kStorage = "storage.k8s.io/v1";

// clang-format off
constexpr std::array kRows = {
    kind<&Objects::pods>(kCore, "Pod", kPodSchema),
    kind<&Objects::nodes>(kCore, "Node", kNodeSchema),
    kind<&Objects::namespaces>(kCore, "Namespace", kNamespaceSchema),
    kind<&Objects::resource_quotas>(kCore, "ResourceQuota", kResourceQuotaSchema),
    kind<&Objects::limit_ranges>(kCore, "LimitRange", kLimitRangeSchema),
    kind<&Objects::services>(kCore, "Service", kServiceSchema),
    kind<&Objects::replication_controllers>(kCore, "ReplicationController", kReplicationControllerSchema),
    kind<&Objects::config_maps>(kCore, "ConfigMap", kConfigMapSchema),
    kind<&Objects::persistent_volumes>(kCore, "PersistentVolume", kPersistentVolumeSchema),
    kind<&Objects::persistent_volume_claims>(kCore, "PersistentVolumeClaim", kPersistentVolumeClaimSchema),
    kind<&Objects::deployments>(kApps, "Deployment", kDeploymentSchema),
    kind<&Objects::replica_sets>(kApps, "ReplicaSet", kReplicaSetSchema),
    kind<&Objects::stateful_sets>(kApps, "StatefulSet", kStatefulSetSchema),
    kind<&Objects::daemon_sets>(kApps, "DaemonSet", kDaemonSetSchema),
    kind<&Objects::jobs>(kBatch, "Job", kJobSchema),
    kind<&Objects::cron_jobs>(kBatch, "CronJob", kCronJobSchema),
    kind<&Objects::pod_disruption_budgets>(kPolicy, "PodDisruptionBudget", kPodDisruptionBudgetSchema),
    kind<&Objects::priority_classes>(kScheduling, "PriorityClass", kPriorityClassSchema),
    kind<&Objects::runtime_classes>(kNode, "RuntimeClass", kRuntimeClassSchema),
    kind<&Objects::service_accounts>(kCore, "ServiceAccount", kServiceAccountSchema),
    kind<&Objects::storage_classes>(kStorage, "StorageClass", kStorageClassSchema),
    kind<&Objects::csi_nodes>(kStorage, "CSINode", kCsiNodeSchema),
    kind<&Objects::csi_drivers>(kStorage, "CSIDriver", kCsiDriverSchema),
    kind<&Objects::csi_storage_capacities>(kStorage, "CSIStorageCapacity", kCsiStorageCapacitySchema),
    kind<&Objects::volume_attachments>(kStorage, "VolumeAttachment", kVolumeAttachmentSchema),
};
// clang-format on

std::vector<KindInfo> make_kinds() {
  std::vector<KindInfo> kinds;
  for (const Row& row : kRows) {
    const schema::Resource* resource = schema::find_published(row.api_version, row.kind);
    REQUIRES(resource != nullptr);
    const Scope scope = resource->is_namespaced ? Scope::kNamespaced : Scope::kCluster;
    kinds.push_back({row.api_version, row.kind, resource->plural, scope, row.schema, row.read, row.merge});
  }
  return kinds;
}

std::set<std::string, std::less<>> published_versions() {
  std::set<std::string, std::less<>> versions;
  for (const auto& resource : schema::kubernetes().resources) versions.insert(resource->kind.api_version());
  return versions;
}

}  // namespace

std::span<const KindInfo> known_kinds() {
  static const auto& kinds = *new std::vector<KindInfo>(make_kinds());
  return kinds;
}

const KindInfo* find_kind(std::string_view api_version, std::string_view name) {
  for (const KindInfo& info : known_kinds()) {
    if (info.kind == name && info.api_version == api_version) return &info;
  }
  return nullptr;
}

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo& info : known_kinds()) {
    if (info.kind == name) return &info;
  }
  return nullptr;
}

bool is_misspelled_kind(std::string_view api_version, std::string_view name) {
  if (schema::kubernetes().types_by_kind.contains(fmt::format("{} {}", api_version, name))) return false;
  static const auto& versions = *new std::set<std::string, std::less<>>(published_versions());
  return versions.contains(api_version);
}

}  // namespace loadline::kube
