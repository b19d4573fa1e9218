#pragma once

#include "hosts/controllers/object.h"
#include "objects/kube/apps/apps_schema.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/namespace_schema.h"
#include "objects/kube/core/node_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/objects.h"
#include "objects/kube/policy/pod_disruption_budget_schema.h"
#include "objects/kube/scheduling/priority_class_schema.h"
#include "objects/kube/storage/storage_schema.h"
#include "objects/kube/view.h"

namespace loadline::controllers {

// The kinds that controllers and the scheduler read. One more is one more line here, and one in caches.h.

/// A kind that has a table in kube/.
template <class Kind, const kube::Schema& kSchema>
struct TableKind {
  static Kind read(const document::Value& document) { return kube::view<Kind>(document, kSchema).object; }
};

/// A kind of whose objects nothing but metadata is read as a struct; the rest is in the document.
struct Plain {
  kube::ObjectMeta metadata;
};
Plain read_plain(const document::Value& document);

struct ControllerRevision : Plain {};
struct Endpoints : Plain {};
struct EndpointSlice : Plain {};
struct Lease : Plain {};
struct VolumeAttributesClass : Plain {};
struct Stage : Plain {};  ///< KWOK's: src/hosts/kubelet/stages.h

template <class Kind>
struct PlainKind {
  static Kind read(const document::Value& document) { return {read_plain(document)}; }
};

// clang-format off
template <> struct KindOf<kube::Pod> : TableKind<kube::Pod, kube::kPodSchema> {
  static constexpr KindName kName{"", "v1", "Pod", "pods"};
};
template <> struct KindOf<kube::Node> : TableKind<kube::Node, kube::kNodeSchema> {
  static constexpr KindName kName{"", "v1", "Node", "nodes"};
};
template <> struct KindOf<kube::Namespace> : TableKind<kube::Namespace, kube::kNamespaceSchema> {
  static constexpr KindName kName{"", "v1", "Namespace", "namespaces"};
};
template <> struct KindOf<kube::Service> : TableKind<kube::Service, kube::kServiceSchema> {
  static constexpr KindName kName{"", "v1", "Service", "services"};
};
template <> struct KindOf<kube::ConfigMap> : TableKind<kube::ConfigMap, kube::kConfigMapSchema> {
  static constexpr KindName kName{"", "v1", "ConfigMap", "configmaps"};
};
template <> struct KindOf<kube::ReplicationController>
    : TableKind<kube::ReplicationController, kube::kReplicationControllerSchema> {
  static constexpr KindName kName{"", "v1", "ReplicationController", "replicationcontrollers"};
};
template <> struct KindOf<kube::PersistentVolume> : TableKind<kube::PersistentVolume, kube::kPersistentVolumeSchema> {
  static constexpr KindName kName{"", "v1", "PersistentVolume", "persistentvolumes"};
};
template <> struct KindOf<kube::PersistentVolumeClaim>
    : TableKind<kube::PersistentVolumeClaim, kube::kPersistentVolumeClaimSchema> {
  static constexpr KindName kName{"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims"};
};
template <> struct KindOf<Endpoints> : PlainKind<Endpoints> {
  static constexpr KindName kName{"", "v1", "Endpoints", "endpoints"};
};
template <> struct KindOf<kube::Deployment> : TableKind<kube::Deployment, kube::kDeploymentSchema> {
  static constexpr KindName kName{"apps", "v1", "Deployment", "deployments"};
};
template <> struct KindOf<kube::ReplicaSet> : TableKind<kube::ReplicaSet, kube::kReplicaSetSchema> {
  static constexpr KindName kName{"apps", "v1", "ReplicaSet", "replicasets"};
};
template <> struct KindOf<kube::StatefulSet> : TableKind<kube::StatefulSet, kube::kStatefulSetSchema> {
  static constexpr KindName kName{"apps", "v1", "StatefulSet", "statefulsets"};
};
template <> struct KindOf<kube::DaemonSet> : TableKind<kube::DaemonSet, kube::kDaemonSetSchema> {
  static constexpr KindName kName{"apps", "v1", "DaemonSet", "daemonsets"};
};
template <> struct KindOf<ControllerRevision> : PlainKind<ControllerRevision> {
  static constexpr KindName kName{"apps", "v1", "ControllerRevision", "controllerrevisions"};
};
template <> struct KindOf<kube::Job> : TableKind<kube::Job, kube::kJobSchema> {
  static constexpr KindName kName{"batch", "v1", "Job", "jobs"};
};
template <> struct KindOf<kube::CronJob> : TableKind<kube::CronJob, kube::kCronJobSchema> {
  static constexpr KindName kName{"batch", "v1", "CronJob", "cronjobs"};
};
template <> struct KindOf<Lease> : PlainKind<Lease> {
  static constexpr KindName kName{"coordination.k8s.io", "v1", "Lease", "leases"};
};
template <> struct KindOf<EndpointSlice> : PlainKind<EndpointSlice> {
  static constexpr KindName kName{"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices"};
};
template <> struct KindOf<Stage> : PlainKind<Stage> {
  static constexpr KindName kName{"kwok.x-k8s.io", "v1alpha1", "Stage", "stages"};
};
template <> struct KindOf<kube::PodDisruptionBudget>
    : TableKind<kube::PodDisruptionBudget, kube::kPodDisruptionBudgetSchema> {
  static constexpr KindName kName{"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets"};
};
template <> struct KindOf<kube::PriorityClass> : TableKind<kube::PriorityClass, kube::kPriorityClassSchema> {
  static constexpr KindName kName{"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses"};
};
template <> struct KindOf<kube::StorageClass> : TableKind<kube::StorageClass, kube::kStorageClassSchema> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "StorageClass", "storageclasses"};
};
template <> struct KindOf<kube::CsiNode> : TableKind<kube::CsiNode, kube::kCsiNodeSchema> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "CSINode", "csinodes"};
};
template <> struct KindOf<kube::CsiDriver> : TableKind<kube::CsiDriver, kube::kCsiDriverSchema> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "CSIDriver", "csidrivers"};
};
template <> struct KindOf<kube::CsiStorageCapacity> : TableKind<kube::CsiStorageCapacity, kube::kCsiStorageCapacitySchema> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities"};
};
template <> struct KindOf<kube::VolumeAttachment> : TableKind<kube::VolumeAttachment, kube::kVolumeAttachmentSchema> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments"};
};
template <> struct KindOf<VolumeAttributesClass> : PlainKind<VolumeAttributesClass> {
  static constexpr KindName kName{"storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses"};
};
// clang-format on

}  // namespace loadline::controllers
