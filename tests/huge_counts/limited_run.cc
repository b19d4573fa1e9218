#include "huge_counts/limited_run.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "command/up.h"

namespace loadline::huge_counts {
namespace {

using Clock = std::chrono::steady_clock;

constexpr rlim_t kMemory = 2'000'000'000;
constexpr auto kPatience = std::chrono::seconds(60);

void write_to(int descriptor, const std::string& file) {
  const int opened = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (opened >= 0) ::dup2(opened, descriptor);
}

[[noreturn]] void become(const std::vector<std::string>& words, const std::string& out, const std::string& err) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  write_to(STDOUT_FILENO, out);
  write_to(STDERR_FILENO, err);
  const rlimit no_core{0, 0};
  const rlimit memory{kMemory, kMemory};
  ::setrlimit(RLIMIT_CORE, &no_core);
  if (::setrlimit(RLIMIT_AS, &memory) == 0) ::execv(arguments.front(), arguments.data());
  ::_exit(127);
}

}  // namespace

LimitedRun run_limited(const std::vector<std::string>& words) {
  const command::Folder folder;
  const Clock::time_point began = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) become(words, folder.file("out"), folder.file("err"));
  int ended = 0;
  bool is_over = false;
  while (!is_over && Clock::now() - began < kPatience) {
    is_over = ::waitpid(child, &ended, WNOHANG) == child;
    if (!is_over) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  LimitedRun run;
  run.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  if (!is_over) {
    ::kill(child, SIGKILL);
    ::waitpid(child, &ended, 0);
  }
  run.out = command::read(folder.file("out"));
  run.err = command::read(folder.file("err"));
  if (WIFEXITED(ended)) run.status = WEXITSTATUS(ended);
  if (WIFSIGNALED(ended)) run.signal = WTERMSIG(ended);
  return run;
}

}  // namespace loadline::huge_counts
