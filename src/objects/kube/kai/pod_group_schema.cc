#include "objects/kube/kai/pod_group_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kTopologyFields[] = {
    field<&KaiTopologyConstraint::topology>("topology"),
    field<&KaiTopologyConstraint::required>("requiredTopologyLevel"),
    field<&KaiTopologyConstraint::preferred>("preferredTopologyLevel"),
};
constexpr Schema kTopologySchema{OfCustomKind{}, "TopologyConstraint", kTopologyFields};

constexpr Field kSubGroupFields[] = {
    field<&KaiSubGroup::name>("name"),
    field<&KaiSubGroup::min_member>("minMember"),
    field<&KaiSubGroup::min_subgroups>("minSubGroup"),
    field<&KaiSubGroup::parent>("parent"),
    field<&KaiSubGroup::topology>("topologyConstraint", kTopologySchema),
};
constexpr Schema kSubGroupSchema{OfCustomKind{}, "SubGroup", kSubGroupFields};

constexpr Field kSpecFields[] = {
    field<&KaiPodGroup::min_member>("minMember"),
    field<&KaiPodGroup::min_subgroups>("minSubGroup"),
    field<&KaiPodGroup::subgroups>("subGroups", kSubGroupSchema),
    field<&KaiPodGroup::queue>("queue"),
    field<&KaiPodGroup::priority_class_name>("priorityClassName"),
    field<&KaiPodGroup::topology>("topologyConstraint", kTopologySchema),
    field<&KaiPodGroup::scheduling_backoff>("schedulingBackoff"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "PodGroupSpec", kSpecFields};

constexpr Field kConditionFields[] = {
    field<&KaiSchedulingCondition::type>("type"),
    field<&KaiSchedulingCondition::node_pool>("nodePool"),
    field<&KaiSchedulingCondition::reason>("reason"),
    field<&KaiSchedulingCondition::message>("message"),
    field<&KaiSchedulingCondition::status>("status"),
    field<&KaiSchedulingCondition::transition_id>("transitionID"),
    field<&KaiSchedulingCondition::last_transition_time>("lastTransitionTime"),
};

}  // namespace

constinit const Schema kKaiSchedulingConditionSchema{OfCustomKind{}, "SchedulingCondition", kConditionFields};

namespace {

constexpr Field kStatusFields[] = {
    field<&KaiPodGroup::scheduling_conditions>("schedulingConditions", kKaiSchedulingConditionSchema),
};
constexpr Schema kStatusSchema{OfCustomKind{}, "PodGroupStatus", kStatusFields};

constexpr Field kFields[] = {
    field<&KaiPodGroup::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    part("status", kStatusSchema),
};

}  // namespace

constinit const Schema kKaiPodGroupSchema{OfCustomKind{}, "PodGroup", kFields};

}  // namespace loadline::kube
