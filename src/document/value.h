#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace loadline::document {

class Value;
struct Member;

/// Where a value began in its source; line and column count from 1; 0 means it came from no source.
struct Mark {
  std::uint32_t line = 0;
  std::uint32_t column = 0;

  friend bool operator==(const Mark&, const Mark&) = default;
};

using Array = std::vector<Value>;
/// Members in source order. Readers guarantee unique keys: a duplicate is reported, and the first one kept.
using Object = std::vector<Member>;

/// An immutable JSON value. Copies share what is below them; a change copies only the path to it.
/// Numbers keep whether they were written as integers: `1` and `1.0` differ, as they do for a Go decoder.
/// Equality ignores marks. Thread safe to read.
class Value {
 public:
  Value() = default;  // null
  explicit Value(bool boolean, Mark mark = {});
  explicit Value(std::int64_t integer, Mark mark = {});
  explicit Value(double number, Mark mark = {});
  explicit Value(std::string text, Mark mark = {});
  explicit Value(std::string_view text, Mark mark = {});
  explicit Value(const char* text, Mark mark = {});
  explicit Value(Array array, Mark mark = {});
  explicit Value(Object object, Mark mark = {});
  static Value null(Mark mark);

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_boolean() const;
  [[nodiscard]] bool is_integer() const;
  [[nodiscard]] bool is_float() const;  ///< a number with a fraction or exponent, or outside int64
  [[nodiscard]] bool is_number() const { return is_integer() || is_float(); }
  [[nodiscard]] bool is_string() const;
  [[nodiscard]] bool is_array() const;
  [[nodiscard]] bool is_object() const;

  // REQUIRES: the value is of that type.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double number() const;  ///< of an integer too
  [[nodiscard]] const std::string& string() const;
  [[nodiscard]] const Array& array() const;
  [[nodiscard]] const Object& object() const;

  /// The member of that name, or null if this is no object or has none. O(members).
  [[nodiscard]] const Value* find(std::string_view key) const;

  /// A copy of this object with `key` set to `value`: replaced in place, or appended.
  /// REQUIRES: this is an object or null (which counts as an empty object).
  [[nodiscard]] Value with(std::string_view key, Value value) const;
  [[nodiscard]] Value without(std::string_view key) const;

  [[nodiscard]] Mark mark() const { return mark_; }

  /// "object", "array", "string", "number", "bool" or "null": the words of Go's JSON decoder.
  [[nodiscard]] std::string_view type_name() const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  using Data = std::variant<std::monostate, bool, std::int64_t, double, std::shared_ptr<const std::string>,
                            std::shared_ptr<const Array>, std::shared_ptr<const Object>>;
  Data data_;
  Mark mark_;
};

struct Member {
  std::string key;
  Value value;
  Mark mark;  ///< of the key

  friend bool operator==(const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; }
};

}  // namespace loadline::document
