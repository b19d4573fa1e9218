#pragma once

#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::advice {

/// Whether the taint keeps pods off its node, rather than being avoided where possible.
[[nodiscard]] bool keeps_out(const kube::Taint& taint);

/// Whether the toleration covers the taint, as the scheduler judges it.
[[nodiscard]] bool covers(const kube::Toleration& toleration, const kube::Taint& taint);

}  // namespace loadline::advice
