#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// Adds `loadline replay`: what becomes of a trace's works in a cluster, in virtual time.
void add_replay(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
