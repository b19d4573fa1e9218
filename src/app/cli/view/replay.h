#pragma once

#include <string>
#include <vector>

#include "app/cli/terminal/terminal.h"
#include "app/cli/view/sections.h"
#include "hosts/replay/summary.h"
#include "hosts/replay/sweep.h"

namespace loadline::cli {

/// A replay for people: what became of the works, how long they waited, how full the cluster was.
std::vector<Lines> replay_sections(const replay::Summary& summary, const Terminal& terminal);

/// A sweep for people: a row a variant, a column for each figure that differs; "12m ±3m" with several runs.
std::vector<Lines> sweep_sections(const std::vector<replay::VariantRuns>& sweep, const Terminal& terminal);

}  // namespace loadline::cli
