#pragma once

#include <string>
#include <vector>

#include "app/cli/console.h"

namespace loadline::cli {

/// Runs `loadline ARGUMENTS...` and returns its exit status (console.h). Never throws.
int run(const std::vector<std::string>& arguments, Console& console);

}  // namespace loadline::cli
