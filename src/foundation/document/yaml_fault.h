#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"

namespace loadline::document {

/// Why a text could not be read as YAML, as go-yaml says it: `yaml: line 1: did not find expected node content`.
/// `problems` are what read_yaml found; nothing if they make no document unreadable. Parses the text once more.
/// Source: go.yaml.in/yaml/v2 decode.go, parser.fail, v2.4.
std::optional<std::string> find_yaml_fault(std::string_view text, const Diagnostics& problems);

/// What strict go-yaml says of each key that came twice: `line 3: key "name" already set in map`. Lines are those of
/// the keys, where go-yaml counts to the value.
std::vector<std::string> find_equal_yaml_keys(const Diagnostics& problems);

/// All of them in one error, as go-yaml has them. REQUIRES: there are any.
std::string join_equal_yaml_keys(const std::vector<std::string>& found);

}  // namespace loadline::document
