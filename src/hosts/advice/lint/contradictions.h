#pragma once

#include <optional>
#include <string>

#include "hosts/advice/lint/finding.h"
#include "hosts/advice/lint/lint_input.h"

namespace loadline::advice::lint {

/// Two requirements on one label that no value of it meets.
struct Contradiction {
  std::string path;     ///< of the later one, in the object
  std::string message;  ///< which other one it contradicts, and how
};

/// Why no label of any node, whatever its value, can satisfy the node selector together with every term of the
/// required node affinity; nothing if one may. Judges In, NotIn, Exists and DoesNotExist, and Gt and Lt among
/// themselves.
[[nodiscard]] std::optional<Contradiction> contradiction_of(const JudgedWorkload& workload);

void check_contradictions(const LintInput& input, Findings& findings);

}  // namespace loadline::advice::lint
