#include "bench/subjects/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

namespace loadline::bench {

Result<Child> Child::start(const std::vector<std::string>& command, const std::filesystem::path& log) {
  const int output = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  if (output < 0) return failure(fmt::format("cannot write {}: {}", log.string(), std::strerror(errno)));
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    execvp(arguments.front(), arguments.data());
    _exit(127);
  }
  close(output);
  if (process < 0) return failure(fmt::format("cannot run {}: {}", command.front(), std::strerror(errno)));
  return Child(process);
}

void Child::kill() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

bool Child::wait() {
  int status = 0;
  waitpid(std::exchange(process_, -1), &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::optional<double> Child::resident_megabytes() const {
  std::ifstream status(fmt::format("/proc/{}/status", process_));
  constexpr double kKibibyte = 1024;
  for (std::string word; status >> word;) {
    double kibibytes = 0;
    if (word == "VmRSS:" && status >> kibibytes) return kibibytes * kKibibyte / 1e6;
  }
  return std::nullopt;
}

std::optional<double> Child::cpu_seconds() const {
  std::ifstream stat(fmt::format("/proc/{}/stat", process_));
  std::string line;
  if (!std::getline(stat, line)) return std::nullopt;
  // The name in parentheses may hold anything; what counts stands 12 and 13 words behind it.
  std::istringstream words(line.substr(line.rfind(')') + 1));
  std::string word;
  for (int skipped = 0; skipped < 11; ++skipped) words >> word;
  double user = 0;
  double system = 0;
  if (!(words >> user >> system)) return std::nullopt;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace loadline::bench
