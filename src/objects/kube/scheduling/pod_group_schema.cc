#include "objects/kube/scheduling/pod_group_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kGangFields[] = {
    field<&PodGroupPolicy::min_count>("minCount"),
};
constexpr Schema kGangSchema{"io.k8s.api.scheduling.v1alpha2.GangSchedulingPolicy", kGangFields};

constexpr Field kPolicyFields[] = {
    presence<&PodGroupPolicy::is_basic>("basic"),
    part("gang", kGangSchema),
};
constinit const Schema kPodGroupPolicySchema{"io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingPolicy", kPolicyFields};

constexpr Field kMadeOfFields[] = {
    field<&PodGroup::TemplateReference::template_>("podGroupTemplateName"),
    field<&PodGroup::TemplateReference::workload>("workloadName"),
};
constexpr Schema kMadeOfSchema{"io.k8s.api.scheduling.v1alpha2.WorkloadPodGroupTemplateReference", kMadeOfFields};

constexpr Field kTemplateRefFields[] = {
    field<&PodGroup::made_of>("workload", kMadeOfSchema),
};
constexpr Schema kTemplateRefSchema{"io.k8s.api.scheduling.v1alpha2.PodGroupTemplateReference", kTemplateRefFields};

constexpr Field kConstraintFields[] = {
    field<&PodGroup::TopologyConstraint::key>("key"),
};
constexpr Schema kConstraintSchema{"io.k8s.api.scheduling.v1alpha2.TopologyConstraint", kConstraintFields};

constexpr Field kConstraintsFields[] = {
    field<&PodGroup::topology>("topology", kConstraintSchema),
};
constexpr Schema kConstraintsSchema{"io.k8s.api.scheduling.v1alpha2.PodGroupSchedulingConstraints", kConstraintsFields};

constexpr Field kPodGroupSpecFields[] = {
    field<&PodGroup::disruption_mode>("disruptionMode"),
    part("podGroupTemplateRef", kTemplateRefSchema),
    field<&PodGroup::priority>("priority"),
    field<&PodGroup::priority_class_name>("priorityClassName"),
    part("schedulingConstraints", kConstraintsSchema),
    field<&PodGroup::policy>("schedulingPolicy", kPodGroupPolicySchema),
};
constexpr Schema kPodGroupSpecSchema{"io.k8s.api.scheduling.v1alpha2.PodGroupSpec", kPodGroupSpecFields};

constexpr Field kPodGroupStatusFields[] = {
    field<&PodGroup::conditions>("conditions", kMetaConditionSchema),
};
constexpr Schema kPodGroupStatusSchema{"io.k8s.api.scheduling.v1alpha2.PodGroupStatus", kPodGroupStatusFields};

constexpr Field kPodGroupFields[] = {
    field<&PodGroup::metadata>("metadata", kObjectMetaSchema),
    part("spec", kPodGroupSpecSchema),
    part("status", kPodGroupStatusSchema),
};
constinit const Schema kPodGroupSchema{"io.k8s.api.scheduling.v1alpha2.PodGroup", kPodGroupFields};

}  // namespace loadline::kube
