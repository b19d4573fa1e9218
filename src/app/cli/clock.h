#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline clock [pause|resume|step SPAN|speed N]`: the clock of a cluster that `loadline up` runs.
///
/// Exit status: kDone; kBadInput if it could not be done.
void add_clock(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
