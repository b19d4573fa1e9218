#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

void add_policy(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
