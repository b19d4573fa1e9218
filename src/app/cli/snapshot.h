#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline snapshot save|load FILE`: a whole cluster as one file, and back.
///
/// Exit status: kDone; kNotAllPlaced if the cluster refused some of the objects; kBadInput if nothing was done.
void add_snapshot(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
