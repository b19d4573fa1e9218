#include "app/cli/termination.h"

#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

namespace loadline::cli {
namespace {

sigset_t endings() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGUSR2);  // our own way to end the waiting
  return signals;
}

using Clock = std::chrono::steady_clock;

constexpr int kAgain = 130;  // the status of a process that Ctrl-C ended

int wait_for_one() {
  const sigset_t signals = endings();
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

/// Nothing: none came until then.
std::optional<int> wait_for_one_until(Clock::time_point end) {
  const sigset_t signals = endings();
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(end - Clock::now()).count();
    if (left <= 0) return std::nullopt;
    constexpr std::int64_t kSecond = 1'000'000'000;
    const timespec span{left / kSecond, left % kSecond};
    const int signal = sigtimedwait(&signals, nullptr, &span);
    if (signal > 0) return signal;
  }
}

/// The signal that asks again, after `first`; nothing: none came until then.
std::optional<int> wait_for_another(int first, Clock::time_point end) {
  constexpr std::chrono::seconds kSameWish(1);
  const auto asked_at = Clock::now();
  const std::optional<int> next = wait_for_one_until(end);
  const bool is_same_wish = next && *next != SIGUSR2 && *next != first && Clock::now() - asked_at < kSameWish;
  return is_same_wish ? wait_for_one_until(end) : next;
}

/// Not through the program's streams: another thread may be stuck within them.
void say(std::string_view words) {
  const ssize_t written = write(STDERR_FILENO, words.data(), words.size());
  static_cast<void>(written);
}

}  // namespace

Termination::Termination() {
  const sigset_t signals = endings();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void Termination::when_asked(std::function<void()> asked) {
  thread_ = std::thread([this, asked = std::move(asked)] {
    const int first = wait_for_one();
    if (first == SIGUSR2) return;
    const Clock::time_point end = Clock::now() + kLongestEnd;
    asked();
    const std::optional<int> next = wait_for_another(first, end);
    if (next == SIGUSR2) return;
    if (!next) say("warning: it did not come to its end within 15 s, and was ended; what was answered is kept\n");
    end_now(kAgain);
  });
}

void Termination::end_now(int status) {
  const std::unique_lock ended(work_, kLongestWork);
  std::_Exit(status);
}

void Termination::finish_first(const std::function<void()>& work) {
  const std::lock_guard held(work_);
  work();
}

Termination::~Termination() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

}  // namespace loadline::cli
