#include "server/store/data_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace loadline::store {
namespace {

tl::unexpected<Error> system_failure(const std::string& doing, const std::string& path) {
  return failure(fmt::format("cannot {} {}: {}", doing, path, std::strerror(errno)));
}

/// The number that the holder of the lock left in it; empty if it has not got to that.
std::string holder(int lock) {
  std::array<char, 32> text{};
  const ssize_t size = pread(lock, text.data(), text.size(), 0);
  std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  if (const std::size_t end = pid.find_first_not_of("0123456789"); end != std::string::npos) pid.resize(end);
  return pid;
}

Result<void> leave_pid(int lock, const std::string& path) {
  const std::string pid = fmt::format("{}\n", getpid());
  if (ftruncate(lock, 0) != 0 || pwrite(lock, pid.data(), pid.size(), 0) < 0) return system_failure("write", path);
  return {};
}

/// SQLite gives the files beside the log the permissions of the log.
Result<void> make_private(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0600);
  if (file < 0) return system_failure("open", path);
  const bool is_private = fchmod(file, 0600) == 0;
  close(file);
  if (!is_private) return system_failure("change the permissions of", path);
  return {};
}

Result<void> sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return system_failure("open", path);
  const bool is_synced = fsync(file) == 0;
  close(file);
  if (!is_synced) return system_failure("sync", path);
  return {};
}

}  // namespace

Result<std::unique_ptr<DataDirectory>> DataDirectory::open(const std::string& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return system_failure("make the data directory", path);
  const std::string lock_path = path + "/lock";
  const int lock = ::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return system_failure("open", lock_path);
  std::unique_ptr<DataDirectory> directory(new DataDirectory(lock, path));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure("lock", lock_path);
    const std::string pid = holder(lock);
    return failure(fmt::format("{} is in use by {}", path, pid.empty() ? "another process" : "pid " + pid));
  }
  if (Result<void> left = leave_pid(lock, lock_path); !left) return tl::unexpected(left.error());
  if (directory->has_log()) {
    if (Result<void> done = make_private(directory->log_path(), 0); !done) return tl::unexpected(done.error());
  }
  return directory;
}

bool DataDirectory::has_log() const { return access(log_path_.c_str(), F_OK) == 0; }

Result<void> DataDirectory::make_log(const std::function<Result<void>(const std::string& path)>& make) {
  const std::string unfinished = log_path_ + ".new";
  if (Result<void> done = make_private(unfinished, O_CREAT | O_TRUNC); !done) return done;
  if (Result<void> done = make(unfinished); !done) return done;
  if (Result<void> done = sync(unfinished); !done) return done;
  if (rename(unfinished.c_str(), log_path_.c_str()) != 0) return system_failure("make", log_path_);
  return sync(path_);
}

DataDirectory::~DataDirectory() { close(lock_); }

}  // namespace loadline::store
