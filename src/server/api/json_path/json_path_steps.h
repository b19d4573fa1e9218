#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "server/api/json_path/json_path.h"

namespace loadline::api {

/// A member of a map.
struct FieldStep {
  std::string name;
};
/// Everything in a map or a list.
struct WildcardStep {};
/// The values themselves and all below them that hold something.
struct DescentStep {};
/// [start:end:step]; absent parts are open.
struct SliceStep {
  std::optional<std::int64_t> start;
  std::optional<std::int64_t> end;
  bool is_single = false;  ///< [start]: `end` is start + 1
  std::optional<std::int64_t> step;
};
/// A string, number or boolean, whatever was there before; one for each value if `is_repeated`.
struct LiteralStep {
  document::Value value;
  bool is_repeated = false;
};
/// [a,b]
struct UnionStep {
  std::vector<std::vector<JsonPath::Step>> alternatives;
};
/// [?(left comparison right)]; `comparison` empty: whether left is there.
struct FilterStep {
  std::vector<JsonPath::Step> left;
  std::string comparison;
  std::vector<JsonPath::Step> right;
};
/// A word that is no path. Accepted when parsed, an error when evaluated, as upstream.
struct WordStep {
  std::string word;
};

struct JsonPath::Step {
  std::variant<FieldStep, WildcardStep, DescentStep, SliceStep, LiteralStep, UnionStep, FilterStep, WordStep> what;
};

/// The steps of a path without braces. Errors name what is wrong in upstream's words.
Result<std::vector<JsonPath::Step>> parse_json_path(std::string_view text);

}  // namespace loadline::api
