#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/rejection.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/volume.h"

namespace loadline::admission {

/// Where a pod says what its containers were given.
inline constexpr std::string_view kLimitRangerAnnotation = "kubernetes.io/limit-ranger";

/// Gives containers and init containers the range's default limits and requests where they have none.
/// Returns the text of the annotation kubernetes.io/limit-ranger that tells what was set, empty if nothing was:
/// `LimitRanger plugin set: cpu, memory request for container app; cpu limit for container app`.
/// Source: plugin/pkg/admission/limitranger, v1.36.
std::string apply_defaults(const kube::LimitRange& limit_range, kube::PodSpec& spec);
/// All ranges of a namespace, in order. The last that sets something leaves its text.
std::string apply_defaults(std::span<const kube::LimitRange> limit_ranges, kube::PodSpec& spec);

/// The bounds of the range that the pod breaks: min, max and maxLimitRequestRatio, for each container and for the pod
/// as a whole (spec.overhead does not count). Upstream's order within one bound follows a hash table; ours follows
/// resource names.
[[nodiscard]] std::optional<Rejection> check_bounds(const kube::LimitRange& limit_range, const kube::PodSpec& spec);

/// The bounds of type PersistentVolumeClaim that a claim's requests break.
[[nodiscard]] std::optional<Rejection> check_bounds(const kube::LimitRange& limit_range,
                                                    const kube::PersistentVolumeClaimSpec& claim);

/// All ranges of a namespace, in order: what the first that is broken says. `object` is either of the above.
template <class Spec>
[[nodiscard]] std::optional<Rejection> check_bounds(std::span<const kube::LimitRange> limit_ranges,
                                                    const Spec& object) {
  for (const kube::LimitRange& limit_range : limit_ranges) {
    if (std::optional<Rejection> rejection = check_bounds(limit_range, object)) return rejection;
  }
  return std::nullopt;
}

}  // namespace loadline::admission
