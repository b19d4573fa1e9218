#pragma once

#include <cstdint>
#include <vector>

#include "app/cli/terminal/terminal.h"
#include "app/cli/view/sections.h"
#include "hosts/timeline/timeline.h"

namespace loadline::cli {

/// A timeline for people: whether all has started or ended well; what waits at the end, has failed or was lost, and
/// why; the workloads, each with a strip of time; how much of each resource was in use. Full: a row a pod instead of a
/// row a workload.
std::vector<Lines> timeline_sections(const timeline::Timeline& timeline, Detail detail, const Terminal& terminal);

}  // namespace loadline::cli
