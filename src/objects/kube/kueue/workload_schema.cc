#include "objects/kube/kueue/workload_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/kueue/admission_check_schema.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

// ---- what it asks for ----------------------------------------------------------------------------------------------

constexpr Field kKueueWorkloadLayerFields[] = {
    field<&PodSetSliceLayer::topology>("topology"),
    field<&PodSetSliceLayer::size>("size"),
};
constexpr Schema kKueueWorkloadLayerSchema{OfCustomKind{}, "PodsetSliceRequiredTopologyConstraint",
                                           kKueueWorkloadLayerFields};

constexpr Field kKueueWorkloadTopologyRequestFields[] = {
    field<&PodSetTopologyRequest::required>("required"),
    field<&PodSetTopologyRequest::preferred>("preferred"),
    field<&PodSetTopologyRequest::unconstrained>("unconstrained"),
    field<&PodSetTopologyRequest::pod_index_label>("podIndexLabel"),
    field<&PodSetTopologyRequest::sub_group_index_label>("subGroupIndexLabel"),
    field<&PodSetTopologyRequest::sub_group_count>("subGroupCount"),
    field<&PodSetTopologyRequest::group_name>("podSetGroupName"),
    field<&PodSetTopologyRequest::slice_required_topology>("podSetSliceRequiredTopology"),
    field<&PodSetTopologyRequest::slice_size>("podSetSliceSize"),
    field<&PodSetTopologyRequest::slice_constraints>("podsetSliceRequiredTopologyConstraints",
                                                     kKueueWorkloadLayerSchema),  // v1beta2
};
constexpr Schema kKueueWorkloadTopologyRequestSchema{OfCustomKind{}, "PodSetTopologyRequest",
                                                     kKueueWorkloadTopologyRequestFields};

constexpr Field kKueueWorkloadPodSetFields[] = {
    field<&PodSet::name>("name"),
    field<&PodSet::template_>("template", kPodTemplateSpecSchema),
    field<&PodSet::count>("count").pointer(),
    field<&PodSet::min_count>("minCount"),
    field<&PodSet::topology_request>("topologyRequest", kKueueWorkloadTopologyRequestSchema),
};
constexpr Schema kKueueWorkloadPodSetSchema{OfCustomKind{}, "PodSet", kKueueWorkloadPodSetFields};

/// The source of a v1beta1 Workload; without one, its class counts for nothing.
void read_priority_source(Decoder&, const Value& value, const Path&, KueueWorkload& workload) {
  if (!value.is_string()) return;
  if (value.string() == "kueue.x-k8s.io/workloadpriorityclass") {
    workload.priority_class_source = PriorityClassSource::kWorkloadPriorityClass;
  } else if (value.string() == "scheduling.k8s.io/priorityclass") {
    workload.priority_class_source = PriorityClassSource::kPodPriorityClass;
  }
}

/// The group of a v1beta2 Workload's class, which says the kind as well.
void read_priority_group(Decoder&, const Value& value, const Path&, KueueWorkload& workload) {
  if (!value.is_string()) return;
  if (value.string() == "kueue.x-k8s.io") {
    workload.priority_class_source = PriorityClassSource::kWorkloadPriorityClass;
  } else if (value.string() == "scheduling.k8s.io") {
    workload.priority_class_source = PriorityClassSource::kPodPriorityClass;
  }
}

constexpr Field kKueueWorkloadPriorityClassFields[] = {
    custom<read_priority_group>("group"),
    field<&KueueWorkload::priority_class_name>("name"),
};
constexpr Schema kKueueWorkloadPriorityClassSchema{OfCustomKind{}, "PriorityClassRef",
                                                   kKueueWorkloadPriorityClassFields};

void read_preemption_gates(Decoder&, const Value& value, const Path&, KueueWorkload& workload) {
  workload.has_preemption_gates = value.is_array() && !value.array().empty();
}

constexpr Field kKueueWorkloadSpecFields[] = {
    field<&KueueWorkload::pod_sets>("podSets", kKueueWorkloadPodSetSchema),
    field<&KueueWorkload::queue_name>("queueName"),
    field<&KueueWorkload::priority>("priority"),
    part("priorityClassRef", kKueueWorkloadPriorityClassSchema),
    field<&KueueWorkload::priority_class_name>("priorityClassName").read_only(),  // v1beta1
    custom<read_priority_source>("priorityClassSource"),                          // v1beta1
    field<&KueueWorkload::active>("active").pointer(),
    field<&KueueWorkload::maximum_execution_time_seconds>("maximumExecutionTimeSeconds"),
    custom<read_preemption_gates>("preemptionGates"),  // v1beta2
};
constexpr Schema kKueueWorkloadSpecSchema{OfCustomKind{}, "WorkloadSpec", kKueueWorkloadSpecFields};

// ---- what it was given ---------------------------------------------------------------------------------------------

void read_assignment(Decoder&, const Value& value, const Path&, PodSetAssignment& assignment) {
  assignment.topology_assignment = read_topology_assignment(value);
}

void read_delayed_request(Decoder&, const Value& value, const Path&, PodSetAssignment& assignment) {
  assignment.is_topology_pending = value.is_string() && value.string() == "Pending";
}

constexpr Field kKueueWorkloadAssignmentFields[] = {
    field<&PodSetAssignment::name>("name"),
    field<&PodSetAssignment::flavors>("flavors"),
    field<&PodSetAssignment::resource_usage>("resourceUsage"),
    field<&PodSetAssignment::count>("count"),
    custom<read_assignment>("topologyAssignment"),
    custom<read_delayed_request>("delayedTopologyRequest"),
};
constexpr Schema kKueueWorkloadAssignmentSchema{OfCustomKind{}, "PodSetAssignment", kKueueWorkloadAssignmentFields};

constexpr Field kKueueWorkloadAdmissionFields[] = {
    field<&WorkloadAdmission::cluster_queue>("clusterQueue"),
    field<&WorkloadAdmission::pod_set_assignments>("podSetAssignments", kKueueWorkloadAssignmentSchema),
};
constexpr Schema kKueueWorkloadAdmissionSchema{OfCustomKind{}, "Admission", kKueueWorkloadAdmissionFields};

constexpr Field kKueueWorkloadRequeueFields[] = {
    field<&RequeueState::count>("count"),
    field<&RequeueState::requeue_at>("requeueAt"),
};
constexpr Schema kKueueWorkloadRequeueSchema{OfCustomKind{}, "RequeueState", kKueueWorkloadRequeueFields};

constexpr Field kKueueWorkloadReclaimableFields[] = {
    field<&ReclaimablePods::name>("name"),
    field<&ReclaimablePods::count>("count").pointer(),
};
constexpr Schema kKueueWorkloadReclaimableSchema{OfCustomKind{}, "ReclaimablePod", kKueueWorkloadReclaimableFields};

constexpr Field kKueueWorkloadUpdateFields[] = {
    field<&PodSetUpdate::name>("name"),
    field<&PodSetUpdate::labels>("labels"),
    field<&PodSetUpdate::annotations>("annotations"),
    field<&PodSetUpdate::node_selector>("nodeSelector"),
    field<&PodSetUpdate::tolerations>("tolerations", kTolerationSchema),
};
constexpr Schema kKueueWorkloadUpdateSchema{OfCustomKind{}, "PodSetUpdate", kKueueWorkloadUpdateFields};

constexpr Field kKueueWorkloadCheckFields[] = {
    field<&AdmissionCheckStatus::name>("name"),
    field<&AdmissionCheckStatus::state>("state"),
    field<&AdmissionCheckStatus::last_transition_time>("lastTransitionTime"),
    field<&AdmissionCheckStatus::message>("message").pointer(),  // the definition asks for it
    field<&AdmissionCheckStatus::requeue_after_seconds>("requeueAfterSeconds"),
    field<&AdmissionCheckStatus::retry_count>("retryCount"),
    field<&AdmissionCheckStatus::pod_set_updates>("podSetUpdates", kKueueWorkloadUpdateSchema),
};
constexpr Schema kKueueWorkloadCheckSchema{OfCustomKind{}, "AdmissionCheckState", kKueueWorkloadCheckFields};

/// Each name in an object of its own.
void read_unhealthy_nodes(Decoder&, const Value& value, const Path&, KueueWorkloadStatus& status) {
  if (!value.is_array()) return;
  for (const Value& node : value.array()) {
    const Value* name = node.is_object() ? node.find("name") : nullptr;
    if (name != nullptr && name->is_string()) status.unhealthy_nodes.emplace_back(name->string());
  }
}

constexpr Field kKueueWorkloadStatusFields[] = {
    field<&KueueWorkloadStatus::conditions>("conditions", kMetaConditionSchema),
    field<&KueueWorkloadStatus::admission>("admission", kKueueWorkloadAdmissionSchema),
    field<&KueueWorkloadStatus::requeue_state>("requeueState", kKueueWorkloadRequeueSchema),
    field<&KueueWorkloadStatus::reclaimable_pods>("reclaimablePods", kKueueWorkloadReclaimableSchema),
    field<&KueueWorkloadStatus::admission_checks>("admissionChecks", kKueueWorkloadCheckSchema),
    field<&KueueWorkloadStatus::accumulated_past_execution_time_seconds>("accumulatedPastExecutionTimeSeconds"),
    // v1beta1 has it so.
    field<&KueueWorkloadStatus::accumulated_past_execution_time_seconds>("accumulatedPastExexcutionTimeSeconds")
        .read_only(),
    field<&KueueWorkloadStatus::cluster_name>("clusterName"),
    custom<read_unhealthy_nodes>("unhealthyNodes"),
};

}  // namespace

constinit const Schema kKueueWorkloadStatusSchema{OfCustomKind{}, "WorkloadStatus", kKueueWorkloadStatusFields};

namespace {

constexpr Field kKueueWorkloadFields[] = {
    field<&KueueWorkload::metadata>("metadata", kObjectMetaSchema),
    part("spec", kKueueWorkloadSpecSchema),
    field<&KueueWorkload::status>("status", kKueueWorkloadStatusSchema),
};

}  // namespace

constinit const Schema kKueueWorkloadSchema{OfCustomKind{}, "Workload", kKueueWorkloadFields};

}  // namespace loadline::kube
