#include "hosts/extension/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

namespace loadline::extension {
namespace {

std::string system_error(const std::string& what, int error) { return what + ": " + std::strerror(error); }

/// posix_spawn's settings, which are freed in the end.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files_, STDERR_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, socket, ChildProcess::kSocket);
    posix_spawnattr_init(&attributes_);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes_, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &signals);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(pid_t& process, const char* program, char** arguments) const {
    return posix_spawn(&process, program, &files_, &attributes_, arguments, environ);
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

Result<ChildProcess> ChildProcess::start(const std::vector<std::string>& arguments) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
    return failure(system_error("cannot make a socket", errno));
  }
  Channel own(sockets[0]);
  const Channel other(sockets[1]);  // closed here; the child has its own
  std::vector<std::string> words = arguments;
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = -1;
  if (const int error = SpawnSettings(sockets[1]).spawn(process, "/proc/self/exe", pointers.data()); error != 0) {
    return failure(system_error("cannot start a process", error));
  }
  return ChildProcess(process, std::move(own));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : process_(std::exchange(other.process_, -1)), channel_(std::move(other.channel_)) {}

std::string ChildProcess::end(std::chrono::milliseconds patience) {
  if (process_ < 0) return "has ended";
  channel_.close();  // which tells the child to come to its end
  const Deadline deadline = std::chrono::steady_clock::now() + patience;
  int status = 0;
  pid_t ended = waitpid(process_, &status, WNOHANG);
  while (ended == 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = waitpid(process_, &status, WNOHANG);
  }
  const bool killed = ended == 0;
  if (killed) {
    kill(process_, SIGKILL);
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  if (killed) return "hung up and was killed";
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    return "crashed with signal " + std::to_string(signal) + " (" + strsignal(signal) + ')';
  }
  return "exited with status " + std::to_string(WEXITSTATUS(status));
}

}  // namespace loadline::extension
