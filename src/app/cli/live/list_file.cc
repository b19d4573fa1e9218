#include "app/cli/live/list_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "foundation/document/gzip.h"
#include "foundation/document/writer.h"
#include "objects/kube/whole_cluster.h"

namespace loadline::cli {
namespace {

using document::Array;
using document::Object;
using document::Value;
namespace fs = std::filesystem;

constexpr std::size_t kPart = std::size_t{4} << 20;  // of the text: a gzip member each

// ---- the file that a signal takes away -----------------------------------------------------------------------------

constexpr std::array kEndings = {SIGINT, SIGTERM, SIGHUP};

/// The name of the unfinished file, for the handler of signals; null: there is none.
std::atomic<const char*> unfinished = nullptr;

extern "C" void remove_and_end(int signal) {
  if (const char* name = unfinished.exchange(nullptr)) ::unlink(name);
  constexpr std::string_view kErase = "\r\x1b[K";  // a line of progress
  if (::isatty(STDERR_FILENO) == 1 && ::write(STDERR_FILENO, kErase.data(), kErase.size()) < 0) _exit(128 + signal);
  ::signal(signal, SIG_DFL);
  ::raise(signal);  // which ends the process when this function has ended: until then it is held back
}

sigset_t all_endings() {
  sigset_t endings;
  sigemptyset(&endings);
  for (const int signal : kEndings) sigaddset(&endings, signal);
  return endings;
}

/// A program that was told to ignore a signal (nohup) goes on ignoring it.
void on_endings(void (*handler)(int), void (*instead_of)(int)) {
  for (const int signal : kEndings) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != instead_of) continue;
    action.sa_handler = handler;
    action.sa_flags = 0;
    action.sa_mask = all_endings();  // a second one does not end the process before the file is gone
    sigaction(signal, &action, nullptr);
  }
}

bool is_special(const std::string& path) {
  struct stat found{};
  return ::stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode);
}

/// Holds back the signals that end the process.
class Undisturbed {
 public:
  Undisturbed() {
    const sigset_t endings = all_endings();
    pthread_sigmask(SIG_BLOCK, &endings, &before_);
  }
  Undisturbed(const Undisturbed&) = delete;
  Undisturbed& operator=(const Undisturbed&) = delete;
  ~Undisturbed() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_{};
};

}  // namespace

// ---- the text ------------------------------------------------------------------------------------------------------

ListWriter::ListWriter(std::string_view file_name, Sink sink)
    : sink_(std::move(sink)),
      is_json_(file_name.ends_with(".json") || file_name.ends_with(".json.gz")),
      is_compressed_(file_name.ends_with(".gz")),
      text_(is_json_ ? R"({"apiVersion":"v1","kind":"List","items":[)" : "apiVersion: v1\nkind: List\nitems:") {}

Result<void> ListWriter::add(const Value& object) {
  if (is_json_) {
    text_ += is_empty_ ? "\n" : ",\n";
    document::append_json(text_, object);
  } else {
    if (is_empty_) text_ += '\n';
    text_ += document::write_yaml(Value(Array{object}));
  }
  is_empty_ = false;
  return text_.size() < kPart ? Result<void>{} : hand_over();
}

Result<void> ListWriter::end(bool is_whole_cluster) {
  Object metadata;
  if (is_whole_cluster) {
    metadata.push_back({"annotations", Value(Object{{std::string(kube::kWholeCluster), Value("true"), {}}}), {}});
  }
  const Value rest(Object{{"metadata", Value(std::move(metadata)), {}}});
  if (is_json_) {
    const std::string members = document::write_json(rest);
    text_ += "\n]," + members.substr(1) + "\n";
  } else {
    if (is_empty_) text_ += " []\n";
    text_ += document::write_yaml(rest);
  }
  return hand_over();
}

Result<void> ListWriter::hand_over() {
  const std::string bytes = is_compressed_ ? document::compress_gzip(text_) : std::exchange(text_, {});
  text_.clear();
  bytes_ += bytes.size();
  return sink_(bytes);
}

// ---- the file ------------------------------------------------------------------------------------------------------

Result<void> WholeFile::open(const std::string& path) {
  path_ = path;
  if (is_special(path)) {
    descriptor_ = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return descriptor_ < 0 ? fail(errno) : Result<void>{};
  }
  std::error_code error;
  const fs::path target = fs::canonical(path, error);  // what a symbolic link leads to
  if (!error) path_ = target.string();
  std::string beside = path_ + ".XXXXXX";
  const Undisturbed until_it_is_known;
  descriptor_ = ::mkostemp(beside.data(), O_CLOEXEC);  // for its owner only
  if (descriptor_ < 0) return fail(errno);
  beside_ = std::move(beside);
  unfinished = beside_.c_str();
  on_endings(remove_and_end, SIG_DFL);
  return {};
}

WholeFile::~WholeFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (beside_.empty()) return;
  ::unlink(beside_.c_str());
  forget();
}

void WholeFile::forget() {
  unfinished = nullptr;
  on_endings(SIG_DFL, remove_and_end);
  beside_.clear();
}

Result<void> WholeFile::fail(int error) const {
  return failure(fmt::format("cannot write {}: {}", path_, std::generic_category().message(error)));
}

Result<void> WholeFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

Result<void> WholeFile::finish() {
  if (!beside_.empty() && ::fsync(descriptor_) != 0) return fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) return fail(errno);
  if (beside_.empty()) return {};
  if (::rename(beside_.c_str(), path_.c_str()) != 0) return fail(errno);
  forget();
  return {};
}

}  // namespace loadline::cli
