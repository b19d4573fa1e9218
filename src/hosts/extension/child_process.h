#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "hosts/extension/channel.h"

namespace loadline::extension {

/// Another process of this same program, which it starts under another name, with a socket between them. Killed, if it
/// still lives, and waited for when this goes away.
class ChildProcess {
 public:
  /// Where the child finds its end of the socket. Its standard input is empty, and its standard output is our standard
  /// error, so that it cannot spoil what we write.
  static constexpr int kSocket = 3;

  /// Starts this program anew, by fork and exec, not fork alone: a fork of a program with threads may only exec, and
  /// shares the memory of whatever it holds. `arguments` begin with the name it shall go by. The thread that starts it
  /// must outlive it. Errors: the system has no room for another process, or no /proc.
  static Result<ChildProcess> start(const std::vector<std::string>& arguments);
  ~ChildProcess() { end(std::chrono::milliseconds(0)); }
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  [[nodiscard]] Channel& channel() { return channel_; }

  /// Gives the child so long to come to its end by itself, then kills it. How it ended: "crashed with signal 11
  /// (Segmentation fault)", "exited with status 3"; "hung up and was killed" if it had to be.
  std::string end(std::chrono::milliseconds patience);

 private:
  ChildProcess(pid_t process, Channel channel) : process_(process), channel_(std::move(channel)) {}

  pid_t process_ = -1;  // -1: ended
  Channel channel_;
};

}  // namespace loadline::extension
