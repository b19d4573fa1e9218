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
    enumerated("protocol", kProtocol),
};
constexpr Schema kServicePortSchema{"io.k8s.api.core.v1.ServicePort", kServicePortFields};

static void read_ports(Decoder&, const document::Value& value, const Path&, Service& service) {
  service.port_count = static_cast<std::int32_t>(value.array().size());
}

constexpr Field kServiceSpecFields[] = {
    field<&Service::allocate_load_balancer_node_ports>("allocateLoadBalancerNodePorts"),
    custom<read_ports>("ports", kServicePortSchema),
    field<&Service::selector>("selector"),
    enumerated("sessionAffinity", kSessionAffinity),
    field<&Service::type>("type", one_of(kServiceType)),
};
constexpr Schema kServiceSpecSchema{"io.k8s.api.core.v1.ServiceSpec", kServiceSpecFields};

constexpr Field kServiceFields[] = {
    field<&Service::metadata>("metadata", kObjectMetaSchema),
    part("spec", kServiceSpecSchema),
};
constinit const Schema kServiceSchema{"io.k8s.api.core.v1.Service", kServiceFields};

constexpr Field kReplicationControllerSpecFields[] = {
    field<&ReplicationController::min_ready_seconds>("minReadySeconds"),
    field<&ReplicationController::replicas>("replicas").pointer(),
    field<&ReplicationController::selector>("selector"),
    field<&ReplicationController::template_>("template", kPodTemplateSpecSchema),
};
constexpr Schema kReplicationControllerSpecSchema{"io.k8s.api.core.v1.ReplicationControllerSpec",
                                                  kReplicationControllerSpecFields};

constexpr Field kReplicationControllerConditionFields[] = {
    field<&WorkloadCondition::last_transition_time>("lastTransitionTime"),
    field<&WorkloadCondition::message>("message"),
    field<&WorkloadCondition::reason>("reason"),
    field<&WorkloadCondition::status>("status"),
    field<&WorkloadCondition::type>("type"),
};
constexpr Schema kReplicationControllerConditionSchema{"io.k8s.api.core.v1.ReplicationControllerCondition",
                                                       kReplicationControllerConditionFields};

constexpr Field kReplicationControllerStatusFields[] = {
    field<&ReplicaSetStatus::available_replicas>("availableReplicas"),
    field<&ReplicaSetStatus::conditions>("conditions", kReplicationControllerConditionSchema),
    field<&ReplicaSetStatus::fully_labeled_replicas>("fullyLabeledReplicas"),
    field<&ReplicaSetStatus::observed_generation>("observedGeneration"),
    field<&ReplicaSetStatus::ready_replicas>("readyReplicas"),
    field<&ReplicaSetStatus::replicas>("replicas"),
};
constinit const Schema kReplicationControllerStatusSchema{"io.k8s.api.core.v1.ReplicationControllerStatus",
                                                          kReplicationControllerStatusFields};

constexpr Field kReplicationControllerFields[] = {
    field<&ReplicationController::metadata>("metadata", kObjectMetaSchema),
    part("spec", kReplicationControllerSpecSchema),
    field<&ReplicationController::status>("status", kReplicationControllerStatusSchema),
};
constinit const Schema kReplicationControllerSchema{"io.k8s.api.core.v1.ReplicationController",
                                                    kReplicationControllerFields};

constexpr Field kConfigMapFields[] = {
    field<&ConfigMap::metadata>("metadata", kObjectMetaSchema),
    field<&ConfigMap::data>("data"),
};
constinit const Schema kConfigMapSchema{"io.k8s.api.core.v1.ConfigMap", kConfigMapFields};

}  // namespace loadline::kube
