#include "cli/terminal/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/terminal/bar.h"

namespace loadline::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{300};
constexpr std::chrono::milliseconds kInterval{100};
constexpr std::size_t kCells = 30;

}  // namespace

Progress::Progress(std::ostream& out, const Terminal& terminal, std::string label)
    : out_(out), terminal_(terminal), label_(std::move(label)), next_drawing_(Clock::now() + kPatience) {}

Progress::~Progress() { finish(); }

void Progress::update(std::size_t done, std::size_t total) {
  if (!terminal_.interactive || total == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_drawing_) return;
  next_drawing_ = now + kInterval;
  drawn_ = true;
  const auto percent = static_cast<int>(std::min(done, total) * 100 / total);
  const Line shape = bar(percent, kCells, terminal_.letters);
  // The bar measures work, not load: no warning colours.
  out_ << fmt::format("\r{} {} {}/{}\x1b[K", label_, shape.plain(), done, total) << std::flush;
}

void Progress::finish() {
  if (drawn_) out_ << "\r\x1b[K" << std::flush;
  drawn_ = false;
}

}  // namespace loadline::cli
