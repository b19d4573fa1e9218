#include "objects/kube/core/pod_status_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

constexpr Field kPodConditionFields[] = {
    known("lastProbeTime", kTime),
    field<&Condition::last_transition_time>("lastTransitionTime"),
    field<&Condition::message>("message"),
    known("observedGeneration", kInt64),
    field<&Condition::reason>("reason"),
    field<&Condition::status>("status").required(),
    field<&Condition::type>("type").required(),
};
constexpr Schema kPodConditionSchema{"PodCondition", kPodConditionFields};

constexpr Field kResourceHealthFields[] = {
    known("health", kString),
    known("message", kString),
    known("resourceID", kString).required(),
};
constexpr Schema kResourceHealthSchema{"ResourceHealth", kResourceHealthFields};

constexpr Field kResourceStatusFields[] = {
    known("name", kString).required(),
    known("resources", list_of(object(kResourceHealthSchema))),
};
constexpr Schema kResourceStatusSchema{"ResourceStatus", kResourceStatusFields};

constexpr Field kContainerStateRunningFields[] = {
    field<&ContainerStateRunning::started_at>("startedAt"),
};
constexpr Schema kContainerStateRunningSchema{"ContainerStateRunning", kContainerStateRunningFields};

constexpr Field kContainerStateTerminatedFields[] = {
    known("containerID", kString),
    field<&ContainerStateTerminated::exit_code>("exitCode").required(),
    field<&ContainerStateTerminated::finished_at>("finishedAt"),
    known("message", kString),
    field<&ContainerStateTerminated::reason>("reason"),
    known("signal", kInt32),
    field<&ContainerStateTerminated::started_at>("startedAt"),
};
constexpr Schema kContainerStateTerminatedSchema{"ContainerStateTerminated", kContainerStateTerminatedFields};

constexpr Field kContainerStateWaitingFields[] = {
    known("message", kString),
    field<&ContainerStateWaiting::reason>("reason"),
};
constexpr Schema kContainerStateWaitingSchema{"ContainerStateWaiting", kContainerStateWaitingFields};

constexpr Field kContainerStateFields[] = {
    field<&ContainerState::running>("running", object(kContainerStateRunningSchema)),
    field<&ContainerState::terminated>("terminated", object(kContainerStateTerminatedSchema)),
    field<&ContainerState::waiting>("waiting", object(kContainerStateWaitingSchema)),
};
constexpr Schema kContainerStateSchema{"ContainerState", kContainerStateFields};

constexpr Field kLinuxContainerUserFields[] = {
    known("gid", kInt64).required(),
    known("supplementalGroups", list_of(kInt64)),
    known("uid", kInt64).required(),
};
constexpr Schema kLinuxContainerUserSchema{"LinuxContainerUser", kLinuxContainerUserFields};

constexpr Field kContainerUserFields[] = {
    known("linux", object(kLinuxContainerUserSchema)),
};
constexpr Schema kContainerUserSchema{"ContainerUser", kContainerUserFields};

constexpr Field kImageVolumeStatusFields[] = {
    known("imageRef", kString).required(),
};
constexpr Schema kImageVolumeStatusSchema{"ImageVolumeStatus", kImageVolumeStatusFields};

constexpr Field kVolumeStatusFields[] = {
    known("image", object(kImageVolumeStatusSchema)),
};
constexpr Schema kVolumeStatusSchema{"VolumeStatus", kVolumeStatusFields};

constexpr Field kVolumeMountStatusFields[] = {
    known("mountPath", kString).required(),
    known("name", kString).required(),
    known("readOnly", kBoolean),
    known("recursiveReadOnly", kString),
    known("volumeStatus", object(kVolumeStatusSchema)),
};
constexpr Schema kVolumeMountStatusSchema{"VolumeMountStatus", kVolumeMountStatusFields};

constexpr Field kContainerStatusFields[] = {
    field<&ContainerStatus::allocated_resources>("allocatedResources"),
    known("allocatedResourcesStatus", list_of(object(kResourceStatusSchema))),
    known("containerID", kString),
    known("image", kString).required(),
    known("imageID", kString).required(),
    known("lastState", object(kContainerStateSchema)),
    field<&ContainerStatus::name>("name").required(),
    field<&ContainerStatus::ready>("ready").required(),
    field<&ContainerStatus::resources>("resources", object(kResourceRequirementsSchema)),
    field<&ContainerStatus::restart_count>("restartCount").required(),
    field<&ContainerStatus::started>("started"),
    field<&ContainerStatus::state>("state", object(kContainerStateSchema)),
    known("stopSignal", kString),
    known("user", object(kContainerUserSchema)),
    known("volumeMounts", list_of(object(kVolumeMountStatusSchema))),
};
constexpr Schema kContainerStatusSchema{"ContainerStatus", kContainerStatusFields};

constexpr Field kContainerExtendedResourceRequestFields[] = {
    known("containerName", kString).required(),
    known("requestName", kString).required(),
    known("resourceName", kString).required(),
};
constexpr Schema kContainerExtendedResourceRequestSchema{"ContainerExtendedResourceRequest",
                                                         kContainerExtendedResourceRequestFields};

constexpr Field kPodExtendedResourceClaimStatusFields[] = {
    known("requestMappings", list_of(object(kContainerExtendedResourceRequestSchema))).required(),
    known("resourceClaimName", kString).required(),
};
constexpr Schema kPodExtendedResourceClaimStatusSchema{"PodExtendedResourceClaimStatus",
                                                       kPodExtendedResourceClaimStatusFields};

constexpr Field kHostIpFields[] = {
    known("ip", kString).required(),
};
constexpr Schema kHostIpSchema{"HostIP", kHostIpFields};

constexpr Field kNodeAllocatableResourceClaimStatusFields[] = {
    known("containers", list_of(kString)),
    known("resourceClaimName", kString).required(),
    known("resources", map_of(kQuantity)).required(),
};
constexpr Schema kNodeAllocatableResourceClaimStatusSchema{"NodeAllocatableResourceClaimStatus",
                                                           kNodeAllocatableResourceClaimStatusFields};

constexpr Field kPodIpFields[] = {
    known("ip", kString).required(),
};
constexpr Schema kPodIpSchema{"PodIP", kPodIpFields};

constexpr Field kPodResourceClaimStatusFields[] = {
    known("name", kString).required(),
    known("resourceClaimName", kString),
};
constexpr Schema kPodResourceClaimStatusSchema{"PodResourceClaimStatus", kPodResourceClaimStatusFields};

constexpr Field kPodStatusFields[] = {
    field<&PodStatus::allocated_resources>("allocatedResources"),
    field<&PodStatus::conditions>("conditions", list_of(object(kPodConditionSchema))),
    field<&PodStatus::container_statuses>("containerStatuses", list_of(object(kContainerStatusSchema))),
    known("ephemeralContainerStatuses", list_of(object(kContainerStatusSchema))),
    known("extendedResourceClaimStatus", object(kPodExtendedResourceClaimStatusSchema)),
    field<&PodStatus::host_ip>("hostIP"),
    known("hostIPs", list_of(object(kHostIpSchema))),
    field<&PodStatus::init_container_statuses>("initContainerStatuses", list_of(object(kContainerStatusSchema))),
    field<&PodStatus::message>("message"),
    known("nodeAllocatableResourceClaimStatuses", list_of(object(kNodeAllocatableResourceClaimStatusSchema))),
    field<&PodStatus::nominated_node_name>("nominatedNodeName"),
    known("observedGeneration", kInt64),
    field<&PodStatus::phase>("phase"),
    field<&PodStatus::pod_ip>("podIP"),
    known("podIPs", list_of(object(kPodIpSchema))),
    known("qosClass", kString),
    field<&PodStatus::reason>("reason"),
    known("resize", kString),
    known("resourceClaimStatuses", list_of(object(kPodResourceClaimStatusSchema))),
    field<&PodStatus::resources>("resources", object(kResourceRequirementsSchema)),
    field<&PodStatus::start_time>("startTime"),
};
constinit const Schema kPodStatusSchema{"PodStatus", kPodStatusFields};

}  // namespace loadline::kube
