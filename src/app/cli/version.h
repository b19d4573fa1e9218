#pragma once

#include <string>

#include "app/cli/console.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// "loadline 0.1.0 (decides as Kubernetes v1.36)".
std::string version_text();

void add_version(CLI::App& app, Console& console, int& status);

}  // namespace loadline::cli
