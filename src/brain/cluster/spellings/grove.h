#pragma once

#include <string_view>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/spellings/group_description.h"
#include "objects/kube/grove/pod_gang.h"

namespace loadline::cluster::spellings {

/// What a PodGang of Grove says: so many pods of each of its groups start together. Its pods name it in the label
/// grove.io/podgang, as the operator makes them. Topology constraints are heeded for the gang and for each group; those
/// of sets of groups (topologyConstraintGroupConfigs) are not. Source: ai-dynamo/grove, scheduler/api/core/v1alpha1.
[[nodiscard]] GroupDescription describe(const kube::PodGang& gang, SymbolTable& symbols);

}  // namespace loadline::cluster::spellings
