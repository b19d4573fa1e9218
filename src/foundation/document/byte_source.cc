#include "foundation/document/byte_source.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/gzip.h"

namespace loadline::document {
namespace {

constexpr int kOnlyGzip = 16 + MAX_WBITS;
constexpr std::size_t kMagic = 2;

}  // namespace

/// zlib's stream, ended whatever happens.
struct ByteSource::Inflater {
  Inflater() { is_good = inflateInit2(&stream, kOnlyGzip) == Z_OK; }
  ~Inflater() { inflateEnd(&stream); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  z_stream stream{};
  bool is_good = false;
};

ByteSource::ByteSource(std::istream& stream) : stream_(stream) {}
ByteSource::~ByteSource() = default;

Result<std::size_t> ByteSource::refill() {
  if (begin_ > 0) std::memmove(block_.data(), block_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  // A pipe may bring a single byte first.
  while (end_ < kMagic && stream_) {
    stream_.read(block_.data() + end_, static_cast<std::streamsize>(block_.size() - end_));
    if (stream_.bad()) return failure("cannot be read");
    end_ += static_cast<std::size_t>(stream_.gcount());
  }
  return end_;
}

Result<std::size_t> ByteSource::read(std::span<char> room) {
  REQUIRES(!room.empty());
  if (has_ended_) return 0;
  if (form_ == Form::kUnknown) {
    const auto filled = refill();
    if (!filled) return filled;
    form_ = is_gzip({block_.data(), end_}) ? Form::kGzip : Form::kPlain;
    if (form_ == Form::kGzip) inflater_ = std::make_unique<Inflater>();
    if (inflater_ != nullptr && !inflater_->is_good) return failure("out of memory");
    is_inside_member_ = form_ == Form::kGzip;
  }
  if (form_ == Form::kGzip) return inflate_into(room);
  if (begin_ == end_) {
    const auto filled = refill();
    if (!filled) return filled;
  }
  const std::size_t count = std::min(room.size(), end_ - begin_);
  std::memcpy(room.data(), block_.data() + begin_, count);
  begin_ += count;
  has_ended_ = count == 0;
  return count;
}

Result<std::size_t> ByteSource::inflate_into(std::span<char> room) {
  z_stream& stream = inflater_->stream;
  while (true) {
    if (end_ - begin_ < kMagic) {
      const auto filled = refill();
      if (!filled) return filled;
    }
    if (!is_inside_member_) {
      // Another member may follow; anything else behind the last, such as padding, does not count.
      if (!is_gzip({block_.data() + begin_, end_ - begin_})) {
        has_ended_ = true;
        return 0;
      }
      inflateReset(&stream);
      is_inside_member_ = true;
    }
    stream.next_in = reinterpret_cast<Bytef*>(block_.data() + begin_);
    stream.avail_in = static_cast<uInt>(end_ - begin_);
    stream.next_out = reinterpret_cast<Bytef*>(room.data());
    stream.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    compressed_ += end_ - begin_ - stream.avail_in;
    begin_ = end_ - stream.avail_in;
    if (status == Z_BUF_ERROR) return failure("gzip data ends too early");
    if (status != Z_OK && status != Z_STREAM_END) {
      return failure(std::string("not valid gzip: ") + (stream.msg == nullptr ? "corrupt data" : stream.msg));
    }
    if (status == Z_STREAM_END) is_inside_member_ = false;
    const std::size_t written = room.size() - stream.avail_out;
    decompressed_ += written;
    if (is_gzip_bomb(compressed_, decompressed_)) return failure(kGzipBomb);
    if (written > 0) return written;
  }
}

}  // namespace loadline::document
