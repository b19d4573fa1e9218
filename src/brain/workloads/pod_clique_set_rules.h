#pragma once

#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/scalars.h"

namespace loadline::workloads {

/// What Grove's webhook has against a PodCliqueSet, in its words: numbers, names, groups, the order of start,
/// autoscaling. What it says of topologies and shared claims is left out. REQUIRES: defaults are set.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/webhook/admission/pcs/validation.
[[nodiscard]] kube::FieldErrors refusals_of(const kube::PodCliqueSet& set);

/// What it has against the change from `before`: cliques and groups stay the same, and so do their minimum, their order
/// where it counts, and their scheduler.
[[nodiscard]] kube::FieldErrors update_refusals(const kube::PodCliqueSet& before, const kube::PodCliqueSet& set);

}  // namespace loadline::workloads
