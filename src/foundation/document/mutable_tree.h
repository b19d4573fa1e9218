#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::document {

/// A document under change: a node is an unchanged Value until something below it is touched. So a thousand changes to
/// a list copy it once, not a thousand times.
class MutableTree {
 public:
  struct Child;

  explicit MutableTree(Value value);
  MutableTree(MutableTree&&) noexcept;
  MutableTree& operator=(MutableTree&&) noexcept;
  MutableTree(const MutableTree&) = delete;
  MutableTree& operator=(const MutableTree&) = delete;
  ~MutableTree();

  [[nodiscard]] bool is_null() const { return !children_ && value_.is_null(); }
  [[nodiscard]] bool is_object() const { return value_.is_object(); }
  [[nodiscard]] bool is_array() const { return value_.is_array(); }
  [[nodiscard]] bool is_container() const { return is_object() || is_array(); }

  /// The members or elements, ready for change. REQUIRES: is_container().
  std::vector<Child>& children();
  /// The member of that name, or null. REQUIRES: is_object().
  Child* find(std::string_view key);

  /// The document as it is now. O(touched containers' members).
  [[nodiscard]] Value value() const;
  /// Levels of nesting below and with this one; a scalar has none. O(size).
  [[nodiscard]] std::size_t depth() const;

 private:
  Value value_;  // once touched, only its form counts
  std::optional<std::vector<Child>> children_;
};

struct MutableTree::Child {
  std::string key;  ///< empty for an element of a list
  MutableTree tree;
};

// Here, where a Child is known: clang wants to know how to destroy one.
inline MutableTree::MutableTree(Value value) : value_(std::move(value)) {}
inline MutableTree::MutableTree(MutableTree&&) noexcept = default;
inline MutableTree& MutableTree::operator=(MutableTree&&) noexcept = default;

/// Levels of nesting of a value; a scalar has none. O(size).
std::size_t depth_of(const Value& value);

}  // namespace loadline::document
