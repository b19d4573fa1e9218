#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::schema {

// What a schema, or another part of a CustomResourceDefinition, says. A member of another form than the one that is
// asked for counts as if it were not there.

inline bool is_true(const document::Value& schema, std::string_view name) {
  const document::Value* value = schema.find(name);
  return value != nullptr && value->is_boolean() && value->boolean();
}

/// The child if it is a schema, or null.
inline const document::Value* schema_at(const document::Value& schema, std::string_view name) {
  const document::Value* child = schema.find(name);
  return child != nullptr && child->is_object() ? child : nullptr;
}

inline const document::Object& properties_of(const document::Value& schema) {
  static const auto& none = *new document::Object();
  const document::Value* properties = schema_at(schema, "properties");
  return properties == nullptr ? none : properties->object();
}

inline const document::Array& list_of(const document::Value& schema, std::string_view name) {
  static const auto& none = *new document::Array();
  const document::Value* list = schema.find(name);
  return list != nullptr && list->is_array() ? list->array() : none;
}

/// The member, whatever its form; an empty object if there is none.
inline const document::Value& member_or_empty(const document::Value& parent, std::string_view name) {
  static const auto& empty = *new document::Value(document::Object{});
  const document::Value* value = parent.find(name);
  return value == nullptr ? empty : *value;
}

/// The openAPIV3Schema of a version of a definition.
inline const document::Value& schema_of_version(const document::Value& version) {
  return member_or_empty(member_or_empty(version, "schema"), "openAPIV3Schema");
}

inline std::string text_of(const document::Value& parent, std::string_view name) {
  const document::Value* value = parent.find(name);
  return value != nullptr && value->is_string() ? value->string() : "";
}

inline std::optional<double> number_of(const document::Value& parent, std::string_view name) {
  const document::Value* value = parent.find(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->number();
}

inline std::optional<std::int64_t> integer_of(const document::Value& parent, std::string_view name) {
  const document::Value* value = parent.find(name);
  if (value == nullptr || !value->is_integer()) return std::nullopt;
  return value->integer();
}

inline std::vector<std::string> texts_of(const document::Value& parent, std::string_view name) {
  std::vector<std::string> texts;
  const document::Value* list = parent.find(name);
  if (list == nullptr || !list->is_array()) return texts;
  for (const document::Value& text : list->array()) {
    if (text.is_string()) texts.push_back(text.string());
  }
  return texts;
}

}  // namespace loadline::schema
