#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// How long a pod, or each pod of the workload that has it, is expected to run: what decisions may read of its end.
inline constexpr std::string_view kExpectedDurationAnnotation = "loadline.dev/expected-duration";

inline constexpr Duration kLongestSpan = Duration::seconds(std::int64_t{100} * 366 * 24 * 3600);

/// A span of time: seconds, with a fraction or without ("90", "0.5"), or as Go writes it ("1h30m"). Never negative, and
/// at most a hundred years.
Result<Duration> parse_span(std::string_view text);

/// So long the pod is expected to run, from its start on: as its annotation says, else until its activeDeadlineSeconds
/// end it. Nothing: neither is there, or the annotation cannot be read.
std::optional<Duration> expected_run(const Pod& pod);

}  // namespace loadline::kube
