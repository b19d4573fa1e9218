#include "objects/kube/core/container_schema.h"

#include "objects/kube/core/security_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr std::string_view kPullPolicyNames[] = {"Always", "IfNotPresent", "Never"};
constexpr Enumeration kPullPolicy{kPullPolicyNames};

constexpr Field kContainerPortFields[] = {
    field<&ContainerPort::container_port>("containerPort"),
    field<&ContainerPort::host_ip>("hostIP"),
    field<&ContainerPort::host_port>("hostPort"),
    field<&ContainerPort::name>("name"),
    field<&ContainerPort::protocol>("protocol"),
};
constexpr Schema kContainerPortSchema{"io.k8s.api.core.v1.ContainerPort", kContainerPortFields};

constexpr Field kResourceClaimFields[] = {
    field<&ResourceClaimUse::name>("name"),
    field<&ResourceClaimUse::request>("request"),
};
constexpr Schema kResourceClaimSchema{"io.k8s.api.core.v1.ResourceClaim", kResourceClaimFields};

constexpr Field kResourceRequirementsFields[] = {
    field<&ResourceRequirements::claims>("claims", kResourceClaimSchema),
    field<&ResourceRequirements::limits>("limits"),
    field<&ResourceRequirements::requests>("requests"),
};
constinit const Schema kResourceRequirementsSchema{"io.k8s.api.core.v1.ResourceRequirements",
                                                   kResourceRequirementsFields};

constexpr Field kContainerFields[] = {
    field<&Container::image>("image"),
    enumerated("imagePullPolicy", kPullPolicy),
    field<&Container::name>("name"),
    field<&Container::ports>("ports", kContainerPortSchema),
    field<&Container::resources>("resources", kResourceRequirementsSchema),
    field<&Container::restart_policy>("restartPolicy"),
};
constinit const Schema kContainerSchema{"io.k8s.api.core.v1.Container", kContainerFields};

constexpr Field kEphemeralContainerFields[] = {
    enumerated("imagePullPolicy", kPullPolicy),
    within("ports", kContainerPortSchema),
};
constinit const Schema kEphemeralContainerSchema{"io.k8s.api.core.v1.EphemeralContainer", kEphemeralContainerFields};

}  // namespace loadline::kube
