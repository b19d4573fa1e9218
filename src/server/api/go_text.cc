#include "server/api/go_text.h"

#include <algorithm>
#include <vector>

#include "foundation/document/number.h"
#include "foundation/document/writer.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Value;

std::vector<const Member*> sorted_members(const Value& object) {
  std::vector<const Member*> members;
  for (const Member& member : object.object()) members.push_back(&member);
  std::ranges::sort(members, {}, [](const Member* member) -> const std::string& { return member->key; });
  return members;
}

void append(std::string& text, const Value& value) {
  if (value.is_object()) {
    const auto members = sorted_members(value);
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

std::string go_syntax(const Value& value) {
  if (value.is_object()) {
    std::string text;
    for (const Member* member : sorted_members(value)) {
      text += (text.empty() ? "" : ", ") + document::write_json(Value(member->key)) + ":" + go_syntax(member->value);
    }
    return "map[string]interface {}{" + text + "}";
  }
  if (value.is_array()) {
    std::string text;
    for (const Value& element : value.array()) text += (text.empty() ? "" : ", ") + go_syntax(element);
    return "[]interface {}{" + text + "}";
  }
  if (value.is_string()) return document::write_json(value);
  return value.is_null() ? "interface {}(nil)" : go_text(value);
}

std::string go_string_verb(const Value& value) {
  if (value.is_string()) return value.string();
  if (value.is_null()) return "%!s(<nil>)";
  if (value.is_object() || value.is_array()) return go_text(value);
  return "%!s(" + std::string(go_type_name(value)) + "=" + go_text(value) + ")";
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
