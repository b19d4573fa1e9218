#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"
#include "hosts/advice/lint/rule.h"

namespace loadline::advice::lint {

/// Every rule, in the order of the documentation.
[[nodiscard]] std::span<const Rule> all_rules();

/// The rules to ask: those in `only`, or all that are asked always, without those in `without`.
/// Errors: a name that no rule bears.
[[nodiscard]] Result<std::vector<const Rule*>> choose_rules(const std::vector<std::string>& only,
                                                            const std::vector<std::string>& without);

/// What rules had to say, and how many could not be asked because the input has no nodes.
struct Advice {
  std::vector<Finding> findings;  ///< by file, line and column
  std::size_t without_nodes = 0;
};

[[nodiscard]] Advice advise(const LintInput& input, const std::vector<const Rule*>& rules,
                            const kube::SourceIndex& sources);

}  // namespace loadline::advice::lint
