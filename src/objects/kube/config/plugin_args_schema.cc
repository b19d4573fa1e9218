#include "objects/kube/config/plugin_args_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

// Every row writes into the PluginArgs of the profile, whichever plugin's arguments it belongs to.

namespace {

constexpr Field kResourceSpecFields[] = {
    field<&ResourceSpec::name>("name").required(),
    field<&ResourceSpec::weight>("weight"),
};
constexpr Schema kResourceSpecSchema{"ResourceSpec", kResourceSpecFields};

constexpr Field kUtilizationShapePointFields[] = {
    field<&UtilizationShapePoint::utilization>("utilization").required(),
    field<&UtilizationShapePoint::score>("score").required(),
};
constexpr Schema kUtilizationShapePointSchema{"UtilizationShapePoint", kUtilizationShapePointFields};

constexpr Field kRequestedToCapacityRatioParamFields[] = {
    field<&NodeResourcesFitArgs::shape>("shape", list_of(object(kUtilizationShapePointSchema))),
};
constexpr Schema kRequestedToCapacityRatioParamSchema{"RequestedToCapacityRatioParam",
                                                      kRequestedToCapacityRatioParamFields};

constexpr Field kScoringStrategyFields[] = {
    field<&NodeResourcesFitArgs::strategy>("type"),
    field<&NodeResourcesFitArgs::resources>("resources", list_of(object(kResourceSpecSchema))),
    part("requestedToCapacityRatio", kRequestedToCapacityRatioParamSchema),
};
constexpr Schema kScoringStrategySchema{"ScoringStrategy", kScoringStrategyFields};

constexpr Field kNodeResourcesFitArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&NodeResourcesFitArgs::ignored_resources>("ignoredResources"),
    field<&NodeResourcesFitArgs::ignored_resource_groups>("ignoredResourceGroups"),
    part("scoringStrategy", kScoringStrategySchema),
};
constexpr Schema kNodeResourcesFitArgsSchema{"NodeResourcesFitArgs", kNodeResourcesFitArgsFields};

constexpr Field kNodeResourcesBalancedAllocationArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&NodeResourcesBalancedAllocationArgs::resources>("resources", list_of(object(kResourceSpecSchema))),
};
constexpr Schema kNodeResourcesBalancedAllocationArgsSchema{"NodeResourcesBalancedAllocationArgs",
                                                            kNodeResourcesBalancedAllocationArgsFields};

constexpr Field kNodeAffinityArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&NodeAffinityArgs::added_affinity>("addedAffinity", object(kNodeAffinitySchema)),
};
constexpr Schema kNodeAffinityArgsSchema{"NodeAffinityArgs", kNodeAffinityArgsFields};

constexpr Field kInterPodAffinityArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&InterPodAffinityArgs::hard_pod_affinity_weight>("hardPodAffinityWeight"),
    field<&InterPodAffinityArgs::ignore_preferred_terms_of_existing_pods>("ignorePreferredTermsOfExistingPods"),
};
constexpr Schema kInterPodAffinityArgsSchema{"InterPodAffinityArgs", kInterPodAffinityArgsFields};

constexpr Field kPodTopologySpreadArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PodTopologySpreadArgs::default_constraints>("defaultConstraints",
                                                       list_of(object(kTopologySpreadConstraintSchema))),
    field<&PodTopologySpreadArgs::defaulting>("defaultingType"),
};
constexpr Schema kPodTopologySpreadArgsSchema{"PodTopologySpreadArgs", kPodTopologySpreadArgsFields};

constexpr Field kDefaultPreemptionArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&DefaultPreemptionArgs::min_candidate_nodes_percentage>("minCandidateNodesPercentage"),
    field<&DefaultPreemptionArgs::min_candidate_nodes_absolute>("minCandidateNodesAbsolute"),
};
constexpr Schema kDefaultPreemptionArgsSchema{"DefaultPreemptionArgs", kDefaultPreemptionArgsFields};

constexpr Field kVolumeBindingArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&VolumeBindingArgs::bind_timeout_seconds>("bindTimeoutSeconds"),
    field<&VolumeBindingArgs::shape>("shape", list_of(object(kUtilizationShapePointSchema))),
};
constexpr Schema kVolumeBindingArgsSchema{"VolumeBindingArgs", kVolumeBindingArgsFields};

constexpr Field kDynamicResourcesArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    known("filterTimeout", kDuration),
    known("bindingTimeout", kDuration),
};
constexpr Schema kDynamicResourcesArgsSchema{"DynamicResourcesArgs", kDynamicResourcesArgsFields};

template <auto Member>
void* member_of(PluginArgs& args) {
  return &(args.*Member);
}

constexpr PluginArgsSchema kPluginArgs[] = {
    {"NodeResourcesFit", &kNodeResourcesFitArgsSchema, member_of<&PluginArgs::fit>},
    {"NodeResourcesBalancedAllocation", &kNodeResourcesBalancedAllocationArgsSchema, member_of<&PluginArgs::balanced>},
    {"NodeAffinity", &kNodeAffinityArgsSchema, member_of<&PluginArgs::node_affinity>},
    {"InterPodAffinity", &kInterPodAffinityArgsSchema, member_of<&PluginArgs::inter_pod_affinity>},
    {"PodTopologySpread", &kPodTopologySpreadArgsSchema, member_of<&PluginArgs::spread>},
    {"DefaultPreemption", &kDefaultPreemptionArgsSchema, member_of<&PluginArgs::preemption>},
    {"VolumeBinding", &kVolumeBindingArgsSchema, member_of<&PluginArgs::volume_binding>},
    {"DynamicResources", &kDynamicResourcesArgsSchema, nullptr},
};

// ---- plugins that are no more --------------------------------------------------------------------------------------

constexpr Field kAllocatedArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&NodeResourcesFitArgs::resources>("resources", list_of(object(kResourceSpecSchema))),
};
constexpr Schema kAllocatedArgsSchema{"NodeResourcesMostAllocatedArgs", kAllocatedArgsFields};

constexpr Field kRequestedToCapacityRatioArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&NodeResourcesFitArgs::shape>("shape", list_of(object(kUtilizationShapePointSchema))),
    field<&NodeResourcesFitArgs::resources>("resources", list_of(object(kResourceSpecSchema))),
};
constexpr Schema kRequestedToCapacityRatioArgsSchema{"RequestedToCapacityRatioArgs",
                                                     kRequestedToCapacityRatioArgsFields};

constexpr Field kNodeLabelArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&RetiredNodeLabelArgs::present>("presentLabels"),
    field<&RetiredNodeLabelArgs::absent>("absentLabels"),
    field<&RetiredNodeLabelArgs::present_preferred>("presentLabelsPreference"),
    field<&RetiredNodeLabelArgs::absent_preferred>("absentLabelsPreference"),
};

}  // namespace

constinit const Schema kNodeLabelArgsSchema{"NodeLabelArgs", kNodeLabelArgsFields};

namespace {

constexpr Field kServiceAffinityArgsFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    known("affinityLabels", list_of(kString)),
    known("antiAffinityLabelsPreference", list_of(kString)),
};
constexpr Schema kServiceAffinityArgsSchema{"ServiceAffinityArgs", kServiceAffinityArgsFields};

constexpr PluginArgsSchema kRetiredPluginArgs[] = {
    {"NodeResourcesLeastAllocated", &kAllocatedArgsSchema, member_of<&PluginArgs::fit>},
    {"NodeResourcesMostAllocated", &kAllocatedArgsSchema, member_of<&PluginArgs::fit>},
    {"RequestedToCapacityRatio", &kRequestedToCapacityRatioArgsSchema, member_of<&PluginArgs::fit>},
    {"NodeLabel", &kNodeLabelArgsSchema, nullptr},
    {"ServiceAffinity", &kServiceAffinityArgsSchema, nullptr},
};

}  // namespace

const PluginArgsSchema* find_plugin_args(std::string_view plugin) {
  for (const PluginArgsSchema& entry : kPluginArgs) {
    if (entry.plugin == plugin) return &entry;
  }
  for (const PluginArgsSchema& entry : kRetiredPluginArgs) {
    if (entry.plugin == plugin) return &entry;
  }
  return nullptr;
}

}  // namespace loadline::kube
