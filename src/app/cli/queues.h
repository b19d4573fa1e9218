#pragma once

#include <CLI/CLI.hpp>

#include "app/cli/console.h"

namespace loadline::cli {

/// loadline queues: Kueue's queues, what they have, use, borrow and lend, and the jobs in them.
void add_queues(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
