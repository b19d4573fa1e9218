#include "brain/workloads/completed_indexes.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace loadline::workloads {
namespace {

std::optional<std::int64_t> parse_index(std::string_view text) {
  std::int64_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

}  // namespace

std::set<std::int64_t> parse_completed_indexes(std::string_view text, std::int64_t completions) {
  std::set<std::int64_t> indexes;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view interval = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const std::size_t dash = interval.find('-');
    const auto first = parse_index(interval.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_index(interval.substr(dash + 1));
    if (!first || !last) return indexes;
    for (std::int64_t index = std::max<std::int64_t>(*first, 0); index <= std::min(*last, completions - 1); ++index) {
      indexes.insert(indexes.end(), index);
    }
  }
  return indexes;
}

}  // namespace loadline::workloads
