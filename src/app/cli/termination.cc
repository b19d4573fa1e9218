#include "app/cli/termination.h"

#include <pthread.h>

#include <csignal>
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

}  // namespace

Termination::Termination() {
  const sigset_t signals = endings();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
}

void Termination::when_asked(std::function<void()> asked) {
  thread_ = std::thread([asked = std::move(asked)] {
    if (wait_for_one() == SIGUSR2) return;
    asked();
    if (wait_for_one() != SIGUSR2) std::_Exit(130);
  });
}

Termination::~Termination() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR2);
  thread_.join();
}

}  // namespace loadline::cli
