#pragma once

#include "app/cli/terminal/grid.h"
#include "app/cli/terminal/terminal.h"
#include "hosts/timeline/timeline.h"

namespace loadline::cli {

/// Adds a column to the grid, whose rows are the first workloads of the timeline: a Gantt chart that takes the rest of
/// the terminal's width, or 40 columns where nothing says how wide the page is. A phase is drawn to the nearest cell;
/// what ran has one cell at least.
void add_time_strips(Grid& grid, const timeline::Timeline& timeline, const Terminal& terminal);

/// What the letters of the strips mean.
Line strip_legend(const Terminal& terminal);

}  // namespace loadline::cli
