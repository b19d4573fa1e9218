#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::api {

/// One step of a path into an object, as managedFields writes it: a field (`f:spec`), an element of a list by its keys
/// (`k:{"name":"c"}`), an element of a set by its value (`v:"x"`), or an element by its index (`i:0`).
/// Source: structured-merge-diff v6, fieldpath.
class PathElement {
 public:
  enum class Kind : std::uint8_t { kField, kKey, kValue, kIndex };

  static PathElement field(std::string_view name);
  /// `keys`: an object of the key fields, in any order.
  static PathElement key(document::Object keys);
  /// REQUIRES: `value` is a scalar.
  static PathElement value(document::Value value);
  static PathElement index(std::int64_t index);
  /// Reads "f:spec". Nothing if it is no element of a kind that is known, or malformed.
  static std::optional<PathElement> parse(std::string_view text);

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Of a field; of others, the JSON after the colon.
  [[nodiscard]] const std::string& text() const { return text_; }
  /// "f:spec".
  [[nodiscard]] std::string encoded() const;
  /// As errors name it: ".spec", `[name="c"]`, `[="x"]`, "[0]".
  [[nodiscard]] std::string readable() const;

  /// Upstream's order: fields by name, then keys field by field, then values (numbers, strings, booleans), then
  /// indices.
  friend std::strong_ordering operator<=>(const PathElement& a, const PathElement& b);
  friend bool operator==(const PathElement& a, const PathElement& b) {
    return a.kind_ == b.kind_ && a.text_ == b.text_;
  }

 private:
  PathElement(Kind kind, std::string text, document::Value detail)
      : kind_(kind), text_(std::move(text)), detail_(std::move(detail)) {}

  Kind kind_;
  std::string text_;        // canonical, so that equal elements have equal texts
  document::Value detail_;  // the keys, sorted by name; the value; the index; null for a field
};

}  // namespace loadline::api
