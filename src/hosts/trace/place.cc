#include "hosts/trace/place.h"

#include <fmt/format.h>

#include <vector>

#include "foundation/base/closest.h"
#include "foundation/base/text.h"

namespace loadline::trace {

tl::unexpected<Error> failure_at(const SourcePosition& at, std::string_view field, std::string_view message,
                                 std::string_view hint) {
  std::string text = at.file ? *at.file : std::string();
  if (at.line != 0) text += fmt::format(":{}", at.line);
  if (at.line != 0 && at.column != 0) text += fmt::format(":{}", at.column);
  if (!text.empty()) text += ": ";
  if (!field.empty()) text += fmt::format("{}: ", field);
  text += message;
  if (!hint.empty()) text += fmt::format(" ({})", hint);
  return failure(std::move(text));
}

std::string hint_for_name(std::string_view name, std::span<const std::string_view> known) {
  std::vector<std::string_view> alike(known.begin(), known.end());
  std::erase_if(alike, [&](std::string_view each) { return each.substr(0, 1) != name.substr(0, 1); });
  std::string_view nearest = closest(name, alike);
  if (nearest.empty()) nearest = closest(name, known);
  if (!nearest.empty()) return fmt::format("did you mean {}?", nearest);
  return fmt::format("there are {}", joined(known, ", "));
}

}  // namespace loadline::trace
