#pragma once

#include <string>

#include "app/cli/console.h"
#include "app/cli/plan_input.h"
#include "app/cli/plan_output.h"
#include "app/cli/planning_options.h"
#include "hosts/timeline/timeline.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// The options of `plan --until`: time passes.
struct TimelineArguments {
  std::string until;  ///< a span of time, or "idle"; empty: a plain plan
  std::string html;   ///< the file of a page; empty: none

  [[nodiscard]] bool lets_time_pass() const { return !until.empty(); }
};

void add_timeline_options(CLI::App& command, TimelineArguments& arguments);

/// What is wrong with the options taken together, and what to write; empty if nothing is.
std::string misuse(const TimelineArguments& arguments, const PlanningArguments& planning);

/// Lets time pass over the input and writes what happens. The exit status: kDone if everything has started or ended
/// well, kNotAllPlaced if anything waits, has failed, was lost or refused, kBadInput if there is no timeline.
int run_timeline(const TimelineArguments& arguments, const PlanningArguments& planning, const OutputOptions& output,
                 PlanInput& input, Console& console);

/// Writes a timeline to `console.out`.
void write_timeline(const timeline::Timeline& timeline, OutputFormat format, Console& console);

}  // namespace loadline::cli
