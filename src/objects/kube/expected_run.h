#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// How long a pod, or each pod of the workload that has it, is expected to run: what decisions may read of its end.
inline constexpr std::string_view kExpectedDurationAnnotation = "loadline.dev/expected-duration";

inline constexpr Duration kLongestSpan = Duration::seconds(std::int64_t{100} * 366 * 24 * 3600);

/// A span of time: seconds, with a fraction or without ("90", "0.5"), or as Go writes it ("1h30m"). Never negative, and
/// at most a hundred years.
Result<Duration> parse_span(std::string_view text);

/// Kueue ends a workload so many seconds after it started: its label on a Job or a pod.
inline constexpr std::string_view kMaxExecTimeLabel = "kueue.x-k8s.io/max-exec-time-seconds";

/// So long the pod is expected to run, from its start on: as its annotation says, else until its activeDeadlineSeconds,
/// or else Kueue's label, end it. Nothing: none is there, or what is there cannot be read.
std::optional<Duration> expected_run(const Pod& pod);
/// The same of each pod of the Job, as far as the Job says it.
std::optional<Duration> expected_run(const Job& job);

}  // namespace loadline::kube
