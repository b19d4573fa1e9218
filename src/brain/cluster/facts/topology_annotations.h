#pragma once

#include <string_view>

#include "brain/cluster/spellings/group_rules.h"
#include "objects/kube/meta.h"

namespace loadline::cluster {

/// In TopologyWish::topology: the first by name that has the levels that the wish names.
inline constexpr std::string_view kTopologyWithTheseLevels = "*";

inline constexpr std::string_view kPodsetRequiredTopology = "kueue.x-k8s.io/podset-required-topology";
inline constexpr std::string_view kPodsetPreferredTopology = "kueue.x-k8s.io/podset-preferred-topology";
inline constexpr std::string_view kPodsetSliceTopology = "kueue.x-k8s.io/podset-slice-required-topology";
inline constexpr std::string_view kPodsetSliceSize = "kueue.x-k8s.io/podset-slice-size";

/// What annotations of a pod ask for its group: kueue.x-k8s.io/podset-required-topology, podset-preferred-topology,
/// podset-slice-required-topology, podset-slice-size. Empty: nothing. podset-unconstrained-topology asks for nothing.
/// Source: Kueue v0.19, apis/kueue/v1beta2/topology_types.go. A size that is no number counts as absent.
TopologyWish topology_wish(const kube::ObjectMeta& pod);

}  // namespace loadline::cluster
