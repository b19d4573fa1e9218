#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

#include "objects/kube/string_map.h"

namespace loadline::cluster::spellings {

/// The count that an annotation or label holds; nothing: it is not there, or is no number from 0 on.
[[nodiscard]] inline std::optional<std::int32_t> number_in(const kube::StringMap& entries, std::string_view name) {
  const auto found = entries.find(name);
  if (found == entries.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

}  // namespace loadline::cluster::spellings
