#include "hosts/trace/place.h"

#include <fmt/format.h>

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

}  // namespace loadline::trace
