#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// How long a pod, or each pod of the workload that has it, is expected to run: what decisions may read of its end.
inline constexpr std::string_view kExpectedDurationAnnotation = "loadline.dev/expected-duration";

inline constexpr Duration kLongestSpan = Duration::seconds(std::int64_t{100} * 366 * 24 * 3600);

/// A span of time: seconds, with a fraction or without ("90", "0.5"), or as Go writes it ("1h30m"). Never negative, and
/// at most a hundred years.
Result<Duration> parse_span(std::string_view text);

/// Kueue ends a workload so many seconds after it started: its label on a Job or a pod.
inline constexpr std::string_view kMaxExecTimeLabel = "kueue.x-k8s.io/max-exec-time-seconds";
/// What the label says: whole seconds from 1 to 2,147,483,647. Nothing: it cannot be read.
std::optional<Duration> max_exec_time(std::string_view label);

/// So long one run of a workload takes, as Kueue's lifespan-aware scheduling reads it: an annotation of a Job or a pod,
/// in Go's form ("4h"). Source: Kueue v0.21, feature LifespanAwareScheduling.
inline constexpr std::string_view kKueueEstimateAnnotation = "kueue.x-k8s.io/estimated-duration";

/// So long a pod with that metadata, or each pod of a workload with it, is expected to run from its start on: as its
/// annotation says, else as Kueue's says, else the bound that its spec sets, or else Kueue's label. Nothing: none is
/// there, or the first that is there cannot be read.
std::optional<Duration> expected_run(const ObjectMeta& metadata, std::optional<Duration> bound);
/// The same, where the bound is an activeDeadlineSeconds.
std::optional<Duration> expected_run(const ObjectMeta& metadata, std::optional<std::int64_t> active_deadline_seconds);
std::optional<Duration> expected_run(const Pod& pod);

}  // namespace loadline::kube
