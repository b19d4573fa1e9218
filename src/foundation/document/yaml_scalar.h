#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "foundation/base/result.h"

namespace loadline::document {

/// What a YAML scalar stands for before it becomes JSON. `std::uint64_t` is an integer beyond int64.
using YamlScalar = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string>;

/// Resolves a scalar as sigs.k8s.io/yaml v1.6 does (the table of YAML 1.1, with go-yaml v2's own rules for numbers):
/// `yes`, `on`, `y` are booleans, `0o17`, `017` and `0b11` integers, `1_000` too; base 60 is a string, and so is a
/// date. `tag` is the full tag ("tag:yaml.org,2002:int") or empty. Fails, in upstream's words, if the text is not of
/// the kind that its tag says.
Result<YamlScalar> resolve_scalar(std::string_view tag, std::string_view text);

/// Whether an untagged, unquoted scalar would be read as something other than this string: it must be quoted.
/// Base 60 numbers count, for the sake of other YAML readers.
bool is_ambiguous(std::string_view text);

/// A name or a label's value as a manifest writes it: in quotes where it would be read as something other than text.
/// REQUIRES: none of the characters that YAML has uses for.
std::string scalar_text(std::string_view text);

}  // namespace loadline::document
