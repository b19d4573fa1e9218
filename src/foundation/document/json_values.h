#pragma once

#include <simdjson.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/document/equal_keys.h"
#include "foundation/document/field_path.h"
#include "foundation/document/text_cursor.h"
#include "foundation/document/unique_members.h"
#include "foundation/document/value.h"

namespace loadline::document {

/// A part of a JSON text that holds one value.
struct JsonPiece {
  simdjson::padded_string_view text;
  std::size_t offset = 0;    ///< where the piece begins in the text that marks count from
  std::size_t depth = 0;     ///< how many containers of that text are around it
  bool must_be_all = false;  ///< a piece with something after its value is none
};

/// A copy of a text that simdjson may read beyond.
class PaddedCopy {
 public:
  explicit PaddedCopy(std::string_view text) : size_(text.size()) {
    bytes_.reserve(size_ + simdjson::SIMDJSON_PADDING);
    bytes_.append(text).append(simdjson::SIMDJSON_PADDING, ' ');
  }
  [[nodiscard]] simdjson::padded_string_view view() const { return part(0, size_); }
  [[nodiscard]] simdjson::padded_string_view part(std::size_t begin, std::size_t end) const {
    return simdjson::padded_string_view(bytes_.data() + begin, end - begin, bytes_.size() - begin);
  }

 private:
  std::size_t size_;
  std::string bytes_;
};

/// Makes values of pieces, by simdjson; what it allocates serves the next piece again.
class JsonValues {
 public:
  /// REQUIRES: there is a file, be its name empty.
  JsonValues(std::shared_ptr<const std::string> file, EqualKeys equal_keys)
      : file_(std::move(file)), later_(equal_keys) {}

  /// The value of a piece, its marks counted by `cursor`; nothing if there is no good one.
  /// REQUIRES: the piece is an array or object, and the cursor does not stand behind its begin.
  std::optional<Value> read(const JsonPiece& piece, TextCursor& cursor);

  /// The keys that came twice in pieces that were read since the last call.
  Diagnostics take_duplicates() { return std::exchange(duplicates_, {}); }
  [[nodiscard]] bool has_duplicates() const { return !duplicates_.empty(); }

 private:
  std::optional<Value> read_piece(const JsonPiece& piece);
  bool read_value(simdjson::ondemand::value& source, const FieldPath& path, Value& value);
  bool read_array(simdjson::ondemand::value& source, const FieldPath& path, Mark mark, Value& value);
  bool read_object(simdjson::ondemand::value& source, const FieldPath& path, Mark mark, Value& value);
  Mark mark_of(const char* token);
  void report_duplicate(Mark before, Mark again, const FieldPath& path);

  std::shared_ptr<const std::string> file_;
  simdjson::ondemand::parser parser_;
  const char* begin_ = nullptr;  // of the piece that is read
  std::size_t offset_ = 0;
  TextCursor* cursor_ = nullptr;
  std::size_t depth_ = 0;  // of containers around the value being read
  MemberStack members_;
  std::vector<Value> elements_;  // of the arrays being read, the innermost's last
  Diagnostics duplicates_;
  LaterValues later_;
};

}  // namespace loadline::document
