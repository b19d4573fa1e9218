#include "objects/kube/registry.h"

#include <algorithm>
#include <array>
#include <utility>

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
#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "objects/kube/scheduling/priority_class_schema.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/validation.h"

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
constexpr KindInfo kind(std::string_view api_version, std::string_view name, std::string_view plural, Scope scope,
                        const Schema& schema) {
  return {api_version, name, plural, scope, &schema, read_kind<Member>};
}

constexpr Scope kCluster = Scope::kCluster;
constexpr Scope kNamespaced = Scope::kNamespaced;
constexpr std::string_view kCore = "v1";
constexpr std::string_view kApps = "apps/v1";
constexpr std::string_view kBatch = "batch/v1";
constexpr std::string_view kNode = "node.k8s.io/v1";
constexpr std::string_view kPolicy = "policy/v1";
constexpr std::string_view kScheduling = "scheduling.k8s.io/v1";
constexpr std::string_view kStorage = "storage.k8s.io/v1";

// clang-format off
constexpr std::array kKinds = {
    kind<&Objects::pods>(kCore, "Pod", "pods", kNamespaced, kPodSchema),
    kind<&Objects::nodes>(kCore, "Node", "nodes", kCluster, kNodeSchema),
    kind<&Objects::namespaces>(kCore, "Namespace", "namespaces", kCluster, kNamespaceSchema),
    kind<&Objects::resource_quotas>(kCore, "ResourceQuota", "resourcequotas", kNamespaced, kResourceQuotaSchema),
    kind<&Objects::limit_ranges>(kCore, "LimitRange", "limitranges", kNamespaced, kLimitRangeSchema),
    kind<&Objects::services>(kCore, "Service", "services", kNamespaced, kServiceSchema),
    kind<&Objects::replication_controllers>(kCore, "ReplicationController", "replicationcontrollers", kNamespaced,
                                            kReplicationControllerSchema),
    kind<&Objects::config_maps>(kCore, "ConfigMap", "configmaps", kNamespaced, kConfigMapSchema),
    kind<&Objects::persistent_volumes>(kCore, "PersistentVolume", "persistentvolumes", kCluster,
                                       kPersistentVolumeSchema),
    kind<&Objects::persistent_volume_claims>(kCore, "PersistentVolumeClaim", "persistentvolumeclaims", kNamespaced,
                                             kPersistentVolumeClaimSchema),
    kind<&Objects::deployments>(kApps, "Deployment", "deployments", kNamespaced, kDeploymentSchema),
    kind<&Objects::replica_sets>(kApps, "ReplicaSet", "replicasets", kNamespaced, kReplicaSetSchema),
    kind<&Objects::stateful_sets>(kApps, "StatefulSet", "statefulsets", kNamespaced, kStatefulSetSchema),
    kind<&Objects::daemon_sets>(kApps, "DaemonSet", "daemonsets", kNamespaced, kDaemonSetSchema),
    kind<&Objects::jobs>(kBatch, "Job", "jobs", kNamespaced, kJobSchema),
    kind<&Objects::cron_jobs>(kBatch, "CronJob", "cronjobs", kNamespaced, kCronJobSchema),
    kind<&Objects::pod_disruption_budgets>(kPolicy, "PodDisruptionBudget", "poddisruptionbudgets", kNamespaced,
                                           kPodDisruptionBudgetSchema),
    kind<&Objects::priority_classes>(kScheduling, "PriorityClass", "priorityclasses", kCluster, kPriorityClassSchema),
    kind<&Objects::runtime_classes>(kNode, "RuntimeClass", "runtimeclasses", kCluster, kRuntimeClassSchema),
    kind<&Objects::service_accounts>(kCore, "ServiceAccount", "serviceaccounts", kNamespaced, kServiceAccountSchema),
    kind<&Objects::storage_classes>(kStorage, "StorageClass", "storageclasses", kCluster, kStorageClassSchema),
    kind<&Objects::csi_nodes>(kStorage, "CSINode", "csinodes", kCluster, kCsiNodeSchema),
    kind<&Objects::csi_drivers>(kStorage, "CSIDriver", "csidrivers", kCluster, kCsiDriverSchema),
    kind<&Objects::csi_storage_capacities>(kStorage, "CSIStorageCapacity", "csistoragecapacities", kNamespaced,
                                           kCsiStorageCapacitySchema),
    kind<&Objects::volume_attachments>(kStorage, "VolumeAttachment", "volumeattachments", kCluster,
                                       kVolumeAttachmentSchema),
};

struct NamedKind {
  std::string_view api_version;
  std::string_view kind;
};

// Kinds of the versions above that exist, but bear on no decision.
constexpr NamedKind kUnreadKinds[] = {
    {kCore, "Binding"}, {kCore, "ComponentStatus"}, {kCore, "Endpoints"}, {kCore, "Event"}, {kCore, "PodTemplate"},
    {kCore, "Secret"}, {kCore, "Status"}, {kApps, "ControllerRevision"},
    {kPolicy, "Eviction"}, {kStorage, "VolumeAttributesClass"},
};
// clang-format on

}  // namespace

std::span<const KindInfo> known_kinds() { return kKinds; }

const KindInfo* find_kind(std::string_view api_version, std::string_view name) {
  for (const KindInfo& info : kKinds) {
    if (info.kind == name && info.api_version == api_version) return &info;
  }
  return nullptr;
}

const KindInfo* find_kind(std::string_view name) {
  for (const KindInfo& info : kKinds) {
    if (info.kind == name) return &info;
  }
  return nullptr;
}

bool is_misspelled_kind(std::string_view api_version, std::string_view name) {
  if (find_kind(api_version, name) != nullptr) return false;
  const auto is_unread = [&](const NamedKind& unread) {
    return unread.kind == name && unread.api_version == api_version;
  };
  if (std::any_of(std::begin(kUnreadKinds), std::end(kUnreadKinds), is_unread)) return false;
  return std::any_of(kKinds.begin(), kKinds.end(),
                     [&](const KindInfo& info) { return info.api_version == api_version; });
}

}  // namespace loadline::kube
