#include "objects/kube/volcano/pod_group_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kTopologyFields[] = {
    field<&VolcanoNetworkTopology::mode>("mode"),
    field<&VolcanoNetworkTopology::highest_tier_allowed>("highestTierAllowed"),
    field<&VolcanoNetworkTopology::highest_tier_name>("highestTierName"),
};

}  // namespace

constinit const Schema kVolcanoNetworkTopologySchema{OfCustomKind{}, "NetworkTopologySpec", kTopologyFields};

namespace {

constexpr Field kSubGroupFields[] = {
    field<&VolcanoSubGroupPolicy::name>("name"),
    field<&VolcanoSubGroupPolicy::label_selector>("labelSelector", kLabelSelectorSchema),
    field<&VolcanoSubGroupPolicy::match_label_keys>("matchLabelKeys"),
    field<&VolcanoSubGroupPolicy::subgroup_size>("subGroupSize"),
    field<&VolcanoSubGroupPolicy::min_subgroups>("minSubGroups"),
    field<&VolcanoSubGroupPolicy::topology>("networkTopology", kVolcanoNetworkTopologySchema),
};
constexpr Schema kSubGroupSchema{OfCustomKind{}, "SubGroupPolicySpec", kSubGroupFields};

constexpr Field kPodGroupSpecFields[] = {
    field<&VolcanoPodGroup::min_member>("minMember"),
    field<&VolcanoPodGroup::min_task_member>("minTaskMember"),
    field<&VolcanoPodGroup::priority_class_name>("priorityClassName"),
    field<&VolcanoPodGroup::queue>("queue"),
    field<&VolcanoPodGroup::topology>("networkTopology", kVolcanoNetworkTopologySchema),
    field<&VolcanoPodGroup::subgroups>("subGroupPolicy", kSubGroupSchema),
};
constexpr Schema kPodGroupSpecSchema{OfCustomKind{}, "PodGroupSpec", kPodGroupSpecFields};

constexpr Field kGroupConditionFields[] = {
    field<&VolcanoGroupCondition::type>("type"),
    field<&VolcanoGroupCondition::status>("status"),
    field<&VolcanoGroupCondition::transition_id>("transitionID"),
    field<&VolcanoGroupCondition::last_transition_time>("lastTransitionTime"),
    field<&VolcanoGroupCondition::reason>("reason"),
    field<&VolcanoGroupCondition::message>("message"),
};
constexpr Schema kGroupConditionSchema{OfCustomKind{}, "PodGroupCondition", kGroupConditionFields};

constexpr Field kPodGroupStatusFields[] = {
    field<&VolcanoGroupStatus::phase>("phase"),
    field<&VolcanoGroupStatus::conditions>("conditions", kGroupConditionSchema),
    field<&VolcanoGroupStatus::running>("running"),
    field<&VolcanoGroupStatus::succeeded>("succeeded"),
    field<&VolcanoGroupStatus::failed>("failed"),
};
constexpr Schema kPodGroupStatusSchema{OfCustomKind{}, "PodGroupStatus", kPodGroupStatusFields};

constexpr Field kPodGroupFields[] = {
    field<&VolcanoPodGroup::metadata>("metadata", kObjectMetaSchema),
    part("spec", kPodGroupSpecSchema),
    field<&VolcanoPodGroup::status>("status", kPodGroupStatusSchema),
};

}  // namespace

constinit const Schema kVolcanoPodGroupSchema{OfCustomKind{}, "PodGroup", kPodGroupFields};

}  // namespace loadline::kube
