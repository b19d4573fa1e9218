#include "objects/kube/core/pod_status_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr Field kPodConditionFields[] = {
    field<&Condition::last_transition_time>("lastTransitionTime"),
    field<&Condition::message>("message"),
    field<&Condition::reason>("reason"),
    field<&Condition::status>("status"),
    field<&Condition::type>("type"),
};
constexpr Schema kPodConditionSchema{"io.k8s.api.core.v1.PodCondition", kPodConditionFields};

constexpr Field kContainerStateRunningFields[] = {
    field<&ContainerStateRunning::started_at>("startedAt"),
};
constexpr Schema kContainerStateRunningSchema{"io.k8s.api.core.v1.ContainerStateRunning", kContainerStateRunningFields};

constexpr Field kContainerStateTerminatedFields[] = {
    field<&ContainerStateTerminated::exit_code>("exitCode"),
    field<&ContainerStateTerminated::finished_at>("finishedAt"),
    field<&ContainerStateTerminated::reason>("reason"),
    field<&ContainerStateTerminated::started_at>("startedAt"),
};
constexpr Schema kContainerStateTerminatedSchema{"io.k8s.api.core.v1.ContainerStateTerminated",
                                                 kContainerStateTerminatedFields};

constexpr Field kContainerStateWaitingFields[] = {
    field<&ContainerStateWaiting::reason>("reason"),
};
constexpr Schema kContainerStateWaitingSchema{"io.k8s.api.core.v1.ContainerStateWaiting", kContainerStateWaitingFields};

constexpr Field kContainerStateFields[] = {
    field<&ContainerState::running>("running", kContainerStateRunningSchema),
    field<&ContainerState::terminated>("terminated", kContainerStateTerminatedSchema),
    field<&ContainerState::waiting>("waiting", kContainerStateWaitingSchema),
};
constexpr Schema kContainerStateSchema{"io.k8s.api.core.v1.ContainerState", kContainerStateFields};

constexpr Field kContainerStatusFields[] = {
    field<&ContainerStatus::allocated_resources>("allocatedResources"),
    field<&ContainerStatus::name>("name"),
    field<&ContainerStatus::ready>("ready"),
    field<&ContainerStatus::resources>("resources", kResourceRequirementsSchema),
    field<&ContainerStatus::restart_count>("restartCount"),
    field<&ContainerStatus::started>("started"),
    field<&ContainerStatus::state>("state", kContainerStateSchema),
};
constexpr Schema kContainerStatusSchema{"io.k8s.api.core.v1.ContainerStatus", kContainerStatusFields};

constexpr Field kPodStatusFields[] = {
    field<&PodStatus::allocated_resources>("allocatedResources"),
    field<&PodStatus::conditions>("conditions", kPodConditionSchema),
    field<&PodStatus::container_statuses>("containerStatuses", kContainerStatusSchema),
    field<&PodStatus::host_ip>("hostIP"),
    field<&PodStatus::init_container_statuses>("initContainerStatuses", kContainerStatusSchema),
    field<&PodStatus::message>("message"),
    field<&PodStatus::nominated_node_name>("nominatedNodeName"),
    field<&PodStatus::phase>("phase"),
    field<&PodStatus::pod_ip>("podIP"),
    field<&PodStatus::reason>("reason"),
    field<&PodStatus::resources>("resources", kResourceRequirementsSchema),
    field<&PodStatus::start_time>("startTime"),
};
constinit const Schema kPodStatusSchema{"io.k8s.api.core.v1.PodStatus", kPodStatusFields};

}  // namespace loadline::kube
