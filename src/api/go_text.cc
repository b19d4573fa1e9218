#include "api/go_text.h"

#include <algorithm>
#include <vector>

#include "document/number.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Value;

void append(std::string& text, const Value& value) {
  if (value.is_object()) {
    std::vector<const Member*> members;
    for (const Member& member : value.object()) members.push_back(&member);
    std::ranges::sort(members, {}, [](const Member* member) -> const std::string& { return member->key; });
    text += "map[";
    for (const Member* member : members) {
      if (member != members.front()) text += ' ';
      text += member->key + ":";
      append(text, member->value);
    }
    text += ']';
    return;
  }
  if (value.is_array()) {
    text += '[';
    for (const Value& element : value.array()) {
      if (&element != &value.array().front()) text += ' ';
      append(text, element);
    }
    text += ']';
    return;
  }
  if (value.is_string()) text += value.string();
  if (value.is_integer()) text += std::to_string(value.integer());
  if (value.is_float()) text += document::format_general(value.number());
  if (value.is_boolean()) text += value.boolean() ? "true" : "false";
  if (value.is_null()) text += "<nil>";
}

}  // namespace

std::string go_text(const Value& value) {
  std::string text;
  append(text, value);
  return text;
}

std::string_view go_type_name(const Value& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_string()) return "string";
  if (value.is_integer()) return "int64";
  if (value.is_float()) return "float64";
  // What fmt makes of a nil reflect.Type under %s.
  return value.is_boolean() ? "bool" : "%!s(<nil>)";
}

}  // namespace loadline::api
