#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/contract.h"

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
/// Members in source order. Readers guarantee unique keys: a duplicate is reported (document/equal_keys.h).
using Object = std::vector<Member>;

/// An immutable JSON value. Copies share what is below them; a change copies only the path to it, and not even that
/// where the changed value was moved from and no other value shares it: `object = std::move(object).with(…)`.
/// Numbers keep whether they were written as integers: `1` and `1.0` differ, as they do for a Go decoder.
/// Equality ignores marks. Thread safe to read.
///
/// A text, array or object is one node with a reference count; servers copy values all the time, so the count stands in
/// the node itself, and the last value that refers to it frees it without an atomic write.
class Value {
 public:
  Value() = default;  // null
  explicit Value(bool boolean, Mark mark = {}) : mark_(mark), kind_(Kind::kBoolean) { payload_.boolean = boolean; }
  explicit Value(std::int64_t integer, Mark mark = {}) : mark_(mark), kind_(Kind::kInteger) {
    payload_.integer = integer;
  }
  explicit Value(double number, Mark mark = {}) : mark_(mark), kind_(Kind::kFloat) { payload_.number = number; }
  explicit Value(std::string text, Mark mark = {});
  explicit Value(std::string_view text, Mark mark = {});
  explicit Value(const char* text, Mark mark = {});
  explicit Value(Array array, Mark mark = {});
  explicit Value(Object object, Mark mark = {});
  static Value null(Mark mark);
  /// An object whose text is known: it is read when a caller first asks for its members, and written as it is.
  /// REQUIRES: `json` is what write_json makes of an object.
  static Value unread(std::string json);

  Value(const Value& other) : payload_(other.payload_), mark_(other.mark_), kind_(other.kind_) {
    if (is_shared()) payload_.node->holders.fetch_add(1, std::memory_order_relaxed);
  }
  Value(Value&& other) noexcept
      : payload_(other.payload_), mark_(other.mark_), kind_(std::exchange(other.kind_, Kind::kNull)) {}
  Value& operator=(const Value& other) {
    Value(other).swap(*this);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value(std::move(other)).swap(*this);
    return *this;
  }
  ~Value() {
    if (is_shared()) release();
  }

  [[nodiscard]] bool is_null() const { return kind_ == Kind::kNull; }
  [[nodiscard]] bool is_boolean() const { return kind_ == Kind::kBoolean; }
  [[nodiscard]] bool is_integer() const { return kind_ == Kind::kInteger; }
  /// A number with a fraction or exponent, or outside int64.
  [[nodiscard]] bool is_float() const { return kind_ == Kind::kFloat; }
  [[nodiscard]] bool is_number() const { return is_integer() || is_float(); }
  [[nodiscard]] bool is_string() const { return kind_ == Kind::kString; }
  [[nodiscard]] bool is_array() const { return kind_ == Kind::kArray; }
  [[nodiscard]] bool is_object() const { return kind_ == Kind::kObject; }

  // REQUIRES: the value is of that type.
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] std::int64_t integer() const;
  [[nodiscard]] double number() const;  ///< of an integer too
  [[nodiscard]] const std::string& string() const;
  [[nodiscard]] const Array& array() const;
  [[nodiscard]] const Object& object() const;

  /// The text of an object that was made of it; null for any other value.
  [[nodiscard]] const std::string* unread_text() const;

  /// The member of that name, or null if this is no object or has none. O(members).
  [[nodiscard]] const Value* find(std::string_view key) const;

  /// A copy of this object with `key` set to `value`: replaced in place, or appended.
  /// REQUIRES: this is an object or null (which counts as an empty object).
  [[nodiscard]] Value with(std::string_view key, Value value) const&;
  [[nodiscard]] Value with(std::string_view key, Value value) &&;
  /// A copy without that member; of what has none, and is no object either, the same value.
  [[nodiscard]] Value without(std::string_view key) const&;
  [[nodiscard]] Value without(std::string_view key) &&;
  /// This object with what `change` makes of its member of that name, which is null if there is none.
  /// REQUIRES: as `with`.
  template <class Change>
  [[nodiscard]] Value with_changed(std::string_view key, Change&& change) &&;

  [[nodiscard]] Mark mark() const { return mark_; }

  /// "object", "array", "string", "number", "bool" or "null": the words of Go's JSON decoder.
  [[nodiscard]] std::string_view type_name() const;

  friend bool operator==(const Value& a, const Value& b);

 private:
  enum class Kind : std::uint8_t { kNull, kBoolean, kInteger, kFloat, kString, kArray, kObject };

  /// What the copies of a text, array or object share.
  struct Node {
    std::atomic<std::uint32_t> holders{1};
    bool is_unread = false;  ///< an UnreadNode
  };
  struct TextNode;
  struct ArrayNode;
  struct ObjectNode;
  struct UnreadNode;

  union Payload {
    bool boolean;
    std::int64_t integer = 0;
    double number;
    Node* node;
  };

  [[nodiscard]] bool is_shared() const { return kind_ >= Kind::kString; }
  void swap(Value& other) noexcept {
    std::swap(payload_, other.payload_);
    std::swap(mark_, other.mark_);
    std::swap(kind_, other.kind_);
  }
  void release();
  void read_text() const;
  /// The members, to be changed: copied first if another value shares them.
  Object& own_members();
  Value& own_member(std::string_view key, Mark mark);

  Payload payload_;
  Mark mark_;
  Kind kind_ = Kind::kNull;
};

struct Member {
  std::string key;
  Value value;
  Mark mark;  ///< of the key

  friend bool operator==(const Member& a, const Member& b) { return a.key == b.key && a.value == b.value; }
};

struct Value::TextNode : Node {
  explicit TextNode(std::string of) : text(std::move(of)) {}
  explicit TextNode(std::string_view of) : text(of) {}
  std::string text;
};

struct Value::ArrayNode : Node {
  explicit ArrayNode(Array of) : elements(std::move(of)) {}
  Array elements;
};

struct Value::ObjectNode : Node {
  explicit ObjectNode(Object of) : members(std::move(of)) {}
  Object members;
};

inline bool Value::boolean() const {
  REQUIRES(is_boolean());
  return payload_.boolean;
}

inline std::int64_t Value::integer() const {
  REQUIRES(is_integer());
  return payload_.integer;
}

inline const std::string& Value::string() const {
  REQUIRES(is_string());
  return static_cast<const TextNode*>(payload_.node)->text;
}

inline const Array& Value::array() const {
  REQUIRES(is_array());
  return static_cast<const ArrayNode*>(payload_.node)->elements;
}

inline const Object& Value::object() const {
  REQUIRES(is_object());
  if (payload_.node->is_unread) read_text();
  return static_cast<const ObjectNode*>(payload_.node)->members;
}

template <class Change>
Value Value::with_changed(std::string_view key, Change&& change) && {
  Value& member = own_member(key, {});
  member = std::forward<Change>(change)(std::move(member));
  return std::move(*this);
}

}  // namespace loadline::document
