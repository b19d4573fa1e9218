#pragma once

#include <cstddef>

#include "app/cli/view/difference.h"
#include "app/cli/view/sections.h"
#include "hosts/simulator/comparison.h"

namespace loadline::cli {

// What a change says of nodes that it drains or removes. A section is empty if there is nothing to say.

/// What drained and removed nodes cost gangs that run, and whether that is cheaper later.
Lines disturbed_gangs_section(const DifferenceView& view);

/// When what is on drained nodes leaves them, if they are to be free by a deadline.
Lines drain_schedule_section(const DifferenceView& view);

/// Pods of drained nodes that are not evicted, and why.
Lines held_back_section(const DifferenceView& view);

/// Pods of drained nodes that lose an emptyDir.
Lines local_data_section(const DifferenceView& view);

/// How many pods of drained nodes have no controller that would bring them back.
std::size_t unmanaged_pods(const simulator::Comparison& comparison);

}  // namespace loadline::cli
