#pragma once

#include <optional>
#include <string_view>

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

/// A span as the annotation has it. Errors: it is none, or zero.
Result<Duration> parse_checkpoint_interval(std::string_view text);

/// Nothing: the annotation is not there, or cannot be read.
std::optional<Duration> checkpoint_interval(const Pod& pod);

/// Nothing: the node has no such annotation. Errors: what it says is no time.
Result<std::optional<Instant>> drain_by(const Node& node);

/// The same of kDrainAnnouncedAnnotation.
Result<std::optional<Instant>> drain_announced(const Node& node);

}  // namespace loadline::kube
