#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/admission_check.h"
#include "objects/kube/kueue/topology_assignment.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// Names that keep a workload from being admitted while they are there: an annotation of a job, and of its Workload.
inline constexpr std::string_view kAdmissionGatedByAnnotation = "kueue.x-k8s.io/admission-gated-by";
/// "true": the workload may grow and shrink while it runs, by workload slices.
inline constexpr std::string_view kElasticJobAnnotation = "kueue.x-k8s.io/elastic-job";

/// One layer of slices: pods of a slice lie in one domain of that label.
struct PodSetSliceLayer {
  std::string topology;
  std::int32_t size = 0;  ///< pods; a layer's is a multiple of the next one's
};

/// How close the pods of a set are to lie. At most one of the first three.
struct PodSetTopologyRequest {
  std::string required;   ///< a node label: all in one of its domains; empty: not said
  std::string preferred;  ///< likewise, if it can be
  bool unconstrained = false;
  std::string pod_index_label;                      ///< of a pod, its place in the set
  std::string sub_group_index_label;                ///< of a pod, the place of its Job among those of the set
  std::optional<std::int32_t> sub_group_count;      ///< of equal Jobs in the set
  std::string group_name;                           ///< sets of one group get the same flavor, and lie together
  std::string slice_required_topology;              ///< of one layer of slices; empty: none
  std::optional<std::int32_t> slice_size;           ///< of that layer
  std::vector<PodSetSliceLayer> slice_constraints;  ///< several layers, the broadest first; v1beta2 alone
};

/// Pods of a workload that are alike.
struct PodSet {
  std::string name = "main";
  PodTemplateSpec template_;
  std::int32_t count = 1;
  std::optional<std::int32_t> min_count;  ///< so many are enough to be admitted; absent: all. Of one set at most
  std::optional<PodSetTopologyRequest> topology_request;
};

/// Whose value a workload's priority is. Kueue's API names them by group and kind, or in v1beta1 by a source.
enum class PriorityClassSource : std::uint8_t { kNone, kPodPriorityClass, kWorkloadPriorityClass };

/// What a pod set was given. A resource that has no flavor is not counted.
struct PodSetAssignment {
  std::string name = "main";
  std::map<std::string, std::string, std::less<>> flavors;  ///< by resource
  ResourceList resource_usage;                              ///< of all `count` pods
  std::optional<std::int32_t> count;                        ///< fewer than asked for, if the set has a minCount
  std::optional<TopologyAssignment> topology_assignment;
  bool is_topology_pending = false;  ///< delayedTopologyRequest: Pending, it gets its topology in a second pass
};

/// The quota that a workload has, whether it may start already or waits for checks.
struct WorkloadAdmission {
  std::string cluster_queue;
  std::vector<PodSetAssignment> pod_set_assignments;  ///< one a pod set, in their order
};

/// How often a workload went back to its queue because its pods did not get ready, and when it may go on.
struct RequeueState {
  std::int32_t count = 0;
  std::optional<Instant> requeue_at;
};

/// What a check changes of a pod set when the workload starts.
struct PodSetUpdate {
  std::string name;
  StringMap labels;
  StringMap annotations;
  StringMap node_selector;
  std::vector<Toleration> tolerations;
};

struct AdmissionCheckStatus {
  std::string name;
  CheckState state = CheckState::kPending;
  std::optional<Instant> last_transition_time;
  std::string message;
  std::optional<std::int32_t> requeue_after_seconds;  ///< of a Retry; absent: at once
  std::optional<std::int32_t> retry_count;
  std::vector<PodSetUpdate> pod_set_updates;
};

/// Pods of a set that have ended, and need their quota no longer.
struct ReclaimablePods {
  std::string name;
  std::int32_t count = 0;
};

struct KueueWorkloadStatus {
  std::vector<MetaCondition> conditions;  ///< QuotaReserved, Admitted, Evicted, Finished, PodsReady, …
  std::optional<WorkloadAdmission> admission;
  std::optional<RequeueState> requeue_state;
  std::vector<ReclaimablePods> reclaimable_pods;
  std::vector<AdmissionCheckStatus> admission_checks;
  std::int32_t accumulated_past_execution_time_seconds = 0;  ///< of what maximumExecutionTimeSeconds bounds
  std::string cluster_name;                                  ///< where MultiKueue runs it; empty: here
  std::vector<std::string> unhealthy_nodes;
};

/// What Kueue makes of a Job or of the pods of a group, which own it, to queue them: v1beta1 and v1beta2. Not to be
/// confused with Kubernetes' Workload.
struct KueueWorkload {
  ObjectMeta metadata;
  std::vector<PodSet> pod_sets;
  std::string queue_name;                ///< a LocalQueue of its namespace; empty: it is in none
  std::optional<std::int32_t> priority;  ///< absent: 0
  std::string priority_class_name;
  PriorityClassSource priority_class_source = PriorityClassSource::kNone;
  bool active = true;  ///< else it is in no queue, and evicted if it was admitted
  std::optional<std::int32_t> maximum_execution_time_seconds;  ///< after it was admitted; then Kueue ends it
  bool has_preemption_gates = false;                           ///< of concurrent admission, an alpha feature
  KueueWorkloadStatus status;
};

}  // namespace loadline::kube
