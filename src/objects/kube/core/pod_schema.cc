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

constexpr Field kPodDnsConfigOptionFields[] = {
    known("name", kString),
    known("value", kString),
};
constexpr Schema kPodDnsConfigOptionSchema{"PodDNSConfigOption", kPodDnsConfigOptionFields};

constexpr Field kPodDnsConfigFields[] = {
    known("nameservers", list_of(kString)),
    known("options", list_of(object(kPodDnsConfigOptionSchema))),
    known("searches", list_of(kString)),
};
constexpr Schema kPodDnsConfigSchema{"PodDNSConfig", kPodDnsConfigFields};

constexpr Field kHostAliasFields[] = {
    known("hostnames", list_of(kString)),
    known("ip", kString).required(),
};
constexpr Schema kHostAliasSchema{"HostAlias", kHostAliasFields};

constexpr Field kPodOsFields[] = {
    known("name", kString).required(),
};
constexpr Schema kPodOsSchema{"PodOS", kPodOsFields};

constexpr Field kPodReadinessGateFields[] = {
    known("conditionType", kString).required(),
};
constexpr Schema kPodReadinessGateSchema{"PodReadinessGate", kPodReadinessGateFields};

constexpr Field kPodResourceClaimFields[] = {
    field<&PodResourceClaim::name>("name").required(),
    field<&PodResourceClaim::resource_claim_name>("resourceClaimName"),
    field<&PodResourceClaim::resource_claim_template_name>("resourceClaimTemplateName"),
};
constexpr Schema kPodResourceClaimSchema{"PodResourceClaim", kPodResourceClaimFields};

constexpr Field kPodSchedulingGateFields[] = {
    known("name", kString).required(),
};
constexpr Schema kPodSchedulingGateSchema{"PodSchedulingGate", kPodSchedulingGateFields};

constexpr Field kPodSchedulingGroupFields[] = {
    known("podGroupName", kString),
};
constexpr Schema kPodSchedulingGroupSchema{"PodSchedulingGroup", kPodSchedulingGroupFields};

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

constexpr Field kPodSpecFields[] = {
    field<&PodSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    field<&PodSpec::affinity>("affinity", object(kAffinitySchema)),
    known("automountServiceAccountToken", kBoolean),
    field<&PodSpec::containers>("containers", list_of(object(kContainerSchema))).required(),
    known("dnsConfig", object(kPodDnsConfigSchema)),
    known("dnsPolicy", one_of(kDnsPolicy)),
    known("enableServiceLinks", kBoolean),
    known("ephemeralContainers", list_of(object(kEphemeralContainerSchema))),
    known("hostAliases", list_of(object(kHostAliasSchema))),
    known("hostIPC", kBoolean),
    field<&PodSpec::host_network>("hostNetwork"),
    known("hostPID", kBoolean),
    known("hostUsers", kBoolean),
    field<&PodSpec::hostname>("hostname"),
    known("hostnameOverride", kString),
    known("imagePullSecrets", list_of(object(kLocalObjectReferenceSchema))),
    field<&PodSpec::init_containers>("initContainers", list_of(object(kContainerSchema))),
    field<&PodSpec::node_name>("nodeName"),
    field<&PodSpec::node_selector>("nodeSelector"),
    known("os", object(kPodOsSchema)),
    field<&PodSpec::overhead>("overhead"),
    field<&PodSpec::preemption_policy>("preemptionPolicy"),
    field<&PodSpec::priority>("priority"),
    field<&PodSpec::priority_class_name>("priorityClassName"),
    known("readinessGates", list_of(object(kPodReadinessGateSchema))),
    field<&PodSpec::resource_claims>("resourceClaims", list_of(object(kPodResourceClaimSchema))),
    field<&PodSpec::resources>("resources", object(kResourceRequirementsSchema)),
    field<&PodSpec::restart_policy>("restartPolicy"),
    field<&PodSpec::runtime_class_name>("runtimeClassName"),
    field<&PodSpec::scheduler_name>("schedulerName"),
    custom<read_scheduling_gates, write_scheduling_gates>("schedulingGates", list_of(object(kPodSchedulingGateSchema))),
    known("schedulingGroup", object(kPodSchedulingGroupSchema)),
    known("securityContext", object(kPodSecurityContextSchema)),
    field<&PodSpec::service_account>("serviceAccount"),
    field<&PodSpec::service_account_name>("serviceAccountName"),
    known("setHostnameAsFQDN", kBoolean),
    known("shareProcessNamespace", kBoolean),
    known("subdomain", kString),
    field<&PodSpec::termination_grace_period_seconds>("terminationGracePeriodSeconds"),
    field<&PodSpec::tolerations>("tolerations", list_of(object(kTolerationSchema))),
    field<&PodSpec::topology_spread_constraints>("topologySpreadConstraints",
                                                 list_of(object(kTopologySpreadConstraintSchema))),
    field<&PodSpec::volumes>("volumes", list_of(object(kVolumeSchema))),
};
constinit const Schema kPodSpecSchema{"PodSpec", kPodSpecFields};

constexpr Field kPodFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Pod::metadata>("metadata", object(kObjectMetaSchema)),
    field<&Pod::spec>("spec", object(kPodSpecSchema)),
    field<&Pod::status>("status", object(kPodStatusSchema)),
};
constinit const Schema kPodSchema{"Pod", kPodFields};

constexpr Field kPodTemplateSpecFields[] = {
    field<&PodTemplateSpec::metadata>("metadata", object(kObjectMetaSchema)),
    field<&PodTemplateSpec::spec>("spec", object(kPodSpecSchema)),
};
constinit const Schema kPodTemplateSpecSchema{"PodTemplateSpec", kPodTemplateSpecFields};

}  // namespace loadline::kube
