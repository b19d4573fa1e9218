#pragma once

#include <string>

#include "app/cli/console.h"
#include "app/cli/plan_output.h"
#include "hosts/simulator/comparison.h"

namespace loadline::cli {

/// Writes a comparison to `console.out`. For people: the verdict, then what got worse and why, what moves, what gets a
/// node, and what is free before and after. `title` says what the change is.
void write_difference(const simulator::Comparison& comparison, const std::string& title, OutputFormat format,
                      Console& console);

}  // namespace loadline::cli
