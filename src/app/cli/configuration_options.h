#pragma once

#include "objects/kube/config/configuration_scope.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// --scheduler-namespace, --replace-default-scheduler. `scope` outlives the command.
void add_scope_options(CLI::App& command, kube::ConfigurationScope& scope);

/// --trust-input-configuration. `is_trusted` outlives the command.
void add_trust_option(CLI::App& command, bool& is_trusted);

}  // namespace loadline::cli
