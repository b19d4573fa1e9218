#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace loadline::bench {

/// Runs a program and waits for it; what it prints on standard error passes through. Returns what it printed on
/// standard output. Errors: it could not be started, or did not end with 0.
Result<std::string> run_program(const std::vector<std::string>& command);

}  // namespace loadline::bench
