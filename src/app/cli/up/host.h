#pragma once

#include "app/cli/console.h"
#include "app/cli/up/arguments.h"

namespace loadline::cli {

/// Runs a cluster until a signal ends the process. Returns its exit status: 0, also after Ctrl-C; 2 if it could not
/// start, which has been said.
int host_cluster(UpArguments arguments, Console& console);

}  // namespace loadline::cli
