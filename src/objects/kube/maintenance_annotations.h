#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// So often the pod saves its work: a span, as loadline.dev/expected-duration has it. With loadline.dev/last-checkpoint
/// it says when the next time is due.
inline constexpr std::string_view kCheckpointIntervalAnnotation = "loadline.dev/checkpoint-interval";

/// A cordoned node is to be free by this time, as RFC 3339: what runs on it leaves before, gangs as a whole after their
/// next checkpoint.
inline constexpr std::string_view kDrainByAnnotation = "loadline.dev/drain-by";

/// When the drain of a node was first seen, as RFC 3339. A checkpoint after that is the last that a gang waits for. The
/// controller that drains the node writes it.
inline constexpr std::string_view kDrainAnnouncedAnnotation = "loadline.dev/drain-announced";

/// Nothing: the annotation is not there, is zero, or cannot be read.
std::optional<Duration> checkpoint_interval(const Pod& pod);

/// Nothing: the node has no such annotation. Errors: what it says is no time.
Result<std::optional<Instant>> drain_by(const Node& node);

/// The same of kDrainAnnouncedAnnotation.
Result<std::optional<Instant>> drain_announced(const Node& node);

/// What cannot be read of what the pod says about its run and its checkpoints.
struct AnnotationProblem {
  std::string_view annotation;
  std::string message;  ///< "\"soon\" is no time; write it as 2026-01-01T00:00:00Z"
};
std::vector<AnnotationProblem> problems_of_run(const Pod& pod);

}  // namespace loadline::kube
