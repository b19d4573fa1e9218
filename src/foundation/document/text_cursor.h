#pragma once

#include <cstddef>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// Turns offsets of a UTF-8 text into lines and columns (in code points), walking forward only: asking for n rising
/// offsets costs O(text).
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  /// REQUIRES: `offset` is no less than in the call before, and no more than the text's size.
  Mark advance(std::size_t offset) {
    REQUIRES(offset >= offset_ && offset <= text_.size());
    for (; offset_ < offset; ++offset_) {
      const auto byte = static_cast<unsigned char>(text_[offset_]);
      if (byte == '\n') {
        ++mark_.line;
        mark_.column = 1;
      } else if ((byte & 0xC0U) != 0x80U) {
        ++mark_.column;
      }
    }
    return mark_;
  }

 private:
  std::string_view text_;
  std::size_t offset_ = 0;
  Mark mark_{1, 1};
};

}  // namespace loadline::document
