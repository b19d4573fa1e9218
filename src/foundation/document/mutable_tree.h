#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/value.h"

namespace loadline::document {

/// A document under change: a node is an unchanged Value until something below it is touched. So a thousand changes to
/// a list copy it once, not a thousand times; and however long a list or an object is, one change costs little.
class MutableTree {
 public:
  explicit MutableTree(Value value);
  MutableTree(MutableTree&&) noexcept;
  MutableTree& operator=(MutableTree&&) noexcept;
  MutableTree(const MutableTree&) = delete;
  MutableTree& operator=(const MutableTree&) = delete;
  ~MutableTree();

  [[nodiscard]] bool is_object() const { return value_.is_object(); }
  [[nodiscard]] bool is_array() const { return value_.is_array(); }
  [[nodiscard]] bool is_container() const { return is_object() || is_array(); }

  // Of an object. REQUIRES: is_object(). What is returned is valid until the object changes.
  /// The member of that name, or null.
  MutableTree* find(std::string_view key);
  /// In the place of the member of that name, or behind all members.
  void set(std::string_view key, MutableTree tree);
  /// Whether there was one.
  bool erase(std::string_view key);

  // Of a list. REQUIRES: is_array(), and there is such an element; for insert(), or it would come last.
  [[nodiscard]] std::size_t size();
  MutableTree& at(std::size_t index);
  void insert(std::size_t index, MutableTree tree);
  void erase(std::size_t index);

  /// The document as it is now. O(touched containers' members).
  [[nodiscard]] Value value() const;
  /// Levels of nesting below and with this one; a scalar has none. O(size).
  [[nodiscard]] std::size_t depth() const;

 private:
  struct Members;
  struct Elements;

  Members& members();
  Elements& elements();

  Value value_;  // once touched, only its form counts
  std::unique_ptr<Members> members_;
  std::unique_ptr<Elements> elements_;
};

/// Levels of nesting of a value; a scalar has none. O(size).
std::size_t depth_of(const Value& value);

}  // namespace loadline::document
