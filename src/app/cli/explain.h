#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline explain`: why a pod is where it is, or pending, and what would help.
///
/// Exit status: kDone if what was asked about has a node; kNotAllPlaced if it has none; kBadInput if the input or the
/// usage is wrong, or there is no such pod.
void add_explain(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
