#include "hosts/trace/lines.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "hosts/trace/place.h"

namespace loadline::trace {
namespace {

constexpr std::size_t kReadAtOnce = std::size_t{256} << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

Lines::Lines(std::istream& stream, std::string file)
    : bytes_(stream), file_(std::make_shared<const std::string>(std::move(file))) {}

Lines::Lines(std::unique_ptr<std::istream> owned, std::string file)
    : owned_(std::move(owned)), bytes_(*owned_), file_(std::make_shared<const std::string>(std::move(file))) {}

Result<std::unique_ptr<Lines>> Lines::open(const std::string& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return failure(path + ": is a folder, not a trace");
  errno = 0;
  auto file = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*file) return failure(fmt::format("{}: {}", path, errno == 0 ? "cannot be opened" : std::strerror(errno)));
  return std::unique_ptr<Lines>(new Lines(std::move(file), path));
}

Result<bool> Lines::refill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kLongestLine) {
    return failure_at({file_, number_ + 1, 0}, {}, fmt::format("a line of more than {} MiB", kLongestLine >> 20U),
                      "a trace has a work on each line");
  }
  if (buffer_.size() < end_ + kReadAtOnce) buffer_.resize(end_ + kReadAtOnce);
  const auto count = bytes_.read({buffer_.data() + end_, buffer_.size() - end_});
  if (!count) return failure(fmt::format("{}: {}", *file_, count.error().message));
  end_ += *count;
  return *count > 0;
}

std::string_view Lines::taken(std::size_t end, std::size_t next_begin) {
  std::string_view line(buffer_.data() + begin_, end - begin_);
  begin_ = next_begin;
  if (++number_ == 1 && line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

Result<std::optional<std::string_view>> Lines::next() {
  if (std::exchange(is_peeked_, false)) {
    ++number_;
    return peeked_;
  }
  std::size_t searched = 0;  // bytes of the line that are known to hold no end
  while (true) {
    const char* begin = buffer_.data() + begin_ + searched;
    const void* found = std::memchr(begin, '\n', end_ - begin_ - searched);
    if (found != nullptr) {
      const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      return taken(end, end + 1);
    }
    searched = end_ - begin_;
    const auto is_more = refill();
    if (!is_more) return tl::unexpected(is_more.error());
    if (*is_more) continue;
    if (begin_ == end_) return std::nullopt;
    return taken(end_, end_);
  }
}

Result<std::optional<std::string_view>> Lines::peek() {
  if (is_peeked_) return peeked_;
  auto line = next();
  if (line && *line) {
    peeked_ = **line;
    is_peeked_ = true;
    --number_;
  }
  return line;
}

}  // namespace loadline::trace
