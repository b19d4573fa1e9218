#pragma once

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// `loadline generate`: GPU work made from a seed, as a trace for `loadline replay` or as manifests.
///
/// Exit status: kDone; kBadInput if the options make no sense or the file cannot be written.
void add_generate(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
