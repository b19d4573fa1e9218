#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace loadline::operators {

/// "llm-1-2" of a StatefulSet's pod: the StatefulSet "llm-1", and which of its pods it is.
struct PodName {
  std::string_view parent;
  std::int32_t ordinal = 0;
};

/// Nothing, if the name does not end in "-" and a number. Source: GetParentNameAndOrdinal in lws v0.9.0,
/// pkg/utils/statefulset.
[[nodiscard]] inline std::optional<PodName> parse_pod_name(std::string_view name) {
  const std::size_t dash = name.rfind('-');
  if (dash == std::string_view::npos || dash + 1 == name.size()) return std::nullopt;
  PodName parsed{name.substr(0, dash), 0};
  const std::string_view digits = name.substr(dash + 1);
  if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) return std::nullopt;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), parsed.ordinal);
  return read.ec == std::errc() ? std::optional(parsed) : std::nullopt;
}

}  // namespace loadline::operators
