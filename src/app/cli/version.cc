#include "app/cli/version.h"

#include <CLI/CLI.hpp>
#include <ostream>

namespace loadline::cli {

std::string version_text() { return "loadline " LOADLINE_VERSION " (decides as Kubernetes v1.36)"; }

void add_version(CLI::App& app, Console& console, int& status) {
  CLI::App* command = app.add_subcommand("version", "Show the version, and which Kubernetes it decides like");
  command->callback([&console, &status] {
    console.out << version_text() << '\n';
    status = kDone;
  });
}

}  // namespace loadline::cli
