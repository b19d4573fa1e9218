#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"

namespace loadline::bench {

/// Runs a program and waits for it; what it prints on standard error passes through. Returns what it printed on
/// standard output. Errors: it could not be started, or did not end with 0.
Result<std::string> run_program(const std::vector<std::string>& command);

/// The most memory that this process ever had resident, in 10^6 bytes.
double peak_megabytes();

/// The processor time that this process has taken so far, all threads, user and system.
double processor_seconds();

}  // namespace loadline::bench
