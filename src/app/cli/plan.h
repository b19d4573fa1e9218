#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline plan`: reads manifests and a cluster, and shows where every pod would land.
///
/// Exit status: kDone if every pod that may run has a node (pods behind a scheduling gate wait because their author
/// said so); kNotAllPlaced if one is pending, rejected, ignored by every scheduler or lost to preemption or eviction
/// for good, or if admission refused another object; kBadInput if the input or the usage is wrong and nothing was
/// planned.
void add_plan(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
