#include "objects/kube/core/node_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kConfigMapNodeConfigSourceFields[] = {
    known("kubeletConfigKey", kString).required(),
    known("name", kString).required(),
    known("namespace", kString).required(),
    known("resourceVersion", kString),
    known("uid", kString),
};
constexpr Schema kConfigMapNodeConfigSourceSchema{"ConfigMapNodeConfigSource", kConfigMapNodeConfigSourceFields};

constexpr Field kNodeConfigSourceFields[] = {
    known("configMap", object(kConfigMapNodeConfigSourceSchema)),
};
constexpr Schema kNodeConfigSourceSchema{"NodeConfigSource", kNodeConfigSourceFields};

constexpr Field kTaintFields[] = {
    field<&Taint::effect>("effect").required(),
    field<&Taint::key>("key").required(),
    field<&Taint::time_added>("timeAdded"),
    field<&Taint::value>("value"),
};
constexpr Schema kTaintSchema{"Taint", kTaintFields};

constexpr Field kNodeSpecFields[] = {
    known("configSource", object(kNodeConfigSourceSchema)),
    known("externalID", kString),
    known("podCIDR", kString),
    known("podCIDRs", list_of(kString)),
    known("providerID", kString),
    field<&Node::taints>("taints", list_of(object(kTaintSchema))),
    field<&Node::unschedulable>("unschedulable"),
};
constexpr Schema kNodeSpecSchema{"NodeSpec", kNodeSpecFields};

constexpr Field kNodeAddressFields[] = {
    known("address", kString).required(),
    known("type", kString).required(),
};
constexpr Schema kNodeAddressSchema{"NodeAddress", kNodeAddressFields};

constexpr Field kNodeConditionFields[] = {
    field<&Condition::last_heartbeat_time>("lastHeartbeatTime"),
    field<&Condition::last_transition_time>("lastTransitionTime"),
    field<&Condition::message>("message"),
    field<&Condition::reason>("reason"),
    field<&Condition::status>("status").required(),
    field<&Condition::type>("type").required(),
};
constexpr Schema kNodeConditionSchema{"NodeCondition", kNodeConditionFields};

constexpr Field kNodeConfigStatusFields[] = {
    known("active", object(kNodeConfigSourceSchema)),
    known("assigned", object(kNodeConfigSourceSchema)),
    known("error", kString),
    known("lastKnownGood", object(kNodeConfigSourceSchema)),
};
constexpr Schema kNodeConfigStatusSchema{"NodeConfigStatus", kNodeConfigStatusFields};

constexpr Field kDaemonEndpointFields[] = {
    known("Port", kInt32).required(),
};
constexpr Schema kDaemonEndpointSchema{"DaemonEndpoint", kDaemonEndpointFields};

constexpr Field kNodeDaemonEndpointsFields[] = {
    known("kubeletEndpoint", object(kDaemonEndpointSchema)),
};
constexpr Schema kNodeDaemonEndpointsSchema{"NodeDaemonEndpoints", kNodeDaemonEndpointsFields};

constexpr Field kNodeFeaturesFields[] = {
    known("supplementalGroupsPolicy", kBoolean),
};
constexpr Schema kNodeFeaturesSchema{"NodeFeatures", kNodeFeaturesFields};

constexpr Field kContainerImageFields[] = {
    field<&ContainerImage::names>("names"),
    field<&ContainerImage::size_bytes>("sizeBytes"),
};
constexpr Schema kContainerImageSchema{"ContainerImage", kContainerImageFields};

constexpr Field kNodeSwapStatusFields[] = {
    known("capacity", kInt64),
};
constexpr Schema kNodeSwapStatusSchema{"NodeSwapStatus", kNodeSwapStatusFields};

constexpr Field kNodeSystemInfoFields[] = {
    known("architecture", kString).required(),
    known("bootID", kString).required(),
    known("containerRuntimeVersion", kString).required(),
    known("kernelVersion", kString).required(),
    known("kubeProxyVersion", kString).required(),
    known("kubeletVersion", kString).required(),
    known("machineID", kString).required(),
    known("operatingSystem", kString).required(),
    known("osImage", kString).required(),
    known("swap", object(kNodeSwapStatusSchema)),
    known("systemUUID", kString).required(),
};
constexpr Schema kNodeSystemInfoSchema{"NodeSystemInfo", kNodeSystemInfoFields};

constexpr Field kNodeRuntimeHandlerFeaturesFields[] = {
    known("recursiveReadOnlyMounts", kBoolean),
    known("userNamespaces", kBoolean),
};
constexpr Schema kNodeRuntimeHandlerFeaturesSchema{"NodeRuntimeHandlerFeatures", kNodeRuntimeHandlerFeaturesFields};

constexpr Field kNodeRuntimeHandlerFields[] = {
    known("features", object(kNodeRuntimeHandlerFeaturesSchema)),
    known("name", kString),
};
constexpr Schema kNodeRuntimeHandlerSchema{"NodeRuntimeHandler", kNodeRuntimeHandlerFields};

constexpr Field kAttachedVolumeFields[] = {
    known("devicePath", kString).required(),
    known("name", kString).required(),
};
constexpr Schema kAttachedVolumeSchema{"AttachedVolume", kAttachedVolumeFields};

constexpr Field kNodeStatusFields[] = {
    known("addresses", list_of(object(kNodeAddressSchema))),
    field<&Node::allocatable>("allocatable"),
    field<&Node::capacity>("capacity"),
    field<&Node::conditions>("conditions", list_of(object(kNodeConditionSchema))),
    known("config", object(kNodeConfigStatusSchema)),
    known("daemonEndpoints", object(kNodeDaemonEndpointsSchema)),
    field<&Node::declared_features>("declaredFeatures"),
    known("features", object(kNodeFeaturesSchema)),
    field<&Node::images>("images", list_of(object(kContainerImageSchema))),
    known("nodeInfo", object(kNodeSystemInfoSchema)),
    known("phase", kString),
    known("runtimeHandlers", list_of(object(kNodeRuntimeHandlerSchema))),
    known("volumesAttached", list_of(object(kAttachedVolumeSchema))),
    known("volumesInUse", list_of(kString)),
};
constexpr Schema kNodeStatusSchema{"NodeStatus", kNodeStatusFields};

constexpr Field kNodeFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Node::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kNodeSpecSchema),
    part("status", kNodeStatusSchema),
};
constinit const Schema kNodeSchema{"Node", kNodeFields};

}  // namespace loadline::kube
