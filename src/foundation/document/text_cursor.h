#pragma once

#include <cstddef>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/byte_words.h"
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
    while (offset - offset_ >= sizeof(ByteWord)) step_over_word();
    for (; offset_ < offset; ++offset_) step_over(static_cast<unsigned char>(text_[offset_]));
    return mark_;
  }

 private:
  void step_over(unsigned char byte) {
    if (byte == '\n') {
      ++mark_.line;
      mark_.column = 1;
    } else if ((byte & 0xC0U) != 0x80U) {
      ++mark_.column;
    }
  }

  /// Eight bytes at once if they are ASCII and no line ends in them, which is so for most of them.
  void step_over_word() {
    const ByteWord word = word_at(text_.data() + offset_);
    if (is_ascii(word) && !has_byte(word, '\n')) {
      mark_.column += sizeof(word);
    } else {
      for (std::size_t i = 0; i < sizeof(word); ++i) step_over(static_cast<unsigned char>(text_[offset_ + i]));
    }
    offset_ += sizeof(word);
  }

  std::string_view text_;
  std::size_t offset_ = 0;
  Mark mark_{1, 1};
};

}  // namespace loadline::document
