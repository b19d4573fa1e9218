#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

/// Whether the values of In and NotIn must be label values: of required terms, not of preferred ones.
enum class LabelValues : std::uint8_t { kStrict, kUnchecked };

void validate_node_selector_term(FieldReport& report, const Path& at, const NodeSelectorTerm& term, LabelValues values);
void validate_node_selector(FieldReport& report, const Path& at, const NodeSelector& selector);
void validate_preferred_terms(FieldReport& report, const Path& at, const std::vector<PreferredSchedulingTerm>& terms);
void validate_affinity(FieldReport& report, const Path& at, const Affinity& affinity);
void validate_spread_constraints(FieldReport& report, const Path& at,
                                 const std::vector<TopologySpreadConstraint>& constraints);

}  // namespace loadline::kube
