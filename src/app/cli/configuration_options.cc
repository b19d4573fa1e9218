#include "app/cli/configuration_options.h"

#include <CLI/CLI.hpp>
#include <string>

namespace loadline::cli {
namespace {

std::string namespace_fault(const std::string& text) {
  return text.empty() ? "write the name of a namespace" : std::string();
}

}  // namespace

void add_scope_options(CLI::App& command, kube::ConfigurationScope& scope) {
  command
      .add_option("--scheduler-namespace", scope.name_space,
                  "The one namespace whose ConfigMaps may carry scheduler configurations that count")
      ->capture_default_str()
      ->check(CLI::Validator(namespace_fault, "NAMESPACE"));
  command.add_flag("--replace-default-scheduler", scope.replaces_default,
                   "Such a ConfigMap may define default-scheduler, too, and so decide about all pods that name no "
                   "scheduler");
}

void add_trust_option(CLI::App& command, bool& is_trusted) {
  command.add_flag("--trust-input-configuration", is_trusted,
                   "Do what scheduler configurations of the input say, as if --config named them: send pods and nodes "
                   "to the extenders that they name, read the files that these name, run plugins with their arguments");
}

}  // namespace loadline::cli
