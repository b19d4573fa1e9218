#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/schema/custom/value_rules.h"
#include "objects/schema/quantity.h"
#include "objects/schema/timestamp.h"

namespace loadline::schema::cel {

class Value;
using List = std::shared_ptr<const std::vector<Value>>;
using Map = std::shared_ptr<const std::vector<std::pair<Value, Value>>>;

struct Bytes {
  std::string bytes;
  friend bool operator==(const Bytes&, const Bytes&) = default;
};

/// A list or object of a document, with what its schema says of it (null: nothing), read as expressions ask.
struct Node {
  document::Value value;
  const ValueRules* rules = nullptr;
};

/// What optional syntax gives: a value, or none.
struct Optional {
  std::shared_ptr<const Value> value;
};

/// What `type(x)` gives.
struct TypeName {
  std::string name;
  friend bool operator==(const TypeName&, const TypeName&) = default;
};

/// A value of the Common Expression Language. Immutable.
class Value {
 public:
  using Data = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, Bytes, List, Map,
                            Node, loadline::Duration, Timestamp, Quantity, Optional, TypeName>;

  Value() = default;  // null
  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Value>)
  explicit Value(T data) : data_(std::move(data)) {}

  /// A document's value as its schema wants it read: numbers of type number as doubles, strings of formats date-time,
  /// date, duration and byte as what they stand for.
  static Value of(const document::Value& value, const ValueRules* rules);

  template <class T>
  [[nodiscard]] const T* get() const {
    return std::get_if<T>(&data_);
  }
  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(data_); }
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_list() const;
  [[nodiscard]] bool is_map() const;

  /// Elements of a list, members of a map. REQUIRES: it is one.
  [[nodiscard]] std::size_t size() const;
  /// REQUIRES: is_list(), and index < size().
  [[nodiscard]] Value element(std::size_t index) const;
  /// REQUIRES: is_map().
  [[nodiscard]] std::vector<Value> keys() const;
  /// The member of a map, or nothing. Of objects with a schema, names may be escaped (`x__dash__y`).
  [[nodiscard]] std::optional<Value> member(const Value& key) const;

  /// "int", "string", "google.protobuf.Timestamp"…
  [[nodiscard]] std::string_view type_name() const;

  /// Numbers are equal whatever their type; lists that are sets or maps by their schema whatever their order.
  friend bool operator==(const Value& a, const Value& b);

 private:
  Data data_;
};

/// A list of such values, which no schema describes.
[[nodiscard]] Value list_of(std::vector<Value> elements);

/// -1, 0 or 1; nothing if values of these types have no order.
[[nodiscard]] std::optional<int> compare(const Value& a, const Value& b);

}  // namespace loadline::schema::cel
