#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline dump -o FILE`: all that decisions read of a running cluster in one file, for plan, explain, lint and up.
///
/// Exit status: kDone; kNotAllPlaced if the user may not list some of the kinds, so that the file lacks them; kBadInput
/// if nothing was written.
void add_dump(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
