#include "objects/kube/core/service_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kServiceTypeNames[] = {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName"};
constexpr Enumeration kServiceType{kServiceTypeNames};

constexpr std::string_view kSessionAffinityNames[] = {"ClientIP", "None"};
constexpr Enumeration kSessionAffinity{kSessionAffinityNames};

constexpr Field kServicePortFields[] = {
    known("appProtocol", kString),
    known("name", kString),
    known("nodePort", kInt32),
    known("port", kInt32).required(),
    known("protocol", one_of(kProtocol)),
    known("targetPort", kIntOrString),
};
constexpr Schema kServicePortSchema{"ServicePort", kServicePortFields};

constexpr Field kClientIpConfigFields[] = {
    known("timeoutSeconds", kInt32),
};
constexpr Schema kClientIpConfigSchema{"ClientIPConfig", kClientIpConfigFields};

constexpr Field kSessionAffinityConfigFields[] = {
    known("clientIP", object(kClientIpConfigSchema)),
};
constexpr Schema kSessionAffinityConfigSchema{"SessionAffinityConfig", kSessionAffinityConfigFields};

static void read_ports(Decoder&, const document::Value& value, const Path&, Service& service) {
  service.port_count = static_cast<std::int32_t>(value.array().size());
}

constexpr Field kServiceSpecFields[] = {
    field<&Service::allocate_load_balancer_node_ports>("allocateLoadBalancerNodePorts"),
    known("clusterIP", kString),
    known("clusterIPs", list_of(kString)),
    known("externalIPs", list_of(kString)),
    known("externalName", kString),
    known("externalTrafficPolicy", kString),
    known("healthCheckNodePort", kInt32),
    known("internalTrafficPolicy", kString),
    known("ipFamilies", list_of(kString)),
    known("ipFamilyPolicy", kString),
    known("loadBalancerClass", kString),
    known("loadBalancerIP", kString),
    known("loadBalancerSourceRanges", list_of(kString)),
    custom<read_ports>("ports", list_of(object(kServicePortSchema))),
    known("publishNotReadyAddresses", kBoolean),
    field<&Service::selector>("selector"),
    known("sessionAffinity", one_of(kSessionAffinity)),
    known("sessionAffinityConfig", object(kSessionAffinityConfigSchema)),
    known("trafficDistribution", kString),
    field<&Service::type>("type", one_of(kServiceType)),
};
constexpr Schema kServiceSpecSchema{"ServiceSpec", kServiceSpecFields};

constexpr Field kPortStatusFields[] = {
    known("error", kString),
    known("port", kInt32).required(),
    known("protocol", kString).required(),
};
constexpr Schema kPortStatusSchema{"PortStatus", kPortStatusFields};

constexpr Field kLoadBalancerIngressFields[] = {
    known("hostname", kString),
    known("ip", kString),
    known("ipMode", kString),
    known("ports", list_of(object(kPortStatusSchema))),
};
constexpr Schema kLoadBalancerIngressSchema{"LoadBalancerIngress", kLoadBalancerIngressFields};

constexpr Field kLoadBalancerStatusFields[] = {
    known("ingress", list_of(object(kLoadBalancerIngressSchema))),
};
constexpr Schema kLoadBalancerStatusSchema{"LoadBalancerStatus", kLoadBalancerStatusFields};

constexpr Field kServiceStatusFields[] = {
    known("conditions", list_of(object(kMetaConditionSchema))),
    known("loadBalancer", object(kLoadBalancerStatusSchema)),
};
constexpr Schema kServiceStatusSchema{"ServiceStatus", kServiceStatusFields};

constexpr Field kServiceFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Service::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kServiceSpecSchema),
    known("status", object(kServiceStatusSchema)),
};
constinit const Schema kServiceSchema{"Service", kServiceFields};

constexpr Field kReplicationControllerSpecFields[] = {
    field<&ReplicationController::min_ready_seconds>("minReadySeconds"),
    field<&ReplicationController::replicas>("replicas").pointer(),
    field<&ReplicationController::selector>("selector"),
    field<&ReplicationController::template_>("template", object(kPodTemplateSpecSchema)),
};
constexpr Schema kReplicationControllerSpecSchema{"ReplicationControllerSpec", kReplicationControllerSpecFields};

constexpr Field kReplicationControllerConditionFields[] = {
    field<&WorkloadCondition::last_transition_time>("lastTransitionTime"),
    field<&WorkloadCondition::message>("message"),
    field<&WorkloadCondition::reason>("reason"),
    field<&WorkloadCondition::status>("status").required(),
    field<&WorkloadCondition::type>("type").required(),
};
constexpr Schema kReplicationControllerConditionSchema{"ReplicationControllerCondition",
                                                       kReplicationControllerConditionFields};

constexpr Field kReplicationControllerStatusFields[] = {
    field<&ReplicaSetStatus::available_replicas>("availableReplicas"),
    field<&ReplicaSetStatus::conditions>("conditions", list_of(object(kReplicationControllerConditionSchema))),
    field<&ReplicaSetStatus::fully_labeled_replicas>("fullyLabeledReplicas"),
    field<&ReplicaSetStatus::observed_generation>("observedGeneration"),
    field<&ReplicaSetStatus::ready_replicas>("readyReplicas"),
    field<&ReplicaSetStatus::replicas>("replicas").required(),
};
constinit const Schema kReplicationControllerStatusSchema{"ReplicationControllerStatus",
                                                          kReplicationControllerStatusFields};

constexpr Field kReplicationControllerFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ReplicationController::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kReplicationControllerSpecSchema),
    field<&ReplicationController::status>("status", object(kReplicationControllerStatusSchema)),
};
constinit const Schema kReplicationControllerSchema{"ReplicationController", kReplicationControllerFields};

constexpr Field kConfigMapFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ConfigMap::metadata>("metadata", object(kObjectMetaSchema)),
    known("binaryData", map_of(kBytes)),
    field<&ConfigMap::data>("data"),
    known("immutable", kBoolean),
};
constinit const Schema kConfigMapSchema{"ConfigMap", kConfigMapFields};

}  // namespace loadline::kube
