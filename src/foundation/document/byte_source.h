#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <span>

#include "foundation/base/result.h"

namespace loadline::document {

/// The bytes of a stream, decompressed on the way if they are gzip's (one member or several), whatever the file's name.
/// What becomes of gzip's is bounded (is_gzip_bomb). Memory: two blocks.
class ByteSource {
 public:
  /// `stream` must outlive it.
  explicit ByteSource(std::istream& stream);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Fills the beginning of `room` and says how much of it; 0: the stream has ended. REQUIRES: there is room.
  Result<std::size_t> read(std::span<char> room);

 private:
  enum class Form : std::uint8_t { kUnknown, kPlain, kGzip };
  struct Inflater;
  static constexpr std::size_t kBlock = std::size_t{64} << 10;

  /// Has more bytes stand in the block, if there are any: its first two together, by which gzip is told.
  Result<std::size_t> refill();
  Result<std::size_t> inflate_into(std::span<char> room);

  std::istream& stream_;
  Form form_ = Form::kUnknown;
  std::array<char, kBlock> block_{};
  std::size_t begin_ = 0;  // of what was not handed over yet
  std::size_t end_ = 0;
  std::unique_ptr<Inflater> inflater_;  // of gzip
  std::uint64_t compressed_ = 0;        // bytes that were decompressed
  std::uint64_t decompressed_ = 0;      // bytes that they became
  bool is_inside_member_ = false;
  bool has_ended_ = false;
};

}  // namespace loadline::document
