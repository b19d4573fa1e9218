#pragma once

#include <string>
#include <vector>

#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "objects/kube/core/namespace.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/service_account.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/policy/pod_disruption_budget.h"
#include "objects/kube/scheduling/priority_class.h"
#include "objects/kube/storage/storage.h"

namespace loadline::kube {

/// A kind that was met and skipped, and how often.
struct SkippedKind {
  std::string api_version;
  std::string kind;
  std::size_t count = 0;
  SourcePosition first;
};

/// Everything that was read, typed, each kind in the order of reading, which is the order of creation.
struct Objects {
  std::vector<Namespace> namespaces;
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  std::vector<PriorityClass> priority_classes;
  std::vector<RuntimeClass> runtime_classes;
  std::vector<ServiceAccount> service_accounts;
  std::vector<ResourceQuota> resource_quotas;
  std::vector<LimitRange> limit_ranges;
  std::vector<PodDisruptionBudget> pod_disruption_budgets;
  std::vector<Deployment> deployments;
  std::vector<ReplicaSet> replica_sets;
  std::vector<StatefulSet> stateful_sets;
  std::vector<DaemonSet> daemon_sets;
  std::vector<Job> jobs;
  std::vector<CronJob> cron_jobs;
  std::vector<Service> services;
  std::vector<ReplicationController> replication_controllers;
  std::vector<PersistentVolume> persistent_volumes;
  std::vector<PersistentVolumeClaim> persistent_volume_claims;
  std::vector<StorageClass> storage_classes;
  std::vector<CsiNode> csi_nodes;
  std::vector<CsiDriver> csi_drivers;
  std::vector<CsiStorageCapacity> csi_storage_capacities;
  std::vector<VolumeAttachment> volume_attachments;
  std::vector<ConfigMap> config_maps;
  std::vector<SchedulerConfiguration> scheduler_configurations;
  std::vector<SkippedKind> skipped;
  bool is_whole_cluster = false;  ///< an API server was asked for all there is of the kinds above but ConfigMaps
};

}  // namespace loadline::kube
