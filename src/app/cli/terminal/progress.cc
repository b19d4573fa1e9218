#include "app/cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ostream>
#include <string_view>

#include "app/cli/terminal/bar.h"

namespace loadline::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kCells = 30;
constexpr std::size_t kFewestCells = 4;
constexpr std::size_t kCounts = 24;  // columns for " 12,345/20,000" and blanks
constexpr std::string_view kErase = "\r\x1b[K";

/// Ctrl-C ends the program at once, as if there were no bar; the shell's prompt then stands on a clean line.
extern "C" void erase_and_end(int signal) {
  // Whether it can be written or not, this is the end.
  if (::write(STDERR_FILENO, kErase.data(), kErase.size()) < 0) _exit(128 + signal);
  ::raise(signal);  // whose default action is back: SA_RESETHAND
}

/// A program that was told to ignore a signal (nohup) goes on ignoring it.
void on_interruption(void (*handler)(int), void (*instead_of)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action{};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler != instead_of) continue;
    action.sa_handler = handler;
    action.sa_flags = handler == SIG_DFL ? 0 : static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Progress::Progress(std::ostream& out, const Terminal& terminal, std::string label)
    : out_(out), terminal_(terminal), label_(std::move(label)), next_drawing_(Clock::now() + kPatience) {}

Progress::~Progress() { finish(); }

void Progress::update(std::size_t done, std::size_t total) {
  if (!terminal_.interactive || total == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_drawing_) return;
  next_drawing_ = now + kInterval;
  if (!drawn_) on_interruption(erase_and_end, SIG_DFL);
  drawn_ = true;
  const auto percent = static_cast<int>(std::min(done, total) * 100 / total);
  const std::size_t room = terminal_.width - std::min(terminal_.width, label_.size() + kCounts);
  const Line shape = bar(percent, std::clamp(room, kFewestCells, kCells), terminal_.letters);
  // The bar measures work, not load: no warning colours.
  out_ << fmt::format("\r{} {} {}/{}\x1b[K", label_, shape.plain(), done, total) << std::flush;
}

void Progress::finish() {
  if (!drawn_) return;
  out_ << kErase << std::flush;
  drawn_ = false;
  on_interruption(SIG_DFL, erase_and_end);
}

}  // namespace loadline::cli
