#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"

namespace loadline::api {

/// Reads fields of stored documents by name, as a Go program reads a struct: what is absent, null or of another type is
/// the zero value. Each step is O(members).

/// What lies at that path of members, or null. A JSON null counts as absent.
template <class... Names>
const document::Value* at(const document::Value& object, Names... names) {
  const document::Value* here = &object;
  ((here = here == nullptr ? nullptr : here->find(std::string_view(names))), ...);
  return here == nullptr || here->is_null() ? nullptr : here;
}

template <class... Names>
std::string_view text_at(const document::Value& object, Names... names) {
  const document::Value* value = at(object, names...);
  return value != nullptr && value->is_string() ? std::string_view(value->string()) : std::string_view();
}

template <class... Names>
std::int64_t integer_at(const document::Value& object, Names... names) {
  const document::Value* value = at(object, names...);
  return value != nullptr && value->is_integer() ? value->integer() : 0;
}

template <class... Names>
bool boolean_at(const document::Value& object, Names... names) {
  const document::Value* value = at(object, names...);
  return value != nullptr && value->is_boolean() && value->boolean();
}

template <class... Names>
std::span<const document::Value> elements_at(const document::Value& object, Names... names) {
  const document::Value* value = at(object, names...);
  if (value == nullptr || !value->is_array()) return {};
  return value->array();
}

template <class... Names>
std::span<const document::Member> members_at(const document::Value& object, Names... names) {
  const document::Value* value = at(object, names...);
  if (value == nullptr || !value->is_object()) return {};
  return value->object();
}

/// The time in a field, or nothing if it is absent or no time.
template <class... Names>
std::optional<Instant> time_at(const document::Value& object, Names... names) {
  const std::string_view text = text_at(object, names...);
  return text.empty() ? std::nullopt : parse_rfc3339(text);
}

inline bool is_true(const document::Value* condition) {
  return condition != nullptr && text_at(*condition, "status") == "True";
}

inline std::string_view name_of(const document::Value& object) { return text_at(object, "metadata", "name"); }

inline bool is_being_deleted(const document::Value& object) {
  return at(object, "metadata", "deletionTimestamp") != nullptr;
}

}  // namespace loadline::api
