#include "objects/kube/grove/pod_gang_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kGangPackFields[] = {
    field<&GrovePackConstraint::required>("required"),
    field<&GrovePackConstraint::preferred>("preferred"),
};
constexpr Schema kGangPackSchema{OfCustomKind{}, "TopologyPackConstraint", kGangPackFields};

constexpr Field kGangGroupTopologyFields[] = {field<&GrovePodGroup::pack>("packConstraint", kGangPackSchema)};
constexpr Schema kGangGroupTopologySchema{OfCustomKind{}, "TopologyConstraint", kGangGroupTopologyFields};

constexpr Field kPodReferenceFields[] = {field<&GrovePodGroup::PodReference::name>("name")};
constexpr Schema kPodReferenceSchema{OfCustomKind{}, "NamespacedName", kPodReferenceFields};

constexpr Field kGangGroupFields[] = {
    field<&GrovePodGroup::name>("name"),
    field<&GrovePodGroup::min_replicas>("minReplicas"),
    field<&GrovePodGroup::pods>("podReferences", kPodReferenceSchema),
    part("topologyConstraint", kGangGroupTopologySchema),
};
constexpr Schema kGangGroupSchema{OfCustomKind{}, "PodGroup", kGangGroupFields};

constexpr Field kSharedTopologyFields[] = {field<&GroveSharedConstraint::pack>("packConstraint", kGangPackSchema)};
constexpr Schema kSharedTopologySchema{OfCustomKind{}, "TopologyConstraint", kSharedTopologyFields};

constexpr Field kSharedConstraintFields[] = {
    field<&GroveSharedConstraint::name>("name"),
    field<&GroveSharedConstraint::groups>("podGroupNames"),
    part("topologyConstraint", kSharedTopologySchema),
};
constexpr Schema kSharedConstraintSchema{OfCustomKind{}, "TopologyConstraintGroupConfig", kSharedConstraintFields};

constexpr Field kGangTopologyFields[] = {field<&PodGang::pack>("packConstraint", kGangPackSchema)};
constexpr Schema kGangTopologySchema{OfCustomKind{}, "TopologyConstraint", kGangTopologyFields};

constexpr Field kGangSpecFields[] = {
    field<&PodGang::groups>("podgroups", kGangGroupSchema),
    field<&PodGang::priority_class_name>("priorityClassName"),
    part("topologyConstraint", kGangTopologySchema),
    field<&PodGang::shared_constraints>("topologyConstraintGroupConfigs", kSharedConstraintSchema),
};
constexpr Schema kGangSpecSchema{OfCustomKind{}, "PodGangSpec", kGangSpecFields};

constexpr Field kGangFields[] = {
    field<&PodGang::metadata>("metadata", kObjectMetaSchema),
    part("spec", kGangSpecSchema),
};

}  // namespace

constinit const Schema kPodGangSchema{OfCustomKind{}, "PodGang", kGangFields};

}  // namespace loadline::kube
