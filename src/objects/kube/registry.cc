#include "objects/kube/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/apps/controller_revision_schema.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/namespace_schema.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/service_account_schema.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/coscheduling/pod_group_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/defaults.h"
#include "objects/kube/grove/cluster_topology_binding_schema.h"
#include "objects/kube/grove/pod_clique_set_schema.h"
#include "objects/kube/grove/pod_gang_schema.h"
#include "objects/kube/jobset/job_set_schema.h"
#include "objects/kube/kai/pod_group_schema.h"
#include "objects/kube/kai/topology_schema.h"
#include "objects/kube/koordinator/reservation_schema.h"
#include "objects/kube/kubeflow/training_job_schema.h"
#include "objects/kube/kueue/admission_check_schema.h"
#include "objects/kube/kueue/cluster_queue_schema.h"
#include "objects/kube/kueue/cohort_schema.h"
#include "objects/kube/kueue/local_queue_schema.h"
#include "objects/kube/kueue/multi_kueue_schema.h"
#include "objects/kube/kueue/provisioning_request_config_schema.h"
#include "objects/kube/kueue/resource_flavor_schema.h"
#include "objects/kube/kueue/topology_schema.h"
#include "objects/kube/kueue/webhooks.h"
#include "objects/kube/kueue/workload_priority_class_schema.h"
#include "objects/kube/kueue/workload_schema.h"
#include "objects/kube/leaderworkerset/leader_worker_set_schema.h"
#include "objects/kube/loadline/policy_schema.h"
#include "objects/kube/loadline/reservation_schema.h"
#include "objects/kube/node/runtime_class_schema.h"
#include "objects/kube/nvidia/cluster_policy_schema.h"
#include "objects/kube/object_reader.h"
#include "objects/kube/objects.h"
#include "objects/kube/overlay.h"
#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "objects/kube/ray/ray_schema.h"
#include "objects/kube/scheduling/pod_group_schema.h"
#include "objects/kube/scheduling/priority_class_schema.h"
#include "objects/kube/scheduling/workload_schema.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/validation.h"
#include "objects/kube/view.h"
#include "objects/kube/volcano/hyper_node_schema.h"
#include "objects/kube/volcano/pod_group_schema.h"
#include "objects/kube/volcano/volcano_job_schema.h"
#include "objects/schema/published.h"

namespace loadline::kube {

namespace {

/// The life of a document: decode, complete, default, validate, keep.
template <class Kind>
void read_kind(ObjectReader& reader, const KindInfo& info, const document::Value& value) {
  Decoder decoder = reader.start(info, value);
  Kind object;
  decode_object(decoder, value, Path(info.schema), *info.schema, &object);
  reader.complete(decoder, info, value, object.metadata);
  set_defaults(object);
  reader.report(decoder, value, validate(object));
  std::vector<Kind>& kept = reader.objects().of<Kind>();
  const auto place = reader.place_for(decoder, info, value, object.metadata, kept.size());
  if (place) put(kept, *place, std::move(object));
}

/// The life of a custom object: its definition checks it and fills it in; then the rows take what decisions read, and
/// the rules that no definition can express are asked.
template <class Kind>
void read_custom_kind(ObjectReader& reader, const KindInfo& info, const document::Value& value) {
  const std::size_t told = reader.told();
  const std::optional<document::Value> filled = reader.as_defined(info, value);
  if (!filled) return;
  Decoder decoder = reader.start(info, value);
  auto [object, errors] = view<Kind>(*filled, *info.schema);
  // The author's definition may take what decisions cannot read.
  reader.report_untold(decoder, value, errors, told);
  reader.complete(decoder, info, value, object.metadata);
  set_defaults(object);
  if constexpr (requires { validate(object); }) reader.report_untold(decoder, value, validate(object), told);
  if constexpr (requires { webhook_refusals(object); }) {
    // No webhook is asked about what the definition refuses, and the API server of a cluster has asked before.
    const bool is_asked = reader.told() == told && !object.metadata.from_cluster();
    if (is_asked) reader.report_refusals(decoder, info, value, webhook_refusals(object));
  }
  std::vector<Kind>& kept = reader.objects().of<Kind>();
  const auto place = reader.place_for(decoder, info, value, object.metadata, kept.size());
  if (place) put(kept, *place, std::move(object));
}

template <class Kind>
void merge_kind(Overlay& overlay, const KindInfo& info, Objects& objects, Objects& added) {
  overlay.merge(objects.of<Kind>(), added.of<Kind>(), info);
}

/// A kind as this table names it. The plural and the scope of a built-in kind are published.
struct Row {
  std::string_view api_version;
  std::string_view kind;
  const Schema* schema;
  KindInfo::Number number;
  KindInfo::Read read;
  KindInfo::Merge merge;
  bool keeps_its_state = false;
  std::string_view plural = {};  // of a custom kind
  Scope scope = Scope::kNamespaced;
  bool is_heeded = true;
  bool is_only_one = false;

  /// A live object says more than a manifest that is applied over it could change.
  [[nodiscard]] constexpr Row stateful() const {
    Row copy = *this;
    copy.keeps_its_state = true;
    return copy;
  }
  /// No decision of a plan reads it yet, or only a little of it.
  [[nodiscard]] constexpr Row unheeded() const {
    Row copy = *this;
    copy.is_heeded = false;
    return copy;
  }
  /// A cluster has one object of the kind.
  [[nodiscard]] constexpr Row only_one() const {
    Row copy = *this;
    copy.is_only_one = true;
    return copy;
  }
};

template <class Kind>
constexpr Row kind(std::string_view api_version, std::string_view name, const Schema& schema) {
  return {api_version, name, &schema, kind_number<Kind>, read_kind<Kind>, merge_kind<Kind>};
}

template <class Kind>
constexpr Row custom_kind(std::string_view api_version, std::string_view name, std::string_view plural, Scope scope,
                          const Schema& schema) {
  return {api_version, name,   &schema, kind_number<Kind>, read_custom_kind<Kind>, merge_kind<Kind>,
          false,       plural, scope};
}

constexpr std::string_view kCore = "v1";
constexpr std::string_view kApps = "apps/v1";
constexpr std::string_view kBatch = "batch/v1";
constexpr std::string_view kCoscheduling = "scheduling.x-k8s.io/v1alpha1";
constexpr std::string_view kGrove = "grove.io/v1alpha1";
constexpr std::string_view kGroveScheduler = "scheduler.grove.io/v1alpha1";
constexpr std::string_view kKai = "scheduling.run.ai/v2alpha2";
constexpr std::string_view kKoordinator = "scheduling.koordinator.sh/v1alpha1";
constexpr std::string_view kJobSet = "jobset.x-k8s.io/v1alpha2";
constexpr std::string_view kKaiTopologies = "kai.scheduler/v1alpha1";
constexpr std::string_view kKubeflow = "kubeflow.org/v1";
constexpr std::string_view kKubeflowBeta2 = "kubeflow.org/v2beta1";
constexpr std::string_view kKueue = "kueue.x-k8s.io/v1beta2";
constexpr std::string_view kKueueBeta1 = "kueue.x-k8s.io/v1beta1";
constexpr std::string_view kLeaderWorkerSet = "leaderworkerset.x-k8s.io/v1";
constexpr std::string_view kLoadline = "loadline.dev/v1alpha1";
constexpr std::string_view kNode = "node.k8s.io/v1";
constexpr std::string_view kNvidia = "nvidia.com/v1";
constexpr std::string_view kOwnGroup = "loadline.dev/";
constexpr std::string_view kPolicy = "policy/v1";
constexpr std::string_view kRay = "ray.io/v1";
constexpr std::string_view kRayAlpha1 = "ray.io/v1alpha1";
constexpr std::string_view kScheduling = "scheduling.k8s.io/v1";
constexpr std::string_view kSchedulingAlpha2 = "scheduling.k8s.io/v1alpha2";
constexpr std::string_view kStorage = "storage.k8s.io/v1";
constexpr std::string_view kVolcanoBatch = "batch.volcano.sh/v1alpha1";
constexpr std::string_view kVolcanoTopology = "topology.volcano.sh/v1alpha1";
constexpr std::string_view kVolcanoScheduling = "scheduling.volcano.sh/v1beta1";

// clang-format off
constexpr std::array kRows = {
    kind<Pod>(kCore, "Pod", kPodSchema).stateful(),
    kind<Node>(kCore, "Node", kNodeSchema),
    kind<Namespace>(kCore, "Namespace", kNamespaceSchema),
    kind<ResourceQuota>(kCore, "ResourceQuota", kResourceQuotaSchema),
    kind<LimitRange>(kCore, "LimitRange", kLimitRangeSchema),
    kind<Service>(kCore, "Service", kServiceSchema),
    kind<ReplicationController>(kCore, "ReplicationController", kReplicationControllerSchema),
    kind<ConfigMap>(kCore, "ConfigMap", kConfigMapSchema),
    kind<PersistentVolume>(kCore, "PersistentVolume", kPersistentVolumeSchema).stateful(),
    kind<PersistentVolumeClaim>(kCore, "PersistentVolumeClaim", kPersistentVolumeClaimSchema).stateful(),
    kind<Deployment>(kApps, "Deployment", kDeploymentSchema),
    kind<ReplicaSet>(kApps, "ReplicaSet", kReplicaSetSchema),
    kind<StatefulSet>(kApps, "StatefulSet", kStatefulSetSchema),
    kind<DaemonSet>(kApps, "DaemonSet", kDaemonSetSchema),
    kind<ControllerRevision>(kApps, "ControllerRevision", kControllerRevisionSchema),
    kind<Job>(kBatch, "Job", kJobSchema),
    kind<CronJob>(kBatch, "CronJob", kCronJobSchema),
    kind<PodDisruptionBudget>(kPolicy, "PodDisruptionBudget", kPodDisruptionBudgetSchema),
    kind<PriorityClass>(kScheduling, "PriorityClass", kPriorityClassSchema),
    kind<PodGroup>(kSchedulingAlpha2, "PodGroup", kPodGroupSchema),
    kind<Workload>(kSchedulingAlpha2, "Workload", kWorkloadSchema),
    kind<RuntimeClass>(kNode, "RuntimeClass", kRuntimeClassSchema),
    kind<ServiceAccount>(kCore, "ServiceAccount", kServiceAccountSchema),
    kind<StorageClass>(kStorage, "StorageClass", kStorageClassSchema),
    kind<CsiNode>(kStorage, "CSINode", kCsiNodeSchema),
    kind<CsiDriver>(kStorage, "CSIDriver", kCsiDriverSchema),
    kind<CsiStorageCapacity>(kStorage, "CSIStorageCapacity", kCsiStorageCapacitySchema),
    kind<VolumeAttachment>(kStorage, "VolumeAttachment", kVolumeAttachmentSchema),
    custom_kind<ResourceFlavor>(kKueue, "ResourceFlavor", "resourceflavors", Scope::kCluster, kResourceFlavorSchema),
    custom_kind<ResourceFlavor>(kKueueBeta1, "ResourceFlavor", "resourceflavors", Scope::kCluster, kResourceFlavorSchema),
    custom_kind<ClusterQueue>(kKueue, "ClusterQueue", "clusterqueues", Scope::kCluster, kClusterQueueSchema),
    custom_kind<ClusterQueue>(kKueueBeta1, "ClusterQueue", "clusterqueues", Scope::kCluster, kClusterQueueSchema),
    custom_kind<Cohort>(kKueue, "Cohort", "cohorts", Scope::kCluster, kCohortSchema),
    custom_kind<Cohort>(kKueueBeta1, "Cohort", "cohorts", Scope::kCluster, kCohortSchema),
    custom_kind<LocalQueue>(kKueue, "LocalQueue", "localqueues", Scope::kNamespaced, kLocalQueueSchema),
    custom_kind<LocalQueue>(kKueueBeta1, "LocalQueue", "localqueues", Scope::kNamespaced, kLocalQueueSchema),
    custom_kind<KueueTopology>(kKueue, "Topology", "topologies", Scope::kCluster, kKueueTopologySchema),
    custom_kind<KueueTopology>(kKueueBeta1, "Topology", "topologies", Scope::kCluster, kKueueTopologySchema),
    custom_kind<KueueWorkload>(kKueue, "Workload", "workloads", Scope::kNamespaced, kKueueWorkloadSchema),
    custom_kind<KueueWorkload>(kKueueBeta1, "Workload", "workloads", Scope::kNamespaced, kKueueWorkloadSchema),
    custom_kind<WorkloadPriorityClass>(kKueue, "WorkloadPriorityClass", "workloadpriorityclasses", Scope::kCluster, kWorkloadPriorityClassSchema),
    custom_kind<WorkloadPriorityClass>(kKueueBeta1, "WorkloadPriorityClass", "workloadpriorityclasses", Scope::kCluster, kWorkloadPriorityClassSchema),
    custom_kind<AdmissionCheck>(kKueue, "AdmissionCheck", "admissionchecks", Scope::kCluster, kAdmissionCheckSchema),
    custom_kind<AdmissionCheck>(kKueueBeta1, "AdmissionCheck", "admissionchecks", Scope::kCluster, kAdmissionCheckSchema),
    custom_kind<ProvisioningRequestConfig>(kKueue, "ProvisioningRequestConfig", "provisioningrequestconfigs", Scope::kCluster, kProvisioningRequestConfigSchema).unheeded(),
    custom_kind<ProvisioningRequestConfig>(kKueueBeta1, "ProvisioningRequestConfig", "provisioningrequestconfigs", Scope::kCluster, kProvisioningRequestConfigSchema).unheeded(),
    custom_kind<MultiKueueConfig>(kKueue, "MultiKueueConfig", "multikueueconfigs", Scope::kCluster, kMultiKueueConfigSchema).unheeded(),
    custom_kind<MultiKueueConfig>(kKueueBeta1, "MultiKueueConfig", "multikueueconfigs", Scope::kCluster, kMultiKueueConfigSchema).unheeded(),
    custom_kind<MultiKueueCluster>(kKueue, "MultiKueueCluster", "multikueueclusters", Scope::kCluster, kMultiKueueClusterSchema).unheeded(),
    custom_kind<MultiKueueCluster>(kKueueBeta1, "MultiKueueCluster", "multikueueclusters", Scope::kCluster, kMultiKueueClusterSchema).unheeded(),
    custom_kind<ClusterPolicy>(kNvidia, "ClusterPolicy", "clusterpolicies", Scope::kCluster, kClusterPolicySchema),
    custom_kind<KaiTopology>(kKaiTopologies, "Topology", "topologies", Scope::kCluster, kKaiTopologySchema),
    custom_kind<HyperNode>(kVolcanoTopology, "HyperNode", "hypernodes", Scope::kCluster, kHyperNodeSchema),
    custom_kind<ClusterTopologyBinding>(kGrove, "ClusterTopologyBinding", "clustertopologybindings", Scope::kCluster, kClusterTopologyBindingSchema),
    custom_kind<JobSet>(kJobSet, "JobSet", "jobsets", Scope::kNamespaced, kJobSetSchema),
    custom_kind<LeaderWorkerSet>(kLeaderWorkerSet, "LeaderWorkerSet", "leaderworkersets", Scope::kNamespaced, kLeaderWorkerSetSchema),
    custom_kind<PyTorchJob>(kKubeflow, "PyTorchJob", "pytorchjobs", Scope::kNamespaced, kPyTorchJobSchema),
    custom_kind<TensorFlowJob>(kKubeflow, "TFJob", "tfjobs", Scope::kNamespaced, kTensorFlowJobSchema),
    custom_kind<XgBoostJob>(kKubeflow, "XGBoostJob", "xgboostjobs", Scope::kNamespaced, kXgBoostJobSchema),
    custom_kind<PaddleJob>(kKubeflow, "PaddleJob", "paddlejobs", Scope::kNamespaced, kPaddleJobSchema),
    custom_kind<JaxJob>(kKubeflow, "JAXJob", "jaxjobs", Scope::kNamespaced, kJaxJobSchema),
    custom_kind<MpiJob>(kKubeflowBeta2, "MPIJob", "mpijobs", Scope::kNamespaced, kMpiJobSchema),
    custom_kind<MpiJob>(kKubeflow, "MPIJob", "mpijobs", Scope::kNamespaced, kMpiJobSchema),
    custom_kind<RayCluster>(kRay, "RayCluster", "rayclusters", Scope::kNamespaced, kRayClusterSchema),
    custom_kind<RayCluster>(kRayAlpha1, "RayCluster", "rayclusters", Scope::kNamespaced, kRayClusterSchema),
    custom_kind<RayJob>(kRay, "RayJob", "rayjobs", Scope::kNamespaced, kRayJobSchema),
    custom_kind<RayJob>(kRayAlpha1, "RayJob", "rayjobs", Scope::kNamespaced, kRayJobSchema),
    custom_kind<RayCronJob>(kRay, "RayCronJob", "raycronjobs", Scope::kNamespaced, kRayCronJobSchema),
    custom_kind<VolcanoJob>(kVolcanoBatch, "Job", "jobs", Scope::kNamespaced, kVolcanoJobSchema),
    custom_kind<PodCliqueSet>(kGrove, "PodCliqueSet", "podcliquesets", Scope::kNamespaced, kPodCliqueSetSchema),
    custom_kind<PodCliqueScalingGroup>(kGrove, "PodCliqueScalingGroup", "podcliquescalinggroups", Scope::kNamespaced, kPodCliqueScalingGroupSchema),
    custom_kind<PodClique>(kGrove, "PodClique", "podcliques", Scope::kNamespaced, kPodCliqueSchema),
    custom_kind<CoschedulingPodGroup>(kCoscheduling, "PodGroup", "podgroups", Scope::kNamespaced, kCoschedulingPodGroupSchema),
    custom_kind<VolcanoPodGroup>(kVolcanoScheduling, "PodGroup", "podgroups", Scope::kNamespaced, kVolcanoPodGroupSchema),
    custom_kind<KaiPodGroup>(kKai, "PodGroup", "podgroups", Scope::kNamespaced, kKaiPodGroupSchema),
    custom_kind<PodGang>(kGroveScheduler, "PodGang", "podgangs", Scope::kNamespaced, kPodGangSchema),
    custom_kind<Policy>(kLoadline, "Policy", "policies", Scope::kCluster, kPolicySchema).only_one(),
    custom_kind<Reservation>(kLoadline, "Reservation", "reservations", Scope::kNamespaced, kReservationSchema),
    custom_kind<KoordinatorReservation>(kKoordinator, "Reservation", "reservations", Scope::kCluster, kKoordinatorReservationSchema),
};
// clang-format on

std::vector<KindInfo> make_kinds() {
  std::vector<KindInfo> kinds;
  for (const Row& row : kRows) {
    KindInfo info{row.api_version, row.kind,  row.plural,          row.scope,           row.schema,    row.number(),
                  row.read,        row.merge, !row.plural.empty(), row.keeps_its_state, row.is_heeded, row.is_only_one};
    if (info.is_custom) {
      kinds.push_back(info);
      continue;
    }
    const schema::Resource* resource = schema::find_published(row.api_version, row.kind);
    REQUIRES(resource != nullptr);
    info.plural = resource->plural;
    info.scope = resource->is_namespaced ? Scope::kNamespaced : Scope::kCluster;
    kinds.push_back(info);
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

const KindInfo& kind_of_number(std::size_t number) {
  const auto& kinds = known_kinds();
  const auto found = std::ranges::find(kinds, number, &KindInfo::number);
  REQUIRES(found != kinds.end());
  return *found;
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
  return versions.contains(api_version) || api_version.starts_with(kOwnGroup);
}

}  // namespace loadline::kube
