#pragma once

#include <cstdint>

namespace loadline::kube {

struct CronJob;
struct CsiDriver;
struct DaemonSet;
struct Deployment;
struct Job;
struct LimitRange;
struct Namespace;
struct Node;
struct PersistentVolume;
struct PersistentVolumeClaim;
struct Pod;
struct PodTemplateSpec;
struct PriorityClass;
struct ReplicaSet;
struct ReplicationController;
struct ResourceQuota;
struct RuntimeClass;
struct Service;
struct StatefulSet;

/// How long a pod that does not say gets to end.
inline constexpr std::int64_t kDefaultGracePeriodSeconds = 30;

/// The API server's defaulting (SetDefaults_*) of the fields that decisions read. Idempotent.
/// Source: pkg/apis/{core,apps,batch,node,storage,scheduling}/v1/{defaults,zz_generated.defaults}.go, v1.36.
void set_defaults(Node& node);
void set_defaults(Namespace& name_space);
void set_defaults(Pod& pod);
void set_defaults(PodTemplateSpec& pod_template);
void set_defaults(PriorityClass& priority_class);
void set_defaults(RuntimeClass& runtime_class);
void set_defaults(ResourceQuota& quota);
void set_defaults(LimitRange& limit_range);
void set_defaults(Service& service);
void set_defaults(ReplicationController& controller);
void set_defaults(Deployment& deployment);
void set_defaults(ReplicaSet& replica_set);
void set_defaults(StatefulSet& stateful_set);
void set_defaults(DaemonSet& daemon_set);
void set_defaults(Job& job);
void set_defaults(CronJob& cron_job);
void set_defaults(PersistentVolume& volume);
void set_defaults(PersistentVolumeClaim& claim);
void set_defaults(CsiDriver& driver);

/// Kinds whose defaults no decision reads.
template <class Kind>
void set_defaults(Kind&) {}

/// What the API server does to a pod that is created, after defaulting: merges matchLabelKeys and mismatchLabelKeys of
/// pod affinity, and matchLabelKeys of spread constraints, into the label selectors, as `key In (value)` and
/// `key NotIn (value)`; keys that the pod has no label for are passed over, and so are absent selectors.
/// Not idempotent: call it once, and never for a pod that an API server has created.
/// Source: pkg/registry/core/pod/strategy.go, v1.36.
void prepare_for_create(Pod& pod);

}  // namespace loadline::kube
