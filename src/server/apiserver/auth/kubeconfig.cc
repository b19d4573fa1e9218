#include "server/apiserver/auth/kubeconfig.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "foundation/base/base64.h"
#include "foundation/document/reader.h"
#include "foundation/document/value.h"
#include "foundation/document/writer.h"
#include "server/apiserver/auth/policy_rule.h"
#include "server/net/crypto.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;
namespace fs = std::filesystem;

constexpr mode_t kOwnerOnly = 0600;
constexpr std::array<const char*, 3> kSections = {"clusters", "contexts", "users"};

tl::unexpected<Error> system_failure(const std::string& what, const fs::path& path) {
  return failure(what + " " + path.string() + ": " + std::strerror(errno));
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Beside the file while a process changes it; kubectl and kind keep to the same custom, and create it to hold it.
///
/// Ours says whose it is, and its process has an flock on it, which ends with the process however that ends. So where
/// no process has one, the lock was left behind, and is taken over in place. kubectl's and kind's say nothing, and have
/// no permissions: these write one file while they hold it, and are taken to have died if that lasts for kAbandoned.
class Lock {
 public:
  static Result<Lock> take(const fs::path& path) {
    fs::path lock = path;
    lock += ".lock";
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    for (;;) {
      if (const int made = ::open(lock.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kOwnerOnly); made >= 0) {
        // Another process may look at it right now, to find that no process has it yet.
        ::flock(made, LOCK_EX);
        if (is_at(made, lock)) return Lock(std::move(lock), made);
        ::close(made);
        continue;
      }
      if (errno != EEXIST) return system_failure("cannot create", lock);
      if (const int found = take_over(lock); found >= 0) return Lock(std::move(lock), found);
      if (std::chrono::steady_clock::now() >= deadline) return failure(held_text(lock));
      std::this_thread::sleep_for(kPause);
    }
  }
  Lock(Lock&& other) noexcept
      : path_(std::exchange(other.path_, {})), descriptor_(std::exchange(other.descriptor_, -1)) {}
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    std::error_code ignored;
    if (descriptor_ < 0) return;
    fs::remove(path_, ignored);  // while it is held still
    ::close(descriptor_);
  }

 private:
  static constexpr std::chrono::milliseconds kPatience{500};
  static constexpr std::chrono::milliseconds kPause{10};
  static constexpr time_t kAbandoned = 60;
  static constexpr std::string_view kOurs = "loadline, process ";

  Lock(fs::path path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {
    const std::string text = std::string(kOurs) + std::to_string(::getpid()) + '\n';
    static_cast<void>(::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0 &&
                      write_all(descriptor_, text));
  }

  /// The lock that is there, if no process holds it any more; else -1.
  static int take_over(const fs::path& lock) {
    const bool is_old = is_abandoned(lock);
    // kubectl's cannot even be read.
    if (is_old) ::chmod(lock.c_str(), kOwnerOnly);
    const int descriptor = ::open(lock.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0) return -1;
    const bool is_free = ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_at(descriptor, lock);
    if (is_free && (is_old || is_ours(descriptor))) return descriptor;
    ::close(descriptor);
    return -1;
  }

  static bool is_abandoned(const fs::path& lock) {
    struct stat info = {};
    return ::lstat(lock.c_str(), &info) == 0 && S_ISREG(info.st_mode) && ::time(nullptr) - info.st_mtime >= kAbandoned;
  }

  /// Whether the path still leads to this file, and not to a later one.
  static bool is_at(int descriptor, const fs::path& path) {
    struct stat held = {};
    struct stat there = {};
    return ::fstat(descriptor, &held) == 0 && ::lstat(path.c_str(), &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
  }

  /// An empty one, too, that is as ours are made: its process ended, or is about to find that it comes too late.
  static bool is_ours(int descriptor) {
    std::array<char, kOurs.size()> text{};
    const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
    if (size > 0) return std::string_view(text.data(), static_cast<std::size_t>(size)) == kOurs;
    struct stat info = {};
    return ::fstat(descriptor, &info) == 0 && (info.st_mode & 0777U) == kOwnerOnly;
  }

  static std::string held_text(const fs::path& lock) {
    std::ifstream stream(lock);
    std::string holder;
    if (std::getline(stream, holder) && holder.starts_with(kOurs)) {
      return lock.string() + " exists: " + holder + ", is writing the kubeconfig";
    }
    return lock.string() +
           " exists: another program is writing the kubeconfig, or died while it did; remove it if none is, or wait: "
           "once it is a minute old, it counts as left behind";
  }

  fs::path path_;
  int descriptor_ = -1;
};

Value empty_kubeconfig() {
  return Value(Object{{"apiVersion", Value("v1"), {}},
                      {"kind", Value("Config"), {}},
                      {"preferences", Value(Object()), {}},
                      {"clusters", Value(Array()), {}},
                      {"contexts", Value(Array()), {}},
                      {"users", Value(Array()), {}},
                      {"current-context", Value(""), {}}});
}

/// What the file says; nothing if there is none, or it is empty.
Result<std::optional<Value>> read_kubeconfig(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return std::nullopt;
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return system_failure("cannot read", path);
  const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  const document::Reading reading = document::read(text, path.string());
  for (const Diagnostic& problem : reading.problems) {
    if (problem.severity == Severity::kError) return failure("not a kubeconfig: " + problem.to_string());
  }
  if (reading.documents.empty()) return std::nullopt;
  const Value& config = reading.documents.front();
  bool is_kubeconfig = reading.documents.size() == 1 && config.is_object();
  for (const char* section : kSections) {
    const Value* list = config.find(section);
    is_kubeconfig = is_kubeconfig && (list == nullptr || list->is_null() || list->is_array());
  }
  if (!is_kubeconfig) return failure("not a kubeconfig: " + path.string());
  return config;
}

Array without_entry(const Value& config, const char* section, const std::string& name) {
  Array kept;
  const Value* list = config.find(section);
  if (list == nullptr || !list->is_array()) return kept;
  for (const Value& each : list->array()) {
    if (text_of(each, "name") != name) kept.push_back(each);
  }
  return kept;
}

/// The list with the entry in the place of its namesake, or at the end.
Value with_entry(const Value& config, const char* section, const std::string& name, const Value& entry) {
  Array list;
  bool is_placed = false;
  const Value* present = config.find(section);
  if (present != nullptr && present->is_array()) list = present->array();
  for (Value& each : list) {
    if (text_of(each, "name") != name) continue;
    each = entry;
    is_placed = true;
  }
  if (!is_placed) list.push_back(entry);
  return Value(std::move(list));
}

Value cluster_document(const KubeconfigEntry& entry) {
  Object cluster;
  if (!entry.ca_pem.empty()) {
    cluster.push_back({"certificate-authority-data", Value(encode_base64(entry.ca_pem)), {}});
  }
  cluster.push_back({"server", Value(entry.server), {}});
  return Value(Object{{"cluster", Value(std::move(cluster)), {}}, {"name", Value(entry.name), {}}});
}

Value user_document(const KubeconfigEntry& entry) {
  Object user;
  if (!entry.client_certificate_pem.empty()) {
    user.push_back({"client-certificate-data", Value(encode_base64(entry.client_certificate_pem)), {}});
    user.push_back({"client-key-data", Value(encode_base64(entry.client_key_pem)), {}});
  }
  if (!entry.token.empty()) user.push_back({"token", Value(entry.token), {}});
  return Value(Object{{"name", Value(entry.name), {}}, {"user", Value(std::move(user)), {}}});
}

Value context_document(const KubeconfigEntry& entry) {
  const Value context(Object{{"cluster", Value(entry.name), {}}, {"user", Value(entry.name), {}}});
  return Value(Object{{"context", context, {}}, {"name", Value(entry.name), {}}});
}

/// Writes beside the file and renames: readers see the old text or the new one.
Result<void> replace_file(const fs::path& path, const std::string& text) {
  fs::path draft = path;
  draft += "." + net::random_token().substr(0, 8) + ".tmp";
  const int descriptor = ::open(draft.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kOwnerOnly);
  if (descriptor < 0) return system_failure("cannot create", draft);
  const bool is_written = write_all(descriptor, text) && ::fsync(descriptor) == 0;
  const int why = errno;
  ::close(descriptor);
  if (is_written && ::rename(draft.c_str(), path.c_str()) == 0) return {};
  if (!is_written) errno = why;
  auto failed = system_failure("cannot write", path);
  ::unlink(draft.c_str());
  return failed;
}

/// Where the file is that the path leads to: a link stays a link.
fs::path target_of(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::weakly_canonical(path, error);
  return error ? path : target;
}

bool is_blank(const Value& value) {
  return value.is_null() || (value.is_string() && value.string().empty()) ||
         (value.is_array() && value.array().empty()) || (value.is_object() && value.object().empty());
}

/// Whether nothing is left that a user could miss.
bool is_empty(const Value& config) {
  return std::all_of(config.object().begin(), config.object().end(), [](const document::Member& member) {
    return member.key == "apiVersion" || member.key == "kind" || is_blank(member.value);
  });
}

}  // namespace

Result<void> write_kubeconfig(const fs::path& path, const KubeconfigEntry& entry) {
  const fs::path target = target_of(path);
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  if (error) return failure("cannot create " + target.parent_path().string() + ": " + error.message());
  const Result<Lock> lock = Lock::take(target);
  if (!lock.has_value()) return tl::unexpected(lock.error());
  const Result<std::optional<Value>> present = read_kubeconfig(target);
  if (!present.has_value()) return tl::unexpected(present.error());
  Value config = present->value_or(empty_kubeconfig());
  config = config.with("clusters", with_entry(config, "clusters", entry.name, cluster_document(entry)))
               .with("contexts", with_entry(config, "contexts", entry.name, context_document(entry)))
               .with("users", with_entry(config, "users", entry.name, user_document(entry)))
               .with("current-context", Value(entry.name));
  return replace_file(target, document::write_yaml(config));
}

Result<void> remove_kubeconfig(const fs::path& path, const std::string& name) {
  const fs::path target = target_of(path);
  std::error_code error;
  if (!fs::exists(target, error)) return {};
  const Result<Lock> lock = Lock::take(target);
  if (!lock.has_value()) return tl::unexpected(lock.error());
  const Result<std::optional<Value>> present = read_kubeconfig(target);
  if (!present.has_value()) return tl::unexpected(present.error());
  if (!present->has_value()) return {};
  Value config = **present;
  for (const char* section : kSections) config = config.with(section, Value(without_entry(config, section, name)));
  if (text_of(config, "current-context") == name) config = config.with("current-context", Value(""));
  if (config == **present) return {};
  if (!is_empty(config)) return replace_file(target, document::write_yaml(config));
  if (::unlink(target.c_str()) != 0) return system_failure("cannot remove", target);
  return {};
}

}  // namespace loadline::apiserver
