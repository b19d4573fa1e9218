#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline completion bash|zsh|fish`: a completion script made by walking the command line itself, so that it knows
/// every subcommand, option and fixed choice there is.
void add_completion(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
