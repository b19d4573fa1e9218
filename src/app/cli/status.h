#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline status`: a running cluster at a glance.
///
/// Exit status: kDone if all nodes are ready and no pod waits for one; kNotAllPlaced if not, or with --wait if pods
/// were still on their way; kBadInput if the cluster cannot be asked.
void add_status(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
