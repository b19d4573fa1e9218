#include "app/cli/terminal/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <ostream>
#include <string>
#include <string_view>

#include "app/cli/terminal/bar.h"
#include "app/cli/terminal/text.h"
#include "app/cli/terminal/visible_stream.h"

namespace loadline::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kCells = 30;
constexpr std::size_t kFewestCells = 4;
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

/// "planning ▇▇▇▁▁▁ 12/20", with as long a bar as there is room for; without the bar, or the label, where they have
/// none; empty where not even the counts have. The last column stays free, for there a terminal may break the line.
std::string drawing(const std::string& label, std::size_t done, std::size_t total, const Terminal& terminal) {
  const std::size_t room = terminal.width - std::min<std::size_t>(terminal.width, 1);
  const std::string counts = fmt::format("{}/{}", done, total);
  const std::size_t counts_width = 2 * std::to_string(total).size() + 1;  // as long at the end as now
  const std::size_t taken = display_width(label) + 1 + counts_width;
  if (taken + 1 + kFewestCells <= room) {
    const auto percent = static_cast<int>(std::min(done, total) * 100 / total);
    // The bar measures work, not load: no warning colours.
    const std::string shape = bar(percent, std::min(kCells, room - taken - 1), terminal.letters).plain();
    return fmt::format("{} {} {}", label, shape, counts);
  }
  if (taken <= room) return fmt::format("{} {}", label, counts);
  return counts_width <= room ? counts : "";
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
  const std::string text = drawing(label_, done, total, terminal_);
  if (text.empty()) return;
  if (!drawn_) on_interruption(erase_and_end, SIG_DFL);
  drawn_ = true;
  write_as_it_is(out_, "\r");
  out_ << text;
  write_as_it_is(out_, "\x1b[K");
  out_ << std::flush;
}

void Progress::finish() {
  if (!drawn_) return;
  write_as_it_is(out_, kErase);
  out_ << std::flush;
  drawn_ = false;
  on_interruption(SIG_DFL, erase_and_end);
}

}  // namespace loadline::cli
