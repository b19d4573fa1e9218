#include "objects/kube/core/affinity_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kNodeSelectorRequirementFields[] = {
    field<&NodeSelectorRequirement::key>("key").required(),
    field<&NodeSelectorRequirement::op>("operator").required(),
    field<&NodeSelectorRequirement::values>("values"),
};
constexpr Schema kNodeSelectorRequirementSchema{"NodeSelectorRequirement", kNodeSelectorRequirementFields};

constexpr Field kNodeSelectorTermFields[] = {
    field<&NodeSelectorTerm::match_expressions>("matchExpressions", list_of(object(kNodeSelectorRequirementSchema))),
    field<&NodeSelectorTerm::match_fields>("matchFields", list_of(object(kNodeSelectorRequirementSchema))),
};
constinit const Schema kNodeSelectorTermSchema{"NodeSelectorTerm", kNodeSelectorTermFields};

constexpr Field kPreferredSchedulingTermFields[] = {
    field<&PreferredSchedulingTerm::preference>("preference", object(kNodeSelectorTermSchema)).required(),
    field<&PreferredSchedulingTerm::weight>("weight").required(),
};
constexpr Schema kPreferredSchedulingTermSchema{"PreferredSchedulingTerm", kPreferredSchedulingTermFields};

constexpr Field kNodeSelectorFields[] = {
    field<&NodeSelector::terms>("nodeSelectorTerms", list_of(object(kNodeSelectorTermSchema))).required(),
};
constinit const Schema kNodeSelectorSchema{"NodeSelector", kNodeSelectorFields,
                                           "the terms go into a field of their own; write\n"
                                           "requiredDuringSchedulingIgnoredDuringExecution:\n"
                                           "  nodeSelectorTerms:\n"
                                           "  - matchExpressions: ..."};

constexpr Field kNodeAffinityFields[] = {
    field<&NodeAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution",
                                    list_of(object(kPreferredSchedulingTermSchema))),
    field<&NodeAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution", object(kNodeSelectorSchema)),
};
constinit const Schema kNodeAffinitySchema{"NodeAffinity", kNodeAffinityFields};

constexpr Field kPodAffinityTermFields[] = {
    field<&PodAffinityTerm::label_selector>("labelSelector", object(kLabelSelectorSchema)),
    field<&PodAffinityTerm::match_label_keys>("matchLabelKeys"),
    field<&PodAffinityTerm::mismatch_label_keys>("mismatchLabelKeys"),
    field<&PodAffinityTerm::namespace_selector>("namespaceSelector", object(kLabelSelectorSchema)),
    field<&PodAffinityTerm::namespaces>("namespaces"),
    field<&PodAffinityTerm::topology_key>("topologyKey").required(),
};
constexpr Schema kPodAffinityTermSchema{"PodAffinityTerm", kPodAffinityTermFields};

constexpr Field kWeightedPodAffinityTermFields[] = {
    field<&WeightedPodAffinityTerm::term>("podAffinityTerm", object(kPodAffinityTermSchema)).required(),
    field<&WeightedPodAffinityTerm::weight>("weight").required(),
};
constexpr Schema kWeightedPodAffinityTermSchema{"WeightedPodAffinityTerm", kWeightedPodAffinityTermFields};

constexpr Field kPodAffinityFields[] = {
    field<&PodAffinity::preferred>("preferredDuringSchedulingIgnoredDuringExecution",
                                   list_of(object(kWeightedPodAffinityTermSchema))),
    field<&PodAffinity::required>("requiredDuringSchedulingIgnoredDuringExecution",
                                  list_of(object(kPodAffinityTermSchema))),
};
constexpr Schema kPodAffinitySchema{"PodAffinity", kPodAffinityFields};

constexpr Field kAffinityFields[] = {
    field<&Affinity::node>("nodeAffinity", object(kNodeAffinitySchema)),
    field<&Affinity::pod>("podAffinity", object(kPodAffinitySchema)),
    field<&Affinity::pod_anti>("podAntiAffinity", object(kPodAffinitySchema)),
};
constinit const Schema kAffinitySchema{"Affinity", kAffinityFields};

constexpr Field kTolerationFields[] = {
    field<&Toleration::effect>("effect"), field<&Toleration::key>("key"),
    field<&Toleration::op>("operator"),   field<&Toleration::toleration_seconds>("tolerationSeconds"),
    field<&Toleration::value>("value"),
};
constinit const Schema kTolerationSchema{"Toleration", kTolerationFields};

constexpr Field kTopologySpreadConstraintFields[] = {
    field<&TopologySpreadConstraint::label_selector>("labelSelector", object(kLabelSelectorSchema)),
    field<&TopologySpreadConstraint::match_label_keys>("matchLabelKeys"),
    field<&TopologySpreadConstraint::max_skew>("maxSkew").required(),
    field<&TopologySpreadConstraint::min_domains>("minDomains"),
    field<&TopologySpreadConstraint::node_affinity_policy>("nodeAffinityPolicy"),
    field<&TopologySpreadConstraint::node_taints_policy>("nodeTaintsPolicy"),
    field<&TopologySpreadConstraint::topology_key>("topologyKey").required(),
    field<&TopologySpreadConstraint::when_unsatisfiable>("whenUnsatisfiable").required(),
};
constinit const Schema kTopologySpreadConstraintSchema{"TopologySpreadConstraint", kTopologySpreadConstraintFields};

constexpr Field kTopologySelectorLabelRequirementFields[] = {
    known("key", kString).required(),
    known("values", list_of(kString)).required(),
};
constexpr Schema kTopologySelectorLabelRequirementSchema{"TopologySelectorLabelRequirement",
                                                         kTopologySelectorLabelRequirementFields};

constexpr Field kTopologySelectorTermFields[] = {
    known("matchLabelExpressions", list_of(object(kTopologySelectorLabelRequirementSchema))),
};
constinit const Schema kTopologySelectorTermSchema{"TopologySelectorTerm", kTopologySelectorTermFields};

}  // namespace loadline::kube
