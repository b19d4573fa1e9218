#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline lint`: every check that `plan` makes of its input, and advice with a rule's name each.
///
/// What is named with -f is judged; what is named with --cluster is taken into account and not judged. Exit status:
/// kDone if there is nothing to say; kNotAllPlaced (1) if there are warnings or advice; kBadInput if the input has
/// errors or the usage is wrong.
void add_lint(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
