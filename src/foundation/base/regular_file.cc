#include "foundation/base/regular_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <system_error>

namespace loadline {
namespace {

/// An open file.
class Descriptor {
 public:
  explicit Descriptor(const std::string& path)
      : value_(open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  [[nodiscard]] int value() const { return value_; }

 private:
  int value_;
};

tl::unexpected<Error> system_failure(const char* what, const std::string& path) {
  return failure(fmt::format("{} {}: {}", what, path, std::generic_category().message(errno)));
}

}  // namespace

Result<std::string> read_regular_file(const std::string& path, std::uint64_t most_bytes) {
  const Descriptor file(path);
  if (file.value() < 0) return system_failure("open", path);
  struct stat about{};
  if (fstat(file.value(), &about) != 0) return system_failure("stat", path);
  if (!S_ISREG(about.st_mode)) return failure(fmt::format("open {}: is no regular file", path));
  const std::string too_large = fmt::format("read {}: is larger than {} bytes", path, most_bytes);
  if (static_cast<std::uint64_t>(about.st_size) > most_bytes) return failure(too_large);
  // It may grow meanwhile, and files of /proc say that they have no size.
  std::string bytes;
  std::array<char, std::size_t{64} << 10> block{};
  while (true) {
    const ssize_t count = read(file.value(), block.data(), block.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return system_failure("read", path);
    if (count == 0) return bytes;
    if (static_cast<std::uint64_t>(count) > most_bytes - bytes.size()) return failure(too_large);
    bytes.append(block.data(), static_cast<std::size_t>(count));
  }
}

}  // namespace loadline
