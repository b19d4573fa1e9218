#pragma once

#include <string_view>
#include <vector>

#include "foundation/base/text.h"

namespace loadline::cluster {

/// The labels that say where a node or a volume is, and those they replaced in Kubernetes 1.17.
inline constexpr std::string_view kZoneLabel = "topology.kubernetes.io/zone";
inline constexpr std::string_view kRegionLabel = "topology.kubernetes.io/region";
inline constexpr std::string_view kOldZoneLabel = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view kOldRegionLabel = "failure-domain.beta.kubernetes.io/region";

/// The parts of a volume's label that names several zones: "a__b" is {"a", "b"}. Never empty.
inline std::vector<std::string_view> split_zones(std::string_view label) { return split(label, "__"); }

}  // namespace loadline::cluster
