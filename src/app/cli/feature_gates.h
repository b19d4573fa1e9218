#pragma once

#include <string>
#include <vector>

#include "brain/workloads/gates.h"
#include "foundation/base/result.h"

namespace CLI {
class App;
}

namespace loadline::cli {

/// Reads `NAME=true` or `NAME=false`, as the --feature-gates of Kubernetes' components; what is not named stays off.
/// Errors, in their words: a gate that Loadline does not have, or that cannot be switched; a value that is no boolean.
Result<workloads::Gates> parse_feature_gates(const std::vector<std::string>& texts);

/// --feature-gates. `gates` outlives the command.
void add_feature_gates(CLI::App& command, workloads::Gates& gates);

}  // namespace loadline::cli
