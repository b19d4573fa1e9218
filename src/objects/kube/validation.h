#pragma once

#include "objects/kube/scalars.h"

namespace loadline::kube {

struct ConfigMap;
struct CronJob;
struct CsiDriver;
struct CsiNode;
struct CsiStorageCapacity;
struct DaemonSet;
struct Deployment;
struct Job;
struct KoordinatorReservation;
struct LimitRange;
struct Namespace;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PodDisruptionBudget;
struct PodGroup;
struct Workload;
struct PriorityClass;
struct ReplicaSet;
struct ReplicationController;
struct Reservation;
struct ResourceQuota;
struct RuntimeClass;
struct SchedulerConfiguration;
struct Service;
struct ServiceAccount;
struct StatefulSet;
struct StorageClass;
struct VolumeAttachment;

/// The API server's validation (ValidateX on create) for the fields that are kept, in upstream's order and words.
/// REQUIRES: defaults are set. Source: pkg/apis/*/validation/validation.go, v1.36.
FieldErrors validate(const Node& node);
FieldErrors validate(const Namespace& name_space);
FieldErrors validate(const Pod& pod);
FieldErrors validate(const PodGroup& group);
FieldErrors validate(const Workload& workload);
FieldErrors validate(const PriorityClass& priority_class);
FieldErrors validate(const RuntimeClass& runtime_class);
FieldErrors validate(const ServiceAccount& account);
FieldErrors validate(const ResourceQuota& quota);
FieldErrors validate(const LimitRange& limit_range);
FieldErrors validate(const PodDisruptionBudget& budget);
FieldErrors validate(const Service& service);
FieldErrors validate(const ConfigMap& config_map);
FieldErrors validate(const ReplicationController& controller);
FieldErrors validate(const Deployment& deployment);
FieldErrors validate(const ReplicaSet& replica_set);
FieldErrors validate(const StatefulSet& stateful_set);
FieldErrors validate(const DaemonSet& daemon_set);
FieldErrors validate(const Job& job);
FieldErrors validate(const CronJob& cron_job);
FieldErrors validate(const PersistentVolume& volume);
FieldErrors validate(const PersistentVolumeClaim& claim);
FieldErrors validate(const StorageClass& storage_class);
FieldErrors validate(const CsiNode& csi_node);
FieldErrors validate(const CsiDriver& csi_driver);
FieldErrors validate(const CsiStorageCapacity& capacity);
FieldErrors validate(const VolumeAttachment& attachment);
/// Profiles, plugin names and arguments, as the real scheduler checks its configuration file.
FieldErrors validate(const SchedulerConfiguration& configuration);
/// What their definitions cannot say; of Koordinator's, also what Loadline does not do.
FieldErrors validate(const Reservation& reservation);
FieldErrors validate(const KoordinatorReservation& reservation);

}  // namespace loadline::kube
