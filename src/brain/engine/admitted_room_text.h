#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "brain/placement/scheduler.h"

namespace loadline::engine {

/// "pod set worker: 3 of 8 pods find one: 0/4 nodes are available: 4 Insufficient cpu." `decision`: of the first pod
/// that finds none.
[[nodiscard]] std::string no_room_text(std::string_view pod_set, std::size_t placed, std::size_t pods,
                                       const placement::Decision& decision);

}  // namespace loadline::engine
