#pragma once

#include <cstdint>

#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// Whether the pods of a template have one spec between them, or a hostname, a node, an index makes each its own.
enum class PodSpecs : std::uint8_t { kShared, kOwn };

/// For how many pods of a usual size one of the template counts: 1 up to 4 kB of labels and annotations (and of its
/// spec, if it is its own), one more for each 4 kB. O(size of the template).
[[nodiscard]] std::int64_t weight_of(const kube::PodTemplateSpec& pod_template, PodSpecs specs);

}  // namespace loadline::workloads
