#pragma once

#include <string>

#include "foundation/base/time.h"

namespace loadline::kubelet {

/// A span as Go's Duration.String writes it, in whole milliseconds: "1m20s", "1.5s", "250ms", "5m0s".
std::string go_duration(Duration span);

}  // namespace loadline::kubelet
