#include "hosts/trace/byte_source.h"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "foundation/base/contract.h"
#include "foundation/document/gzip.h"

namespace loadline::trace {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;
constexpr std::size_t kMagic = 2;

}  // namespace

ByteSource::~ByteSource() {
  if (form_ == Form::kGzip) inflateEnd(&inflater_);
}

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
    form_ = document::is_gzip({block_.data(), end_}) ? Form::kGzip : Form::kPlain;
    if (form_ == Form::kGzip && inflateInit2(&inflater_, kGzipOnly) != Z_OK) return failure("out of memory");
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
  while (true) {
    if (end_ - begin_ < kMagic) {
      const auto filled = refill();
      if (!filled) return filled;
    }
    if (!is_inside_member_) {
      // Another member may follow; anything else behind the last, such as padding, does not count.
      if (!document::is_gzip({block_.data() + begin_, end_ - begin_})) {
        has_ended_ = true;
        return 0;
      }
      inflateReset(&inflater_);
      is_inside_member_ = true;
    }
    inflater_.next_in = reinterpret_cast<Bytef*>(block_.data() + begin_);
    inflater_.avail_in = static_cast<uInt>(end_ - begin_);
    inflater_.next_out = reinterpret_cast<Bytef*>(room.data());
    inflater_.avail_out = static_cast<uInt>(room.size());
    const int status = inflate(&inflater_, Z_NO_FLUSH);
    begin_ = end_ - inflater_.avail_in;
    if (status == Z_BUF_ERROR) return failure("gzip data ends too early");
    if (status != Z_OK && status != Z_STREAM_END) {
      return failure(std::string("not valid gzip: ") + (inflater_.msg == nullptr ? "corrupt data" : inflater_.msg));
    }
    if (status == Z_STREAM_END) is_inside_member_ = false;
    const std::size_t written = room.size() - inflater_.avail_out;
    if (written > 0) return written;
  }
}

}  // namespace loadline::trace
