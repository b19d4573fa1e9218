#include "objects/kube/core/node_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kTaintFields[] = {
    field<&Taint::effect>("effect"),
    field<&Taint::key>("key"),
    field<&Taint::time_added>("timeAdded"),
    field<&Taint::value>("value"),
};
constinit const Schema kTaintSchema{"io.k8s.api.core.v1.Taint", kTaintFields};

constexpr Field kNodeSpecFields[] = {
    field<&Node::taints>("taints", kTaintSchema),
    field<&Node::unschedulable>("unschedulable"),
};
constexpr Schema kNodeSpecSchema{"io.k8s.api.core.v1.NodeSpec", kNodeSpecFields};

constexpr Field kNodeConditionFields[] = {
    field<&Condition::last_heartbeat_time>("lastHeartbeatTime"),
    field<&Condition::last_transition_time>("lastTransitionTime"),
    field<&Condition::message>("message"),
    field<&Condition::reason>("reason"),
    field<&Condition::status>("status"),
    field<&Condition::type>("type"),
};
constexpr Schema kNodeConditionSchema{"io.k8s.api.core.v1.NodeCondition", kNodeConditionFields};

constexpr Field kContainerImageFields[] = {
    field<&ContainerImage::names>("names"),
    field<&ContainerImage::size_bytes>("sizeBytes"),
};
constexpr Schema kContainerImageSchema{"io.k8s.api.core.v1.ContainerImage", kContainerImageFields};

constexpr Field kNodeStatusFields[] = {
    field<&Node::allocatable>("allocatable"),
    field<&Node::capacity>("capacity"),
    field<&Node::conditions>("conditions", kNodeConditionSchema),
    field<&Node::declared_features>("declaredFeatures"),
    field<&Node::images>("images", kContainerImageSchema),
};
constexpr Schema kNodeStatusSchema{"io.k8s.api.core.v1.NodeStatus", kNodeStatusFields};

constexpr Field kNodeFields[] = {
    field<&Node::metadata>("metadata", kObjectMetaSchema),
    part("spec", kNodeSpecSchema),
    part("status", kNodeStatusSchema),
};
constinit const Schema kNodeSchema{"io.k8s.api.core.v1.Node", kNodeFields};

}  // namespace loadline::kube
