#include "app/cli/termination.h"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <mutex>
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

int wait_for_one() {
  const sigset_t signals = endings();
  int signal = 0;
  sigwait(&signals, &signal);
  return signal;
}

/// The signal that asks again, after `first`.
int wait_for_another(int first) {
  constexpr std::chrono::seconds kSameWish(1);
  const auto asked_at = std::chrono::steady_clock::now();
  const int next = wait_for_one();
  const bool is_same_wish = next != SIGUSR2 && next != first && std::chrono::steady_clock::now() - asked_at < kSameWish;
  return is_same_wish ? wait_for_one() : next;
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
    asked();
    if (wait_for_another(first) == SIGUSR2) return;
    const std::unique_lock ended(work_, kLongestWork);
    std::_Exit(130);
  });
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
