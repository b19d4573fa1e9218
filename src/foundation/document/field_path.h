#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loadline::document {

/// Where a reader is below the root of a document: a chain on the reader's stack, made text only when needed.
struct FieldPath {
  const FieldPath* parent = nullptr;  // null: the root
  std::string_view key;               // of an object's member
  std::size_t index = 0;              // of an array's element, if is_element
  bool is_element = false;

  /// "spec.containers[0].image"; empty for the root.
  [[nodiscard]] std::string to_string() const {
    if (parent == nullptr) return {};
    std::string text = parent->to_string();
    if (is_element) return text + '[' + std::to_string(index) + ']';
    if (!text.empty()) text += '.';
    return text.append(key);
  }
};

}  // namespace loadline::document
