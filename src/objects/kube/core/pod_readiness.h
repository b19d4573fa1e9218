#pragma once

#include <cstdint>
#include <optional>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"

namespace loadline::kube {

/// Ready, as its node says.
bool is_ready(const Pod& pod);

/// Since when the pod is ready; nothing if it is not, or if its condition has no time.
std::optional<Instant> ready_since(const Pod& pod);

/// Ready for at least so many seconds. Source: IsPodAvailable in pkg/api/v1/pod, v1.36.
bool is_available(const Pod& pod, std::int32_t min_ready_seconds, Instant now);

/// How long until a pod that is ready will be available; nothing if it is already, or is not ready.
std::optional<Duration> available_after(const Pod& pod, std::int32_t min_ready_seconds, Instant now);

/// Being deleted, and its containers may still run.
bool is_terminating(const Pod& pod);

}  // namespace loadline::kube
