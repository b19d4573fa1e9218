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
#include <filesystem>
#include <string_view>
#include <system_error>

namespace loadline::store {
namespace {

constexpr std::string_view kLogFile = "log.sqlite";

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

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

/// Whether the folder is a store's and nothing else: /tmp must not become its owner's alone.
bool holds_nothing_else(const std::string& path) {
  std::error_code error;
  std::filesystem::directory_iterator entry(path, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != "lock" && name != "pki" && !name.starts_with(kLogFile)) return false;
  }
  return !error;
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
  std::unique_ptr<DataDirectory> directory(new DataDirectory(lock, path, path + '/' + std::string(kLogFile)));
  if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return system_failure("lock", lock_path);
    const std::string pid = holder(lock);
    return failure(fmt::format("{} is in use by {}", path, pid.empty() ? "another process" : "pid " + pid));
  }
  static_cast<void>(fchmod(lock, 0600));  // it says a number, which is no secret
  if (Result<void> left = leave_pid(lock, lock_path); !left) return tl::unexpected(left.error());
  if (Result<void> sound = directory->check_log(); !sound) return tl::unexpected(sound.error());
  if (directory->has_log()) {
    if (Result<void> done = directory->make_all_private(); !done) return tl::unexpected(done.error());
  }
  return directory;
}

bool DataDirectory::has_log() const { return exists(log_path_); }

/// The log is made before anything else, so what stands beside it says that there was one.
Result<void> DataDirectory::check_log() const {
  struct stat log{};
  if (stat(log_path_.c_str(), &log) == 0) {
    if (S_ISREG(log.st_mode) && log.st_size == 0) return failure(fmt::format("{} is empty; {}", log_path_, kWayOut));
    return {};
  }
  if (errno != ENOENT) return system_failure("read", log_path_);
  for (const std::string& beside : {path_ + "/pki", log_path_ + "-wal", log_path_ + "-shm"}) {
    if (exists(beside))
      return failure(fmt::format("{} is missing, though {} is there; {}", log_path_, beside, kWayOut));
  }
  return {};
}

/// Whatever made them wider, as copying them elsewhere does.
Result<void> DataDirectory::make_all_private() const {
  if (holds_nothing_else(path_) && chmod(path_.c_str(), 0700) != 0) {
    return system_failure("change the permissions of", path_);
  }
  for (const std::string_view suffix : {"", "-wal", "-shm"}) {
    const std::string path = log_path_ + std::string(suffix);
    if (!exists(path)) continue;
    if (Result<void> done = make_private(path, 0); !done) return done;
  }
  return {};
}

Result<void> DataDirectory::make_log(const std::function<Result<void>(const std::string& path)>& make) {
  const std::string unfinished = log_path_ + ".new";
  if (Result<void> done = make_private(unfinished, O_CREAT | O_TRUNC); !done) return done;
  if (Result<void> done = make(unfinished); !done) return done;
  if (Result<void> done = sync(unfinished); !done) return done;
  if (rename(unfinished.c_str(), log_path_.c_str()) != 0) return system_failure("make", log_path_);
  if (Result<void> done = make_all_private(); !done) return done;
  return sync(path_);
}

DataDirectory::~DataDirectory() { close(lock_); }

}  // namespace loadline::store
