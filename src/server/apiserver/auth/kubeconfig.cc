#include "server/apiserver/auth/kubeconfig.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
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

/// Beside the file while a process changes it; kubectl and kind keep to the same custom.
class Lock {
 public:
  static Result<Lock> take(const fs::path& path) {
    fs::path lock = path;
    lock += ".lock";
    const int descriptor = ::open(lock.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0);
    if (descriptor < 0) {
      if (errno == EEXIST) {
        return failure(lock.string() + " exists: another program is writing the kubeconfig, or died while it did");
      }
      return system_failure("cannot create", lock);
    }
    ::close(descriptor);
    return Lock(std::move(lock));
  }
  Lock(Lock&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Lock& operator=(Lock&&) = delete;
  ~Lock() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
  }

 private:
  explicit Lock(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
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

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
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
