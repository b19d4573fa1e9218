#pragma once

#include <string>

#include "app/cli/console.h"

namespace loadline::cli {

/// `loadline replay FILE --check`: makes every decision of a recording again (docs/recordings.md), and shows the first
/// ones that differ. `path` may be -, for standard input.
///
/// Exit status: kDone if none does; kNotAllPlaced if some do; kBadInput if the recording cannot be read, or plugins or
/// extenders decided along.
int check_recording(const std::string& path, Console& console);

}  // namespace loadline::cli
