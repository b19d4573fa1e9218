#include "hosts/recording/line.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "foundation/document/writer.h"

namespace loadline::recording {

std::string format_at(Instant at) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t fraction = ((at.nanoseconds % kSecond) + kSecond) % kSecond;
  std::string text = format_rfc3339({at.nanoseconds - fraction});
  text.pop_back();
  return text + fmt::format(".{:09}Z", fraction);
}

Line Line::input(Instant at) {
  Line line;
  line.text("at", format_at(at));
  return line;
}

Line& Line::text(std::string_view name, std::string_view value) {
  begin_member(name);
  document::append_json(text_, value);
  return *this;
}

Line& Line::some_text(std::string_view name, std::string_view value) {
  return value.empty() ? *this : text(name, value);
}

Line& Line::number(std::string_view name, std::uint64_t value) {
  begin_member(name);
  fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

Line& Line::flag(std::string_view name, bool value) {
  if (!value) return *this;
  begin_member(name);
  text_ += "true";
  return *this;
}

Line& Line::json(std::string_view name, const document::Value& value) {
  begin_member(name);
  document::append_json(text_, value);
  return *this;
}

std::string Line::end() && {
  text_ += '}';
  return std::move(text_);
}

/// Names of members are ours: they need no escapes.
void Line::begin_member(std::string_view name) {
  if (text_.size() > 1) text_ += ',';
  text_ += '"';
  text_ += name;
  text_ += "\":";
}

}  // namespace loadline::recording
