#include "command/up.h"

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill() is POSIX's
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace loadline::command {
namespace {

namespace fs = std::filesystem;

/// How often a condition is looked at, and how often at most.
constexpr auto kPause = std::chrono::milliseconds(50);
constexpr int kTries = 600;

}  // namespace

pid_t launch(std::vector<std::string> words, const std::string& log_file) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const pid_t process = fork();
  if (process != 0) return process;
  const int log = open(log_file.c_str(), O_CREAT | O_WRONLY | O_TRUNC, 0600);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  execv(arguments[0], arguments.data());
  _exit(127);
}

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "loadline-up-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

std::string Folder::with(const std::string& name, const std::string& text) const {
  write(path_ / name, text);
  return file(name);
}

UpProcess::UpProcess(const std::string& program, const Folder& folder, const std::string& name,
                     const std::vector<std::string>& more)
    : log_(folder.file(name + ".log")), kubeconfig_(folder.file(name + ".kubeconfig")) {
  std::vector<std::string> words = {program, "up", "--port", "0", "--kubeconfig", kubeconfig_};
  if (std::ranges::find(more, "--data-dir") == more.end()) words.emplace_back("--in-memory");
  words.insert(words.end(), more.begin(), more.end());
  process_ = launch(std::move(words), log_);
}

std::string UpProcess::says(const std::string& text) {
  for (int tries = 0; tries < kTries; ++tries) {
    std::string log = read(log_);
    if (log.find(text) != std::string::npos || !is_alive()) return read(log_);
    std::this_thread::sleep_for(kPause);
  }
  return read(log_);
}

int UpProcess::end() {
  if (process_ <= 0) return status_;
  kill(process_, SIGINT);
  int status = 0;
  waitpid(process_, &status, 0);
  process_ = 0;
  return status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int UpProcess::ends_by_itself() {
  for (int tries = 0; tries < kTries && is_alive(); ++tries) std::this_thread::sleep_for(kPause);
  return process_ > 0 ? -1 : status_;
}

Ending UpProcess::run(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--kubeconfig", kubeconfig_});
  return command::run(arguments);
}

bool UpProcess::is_alive() {
  int status = 0;
  if (process_ <= 0 || waitpid(process_, &status, WNOHANG) == 0) return process_ > 0;
  process_ = 0;
  status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return false;
}

}  // namespace loadline::command
