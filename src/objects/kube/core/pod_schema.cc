#include "objects/kube/core/pod_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/pod_status_schema.h"
#include "objects/kube/core/security_schema.h"
#include "objects/kube/core/volume_source_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kDnsPolicyNames[] = {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"};
constexpr Enumeration kDnsPolicy{kDnsPolicyNames, {}, Enumeration::Order::kAsListed};

constexpr Field kPodResourceClaimFields[] = {
    field<&PodResourceClaim::name>("name"),
    field<&PodResourceClaim::resource_claim_name>("resourceClaimName"),
    field<&PodResourceClaim::resource_claim_template_name>("resourceClaimTemplateName"),
};
constexpr Schema kPodResourceClaimSchema{"io.k8s.api.core.v1.PodResourceClaim", kPodResourceClaimFields};

static void read_scheduling_gates(Decoder&, const document::Value& value, const Path&, PodSpec& spec) {
  for (const document::Value& gate : value.array()) {
    const document::Value* name = gate.find("name");
    spec.scheduling_gates.push_back(name != nullptr && name->is_string() ? name->string() : std::string());
  }
}

static document::Value write_scheduling_gates(const PodSpec& spec) {
  document::Array gates;
  for (const std::string& gate : spec.scheduling_gates) {
    gates.emplace_back(document::Object{{"name", document::Value(gate), {}}});
  }
  return document::Value(std::move(gates));
}

constexpr Field kPodSchedulingGroupFields[] = {
    field<&PodSpec::pod_group_name>("podGroupName"),
};
constexpr Schema kPodSchedulingGroupSchema{"io.k8s.api.core.v1.PodSchedulingGroup", kPodSchedulingGroupFields};

constexpr Field kPodSpecFields[] = {
    field<&PodSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    field<&PodSpec::affinity>("affinity", kAffinitySchema),
    field<&PodSpec::containers>("containers", kContainerSchema),
    enumerated("dnsPolicy", kDnsPolicy),
    within("ephemeralContainers", kEphemeralContainerSchema),
    field<&PodSpec::host_network>("hostNetwork"),
    field<&PodSpec::hostname>("hostname"),
    field<&PodSpec::init_containers>("initContainers", kContainerSchema),
    field<&PodSpec::node_name>("nodeName"),
    field<&PodSpec::node_selector>("nodeSelector"),
    field<&PodSpec::overhead>("overhead"),
    field<&PodSpec::preemption_policy>("preemptionPolicy"),
    field<&PodSpec::priority>("priority"),
    field<&PodSpec::priority_class_name>("priorityClassName"),
    field<&PodSpec::resource_claims>("resourceClaims", kPodResourceClaimSchema),
    field<&PodSpec::resources>("resources", kResourceRequirementsSchema),
    field<&PodSpec::restart_policy>("restartPolicy"),
    field<&PodSpec::runtime_class_name>("runtimeClassName"),
    field<&PodSpec::scheduler_name>("schedulerName"),
    part("schedulingGroup", kPodSchedulingGroupSchema),
    custom<read_scheduling_gates, write_scheduling_gates>("schedulingGates"),
    field<&PodSpec::service_account>("serviceAccount"),
    field<&PodSpec::service_account_name>("serviceAccountName"),
    field<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds"),
    field<&PodSpec::tolerations>("tolerations", kTolerationSchema),
    field<&PodSpec::topology_spread_constraints>("topologySpreadConstraints", kTopologySpreadConstraintSchema),
    field<&PodSpec::volumes>("volumes", kVolumeSchema),
};
constinit const Schema kPodSpecSchema{"io.k8s.api.core.v1.PodSpec", kPodSpecFields};

constexpr Field kPodFields[] = {
    field<&Pod::metadata>("metadata", kObjectMetaSchema),
    field<&Pod::spec>("spec", kPodSpecSchema),
    field<&Pod::status>("status", kPodStatusSchema),
};
constinit const Schema kPodSchema{"io.k8s.api.core.v1.Pod", kPodFields};

constexpr Field kPodTemplateSpecFields[] = {
    field<&PodTemplateSpec::metadata>("metadata", kObjectMetaSchema),
    field<&PodTemplateSpec::spec>("spec", kPodSpecSchema),
};
constinit const Schema kPodTemplateSpecSchema{"io.k8s.api.core.v1.PodTemplateSpec", kPodTemplateSpecFields};

}  // namespace loadline::kube
