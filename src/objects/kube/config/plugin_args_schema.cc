#include "objects/kube/config/plugin_args_schema.h"

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

// Every row writes into the PluginArgs of the profile, whichever plugin's arguments it belongs to.

namespace {

constexpr Field kResourceSpecFields[] = {
    field<&ResourceSpec::name>("name"),
    field<&ResourceSpec::weight>("weight"),
};
constexpr Schema kResourceSpecSchema{"io.k8s.kube-scheduler.config.v1.ResourceSpec", kResourceSpecFields};

constexpr Field kUtilizationShapePointFields[] = {
    field<&UtilizationShapePoint::utilization>("utilization"),
    field<&UtilizationShapePoint::score>("score"),
};
constexpr Schema kUtilizationShapePointSchema{"io.k8s.kube-scheduler.config.v1.UtilizationShapePoint",
                                              kUtilizationShapePointFields};

constexpr Field kRequestedToCapacityRatioParamFields[] = {
    field<&NodeResourcesFitArgs::shape>("shape", kUtilizationShapePointSchema),
};
constexpr Schema kRequestedToCapacityRatioParamSchema{"io.k8s.kube-scheduler.config.v1.RequestedToCapacityRatioParam",
                                                      kRequestedToCapacityRatioParamFields};

constexpr Field kScoringStrategyFields[] = {
    field<&NodeResourcesFitArgs::strategy>("type"),
    field<&NodeResourcesFitArgs::resources>("resources", kResourceSpecSchema),
    part("requestedToCapacityRatio", kRequestedToCapacityRatioParamSchema),
};
constexpr Schema kScoringStrategySchema{"io.k8s.kube-scheduler.config.v1.ScoringStrategy", kScoringStrategyFields};

constexpr Field kNodeResourcesFitArgsFields[] = {
    field<&NodeResourcesFitArgs::ignored_resources>("ignoredResources"),
    field<&NodeResourcesFitArgs::ignored_resource_groups>("ignoredResourceGroups"),
    part("scoringStrategy", kScoringStrategySchema),
};
constexpr Schema kNodeResourcesFitArgsSchema{"io.k8s.kube-scheduler.config.v1.NodeResourcesFitArgs",
                                             kNodeResourcesFitArgsFields};

constexpr Field kNodeResourcesBalancedAllocationArgsFields[] = {
    field<&NodeResourcesBalancedAllocationArgs::resources>("resources", kResourceSpecSchema),
};
constexpr Schema kNodeResourcesBalancedAllocationArgsSchema{
    "io.k8s.kube-scheduler.config.v1.NodeResourcesBalancedAllocationArgs", kNodeResourcesBalancedAllocationArgsFields};

constexpr Field kNodeAffinityArgsFields[] = {
    field<&NodeAffinityArgs::added_affinity>("addedAffinity", kNodeAffinitySchema),
};
constexpr Schema kNodeAffinityArgsSchema{"io.k8s.kube-scheduler.config.v1.NodeAffinityArgs", kNodeAffinityArgsFields};

constexpr Field kInterPodAffinityArgsFields[] = {
    field<&InterPodAffinityArgs::hard_pod_affinity_weight>("hardPodAffinityWeight").pointer(),
    field<&InterPodAffinityArgs::ignore_preferred_terms_of_existing_pods>("ignorePreferredTermsOfExistingPods"),
};
constexpr Schema kInterPodAffinityArgsSchema{"io.k8s.kube-scheduler.config.v1.InterPodAffinityArgs",
                                             kInterPodAffinityArgsFields};

constexpr Field kPodTopologySpreadArgsFields[] = {
    field<&PodTopologySpreadArgs::default_constraints>("defaultConstraints", kTopologySpreadConstraintSchema),
    field<&PodTopologySpreadArgs::defaulting>("defaultingType"),
};
constexpr Schema kPodTopologySpreadArgsSchema{"io.k8s.kube-scheduler.config.v1.PodTopologySpreadArgs",
                                              kPodTopologySpreadArgsFields};

constexpr Field kDefaultPreemptionArgsFields[] = {
    field<&DefaultPreemptionArgs::min_candidate_nodes_percentage>("minCandidateNodesPercentage").pointer(),
    field<&DefaultPreemptionArgs::min_candidate_nodes_absolute>("minCandidateNodesAbsolute").pointer(),
};
constexpr Schema kDefaultPreemptionArgsSchema{"io.k8s.kube-scheduler.config.v1.DefaultPreemptionArgs",
                                              kDefaultPreemptionArgsFields};

constexpr Field kVolumeBindingArgsFields[] = {
    field<&VolumeBindingArgs::bind_timeout_seconds>("bindTimeoutSeconds").pointer(),
    field<&VolumeBindingArgs::shape>("shape", kUtilizationShapePointSchema),
};
constexpr Schema kVolumeBindingArgsSchema{"io.k8s.kube-scheduler.config.v1.VolumeBindingArgs",
                                          kVolumeBindingArgsFields};

template <auto Member>
void* member_of(PluginArgs& args) {
  return &(args.*Member);
}

constexpr Schema kDynamicResourcesArgsSchema{"io.k8s.kube-scheduler.config.v1.DynamicResourcesArgs", {}};

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
    field<&NodeResourcesFitArgs::resources>("resources", kResourceSpecSchema),
};
constexpr Schema kAllocatedArgsSchema{"io.k8s.kube-scheduler.config.v1.NodeResourcesMostAllocatedArgs",
                                      kAllocatedArgsFields};

constexpr Field kRequestedToCapacityRatioArgsFields[] = {
    field<&NodeResourcesFitArgs::shape>("shape", kUtilizationShapePointSchema),
    field<&NodeResourcesFitArgs::resources>("resources", kResourceSpecSchema),
};
constexpr Schema kRequestedToCapacityRatioArgsSchema{"io.k8s.kube-scheduler.config.v1.RequestedToCapacityRatioArgs",
                                                     kRequestedToCapacityRatioArgsFields};

constexpr Field kNodeLabelArgsFields[] = {
    field<&RetiredNodeLabelArgs::present>("presentLabels"),
    field<&RetiredNodeLabelArgs::absent>("absentLabels"),
    field<&RetiredNodeLabelArgs::present_preferred>("presentLabelsPreference"),
    field<&RetiredNodeLabelArgs::absent_preferred>("absentLabelsPreference"),
};

}  // namespace

constinit const Schema kNodeLabelArgsSchema{"io.k8s.kube-scheduler.config.v1.NodeLabelArgs", kNodeLabelArgsFields};

namespace {

constexpr Schema kServiceAffinityArgsSchema{"io.k8s.kube-scheduler.config.v1.ServiceAffinityArgs", {}};

constexpr PluginArgsSchema kRetiredPluginArgs[] = {
    {"NodeResourcesLeastAllocated", &kAllocatedArgsSchema, member_of<&PluginArgs::fit>},
    {"NodeResourcesMostAllocated", &kAllocatedArgsSchema, member_of<&PluginArgs::fit>},
    {"RequestedToCapacityRatio", &kRequestedToCapacityRatioArgsSchema, member_of<&PluginArgs::fit>},
    {"NodeLabel", &kNodeLabelArgsSchema, nullptr},
    {"ServiceAffinity", &kServiceAffinityArgsSchema, nullptr},
};

}  // namespace

std::span<const PluginArgsSchema> plugin_args() { return kPluginArgs; }

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
