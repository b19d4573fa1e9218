#include "foundation/document/go_json.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "foundation/document/writer.h"

namespace loadline::document {

Value with_sorted_members(const Value& value) {
  if (value.is_array()) {
    Array elements;
    for (const Value& element : value.array()) elements.push_back(with_sorted_members(element));
    return Value(std::move(elements));
  }
  if (!value.is_object()) return value;
  Object members;
  for (const Member& member : value.object()) members.push_back({member.key, with_sorted_members(member.value), {}});
  std::ranges::sort(members, {}, &Member::key);
  return Value(std::move(members));
}

std::string write_go_json(const Value& value) {
  std::string text;
  append_go_json(text, value);
  return text;
}

void append_go_json(std::string& text, const Value& value) {
  const std::size_t start = text.size();
  append_json(text, value);
  // None of them can stand outside a string, so all of them are escaped alike.
  constexpr std::string_view kUnsafe = "<>&";
  if (text.find_first_of(kUnsafe, start) == std::string::npos) return;
  std::string escaped;
  for (const char c : std::string_view(text).substr(start)) {
    if (kUnsafe.find(c) == std::string_view::npos) {
      escaped += c;
    } else {
      escaped += c == '<' ? "\\u003c" : c == '>' ? "\\u003e" : "\\u0026";
    }
  }
  text.replace(start, std::string::npos, escaped);
}

}  // namespace loadline::document
