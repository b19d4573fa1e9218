#pragma once

#include <optional>
#include <string_view>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// When the pod last saved its work, as RFC 3339: so much is not lost if it has to leave.
inline constexpr std::string_view kLastCheckpointAnnotation = "loadline.dev/last-checkpoint";

/// So long the pod is to run before it may be preempted: a span, as loadline.dev/expected-duration has it. Slurm's
/// PreemptExemptTime.
inline constexpr std::string_view kMinimumRunTimeAnnotation = "loadline.dev/minimum-run-time";

/// Nothing: the annotation is not there, or cannot be read.
std::optional<Instant> last_checkpoint(const Pod& pod);

/// Zero: the annotation is not there, or cannot be read.
Duration minimum_run(const Pod& pod);

}  // namespace loadline::kube
