#include "objects/kube/core/affinity_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kNodeSelectorRequirementFields[] = {
    field<&NodeSelectorRequirement::key>("key"),
    field<&NodeSelectorRequirement::op>("operator"),
    field<&NodeSelectorRequirement::values>("values"),
};
constexpr Schema kNodeSelectorRequirementSchema{"io.k8s.api.core.v1.NodeSelectorRequirement",
                                                kNodeSelectorRequirementFields};

constexpr Field kNodeSelectorTermFields[] = {
    field<&NodeSelectorTerm::match_expressions>("matchExpressions", kNodeSelectorRequirementSchema),
    field<&NodeSelectorTerm::match_fields>("matchFields", kNodeSelectorRequirementSchema),
};
constinit const Schema kNodeSelectorTermSchema{"io.k8s.api.core.v1.NodeSelectorTerm", kNodeSelectorTermFields};

constexpr Field kPreferredSchedulingTermFields[] = {
    field<&PreferredSchedulingTerm::preference>("preference", kNodeSelectorTermSchema),
    field<&PreferredSchedulingTerm::weight>("weight"),
};
constexpr Schema kPreferredSchedulingTermSchema{"io.k8s.api.core.v1.PreferredSchedulingTerm",
                                                kPreferredSchedulingTermFields};

constexpr Field kNodeSelectorFields[] = {
    field<&NodeSelector::terms>("nodeSelectorTerms", kNodeSelectorTermSchema),
};
constinit const Schema kNodeSelectorSchema{"io.k8s.api.core.v1.NodeSelector", kNodeSelectorFields,
                                           "the terms go into a field of their own; write\n"
                                           "requiredDuringSchedulingIgnoredDuringExecution:\n"
                                           "  nodeSelectorTerms:\n"
                                           "  - matchExpressions: ..."};

constexpr Field kNodeAffinityFields[] = {
    field<&NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution", kPreferredSchedulingTermSchema),
    field<&NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution", kNodeSelectorSchema),
};
constinit const Schema kNodeAffinitySchema{"io.k8s.api.core.v1.NodeAffinity", kNodeAffinityFields};

constexpr Field kPodAffinityTermFields[] = {
    field<&PodAffinityTerm::label_selector>("labelSelector", kLabelSelectorSchema),
    field<&PodAffinityTerm::match_label_keys>("matchLabelKeys"),
    field<&PodAffinityTerm::mismatch_label_keys>("mismatchLabelKeys"),
    field<&PodAffinityTerm::namespace_selector>("namespaceSelector", kLabelSelectorSchema),
    field<&PodAffinityTerm::namespaces>("namespaces"),
    field<&PodAffinityTerm::topology_key>("topologyKey"),
};
constexpr Schema kPodAffinityTermSchema{"io.k8s.api.core.v1.PodAffinityTerm", kPodAffinityTermFields};

constexpr Field kWeightedPodAffinityTermFields[] = {
    field<&WeightedPodAffinityTerm::term>("podAffinityTerm", kPodAffinityTermSchema),
    field<&WeightedPodAffinityTerm::weight>("weight"),
};
constexpr Schema kWeightedPodAffinityTermSchema{"io.k8s.api.core.v1.WeightedPodAffinityTerm",
                                                kWeightedPodAffinityTermFields};

constexpr Field kPodAffinityFields[] = {
    field<&PodAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution", kWeightedPodAffinityTermSchema),
    field<&PodAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution", kPodAffinityTermSchema),
};
constexpr Schema kPodAffinitySchema{"io.k8s.api.core.v1.PodAffinity", kPodAffinityFields};

constexpr Field kAffinityFields[] = {
    field<&Affinity::node>("nodeAffinity", kNodeAffinitySchema),
    field<&Affinity::pod>("podAffinity", kPodAffinitySchema),
    field<&Affinity::pod_anti>("podAntiAffinity", kPodAffinitySchema),
};
constinit const Schema kAffinitySchema{"io.k8s.api.core.v1.Affinity", kAffinityFields};

constexpr Field kTolerationFields[] = {
    field<&Toleration::effect>("effect"), field<&Toleration::key>("key"),
    field<&Toleration::op>("operator"),   field<&Toleration::toleration_seconds>("tolerationSeconds"),
    field<&Toleration::value>("value"),
};
constinit const Schema kTolerationSchema{"io.k8s.api.core.v1.Toleration", kTolerationFields};

constexpr Field kTopologySpreadConstraintFields[] = {
    field<&TopologySpreadConstraint::label_selector>("labelSelector", kLabelSelectorSchema),
    field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys"),
    field<&TopologySpreadConstraint::max_skew>("maxSkew"),
    field<&TopologySpreadConstraint::min_domains>("minDomains"),
    field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
    field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
    field<&TopologySpreadConstraint::topology_key>("topologyKey"),
    field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable"),
};
constinit const Schema kTopologySpreadConstraintSchema{"io.k8s.api.core.v1.TopologySpreadConstraint",
                                                       kTopologySpreadConstraintFields};

}  // namespace loadline::kube
