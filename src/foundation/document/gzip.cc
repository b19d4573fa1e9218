#include "foundation/document/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "foundation/base/contract.h"

namespace loadline::document {
namespace {

constexpr std::size_t kBlock = std::size_t{64} << 10;
/// zlib counts its input in 32 bits: larger texts are handed over in parts.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 30;
constexpr std::size_t kMostToCompress = std::size_t{2} << 30;
constexpr int kGzipOnly = 16 + MAX_WBITS;

/// zlib's stream over one text, ended whatever happens.
class Inflater {
 public:
  explicit Inflater(std::string_view bytes) : size_(bytes.size()), rest_(bytes) {
    good_ = inflateInit2(&stream_, kGzipOnly) == Z_OK;
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  Result<std::string> run(std::uint64_t max_bytes) {
    if (!good_) return failure("out of memory");
    std::string text;
    while (true) {
      const int status = step();
      if (status == Z_BUF_ERROR) return failure("gzip data ends too early");
      if (status != Z_OK && status != Z_STREAM_END) {
        return failure(std::string("not valid gzip: ") + (stream_.msg == nullptr ? "corrupt data" : stream_.msg));
      }
      const std::size_t written = block_.size() - stream_.avail_out;
      if (written > max_bytes - text.size()) {
        return failure("decompresses to more than " + std::to_string(max_bytes) + " bytes");
      }
      if (is_gzip_bomb(size_ - rest_.size(), text.size() + written)) return failure(kGzipBomb);
      text.append(block_.data(), written);
      if (status != Z_STREAM_END) continue;
      // Members may follow one another; anything else after the last, such as padding, does not count.
      if (!is_gzip(rest_)) return text;
      inflateReset(&stream_);
    }
  }

 private:
  int step() {
    const std::size_t part = std::min(rest_.size(), kMostAtOnce);
    // zlib does not write to its input, though its type does not say so.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
    stream_.avail_in = static_cast<uInt>(part);
    stream_.next_out = reinterpret_cast<Bytef*>(block_.data());
    stream_.avail_out = static_cast<uInt>(block_.size());
    const int status = inflate(&stream_, Z_NO_FLUSH);
    rest_.remove_prefix(part - stream_.avail_in);
    return status;
  }

  std::size_t size_;
  std::string_view rest_;
  z_stream stream_{};
  std::array<char, kBlock> block_{};
  bool good_ = false;
};

}  // namespace

bool is_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

bool is_gzip_bomb(std::uint64_t compressed_bytes, std::uint64_t bytes) {
  constexpr std::uint64_t kFree = std::uint64_t{64} << 20;
  constexpr std::uint64_t kMostTimes = 100;
  return bytes > kFree && (bytes - kFree) / kMostTimes > compressed_bytes;
}

Result<std::string> decompress_gzip(std::string_view bytes, std::uint64_t max_bytes) {
  return Inflater(bytes).run(max_bytes);
}

std::string compress_gzip(std::string_view bytes) {
  REQUIRES(bytes.size() < kMostToCompress);
  z_stream stream{};
  constexpr int kMemoryLevel = 8;  // zlib's own default
  // It fails only without memory, or with another version of zlib than its header.
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipOnly, kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  REQUIRES(status == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

}  // namespace loadline::document
