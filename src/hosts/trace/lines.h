#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "foundation/document/byte_source.h"

namespace loadline::trace {

/// A line longer than this is refused, so that a file without any does not fill memory.
inline constexpr std::size_t kLongestLine = std::size_t{16} << 20;

/// The lines of a text that is read as it is needed, decompressed if it is gzip. Their ends (LF or CRLF) and a byte
/// order mark before the first are left out. Memory: the longest line so far, and a block.
class Lines {
 public:
  /// `stream` must outlive it; `file` is what messages call it.
  Lines(std::istream& stream, std::string file);
  Lines(std::unique_ptr<std::istream> owned, std::string file);
  /// Opens a file.
  static Result<std::unique_ptr<Lines>> open(const std::string& path);

  /// The next line, valid until the next call; nothing behind the last. Errors name the file.
  Result<std::optional<std::string_view>> next();
  /// The line that the next call of next() returns.
  Result<std::optional<std::string_view>> peek();

  /// Of the line that next() returned, counted from 1.
  [[nodiscard]] std::uint32_t number() const { return number_; }
  [[nodiscard]] SourcePosition at(std::uint32_t column = 0) const { return {file_, number_, column}; }
  [[nodiscard]] const std::shared_ptr<const std::string>& file() const { return file_; }

 private:
  /// More text behind what there is; false: there is no more.
  Result<bool> refill();
  std::string_view taken(std::size_t end, std::size_t next_begin);

  std::unique_ptr<std::istream> owned_;
  document::ByteSource bytes_;
  std::shared_ptr<const std::string> file_;
  std::string buffer_;
  std::size_t begin_ = 0;  // of the next line
  std::size_t end_ = 0;
  std::string_view peeked_;
  bool is_peeked_ = false;
  std::uint32_t number_ = 0;
};

}  // namespace loadline::trace
