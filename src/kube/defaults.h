#pragma once

#include "kube/objects.h"

namespace loadline::kube {

/// The API server's defaulting (SetDefaults_*) of the fields that decisions read. Idempotent.
/// Source: pkg/apis/{core,apps,batch,storage,scheduling}/v1/defaults.go, v1.36.
void set_defaults(Node& node);
void set_defaults(Pod& pod);
void set_defaults(PodTemplateSpec& pod_template);
void set_defaults(PriorityClass& priority_class);
void set_defaults(LimitRange& limit_range);
void set_defaults(ReplicationController& controller);
void set_defaults(Deployment& deployment);
void set_defaults(ReplicaSet& replica_set);
void set_defaults(StatefulSet& stateful_set);
void set_defaults(DaemonSet& daemon_set);
void set_defaults(Job& job);
void set_defaults(CronJob& cron_job);
void set_defaults(PersistentVolume& volume);
void set_defaults(PersistentVolumeClaim& claim);

/// Kinds whose defaults no decision reads.
template <class Kind>
void set_defaults(Kind&) {}

}  // namespace loadline::kube
