#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/value.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/field_error.h"
#include "objects/schema/quoted.h"

namespace loadline::schema {

/// Errors of a schema, in the words of apimachinery's field.ErrorList.
class Complaints {
 public:
  void required(std::string path, std::string_view detail) {
    add(std::move(path), "Required value" + with_colon(detail));
  }
  void forbidden(std::string path, std::string_view detail) { add(std::move(path), "Forbidden" + with_colon(detail)); }
  void invalid(std::string path, const document::Value& value, std::string_view detail) {
    add(std::move(path), "Invalid value: " + shown_value(value) + with_colon(detail));
  }
  void unsupported(std::string path, std::string_view value, std::initializer_list<std::string_view> supported) {
    add(std::move(path), "Unsupported value: " + quoted(value) + ": supported values: " + quoted_list(supported));
  }
  void add(std::string path, std::string message) { errors.push_back({std::move(path), std::move(message), {}}); }

  FieldErrors errors;

 private:
  static std::string quoted_list(std::initializer_list<std::string_view> values) {
    std::string text;
    for (const std::string_view value : values) text += (text.empty() ? "" : ", ") + quoted(value);
    return text;
  }
  static std::string with_colon(std::string_view detail) {
    return detail.empty() ? std::string() : ": " + std::string(detail);
  }
};

// The paths of upstream's field.Path to parts of a schema.

inline std::string at_key(const std::string& path, std::string_view name, std::string_view key) {
  return path + '.' + std::string(name) + '[' + std::string(key) + ']';
}
inline std::string at_index(const std::string& path, std::string_view name, std::size_t index) {
  return path + '.' + std::string(name) + '[' + std::to_string(index) + ']';
}
inline std::string below(const std::string& path, std::string_view name) { return path + '.' + std::string(name); }

}  // namespace loadline::schema
