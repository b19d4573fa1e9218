#include "app/cli/view/time_strips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/terminal/sparkline.h"
#include "app/report/replay_figures.h"
#include "app/report/timeline_figures.h"

namespace loadline::cli {
namespace {

using report::Activity;
using report::Phase;

constexpr std::size_t kUnboundedCells = 40;
constexpr std::size_t kLeastCells = 16;
constexpr std::size_t kMostCells = 120;

Stretch stretch_of(const Phase& phase, bool is_last_of_failed) {
  switch (phase.activity) {
    case Activity::kWaiting:
      return Stretch::kWaiting;
    case Activity::kStarting:
      return Stretch::kStarting;
    case Activity::kRunning:
      return is_last_of_failed ? Stretch::kFailed : Stretch::kRunning;
  }
  return Stretch::kNothing;
}

/// A phase begins in the cell that it begins in if it has most of it, and has one cell at least.
std::vector<Stretch> cells_of(const std::vector<Phase>& phases, bool has_failed, Duration end, std::size_t count) {
  std::vector<Stretch> cells(count, Stretch::kNothing);
  if (end.nanoseconds <= 0) return cells;
  const auto edge = [&](Duration at) {
    const double part = static_cast<double>(at.nanoseconds) / static_cast<double>(end.nanoseconds);
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(count)));
  };
  for (const Phase& phase : phases) {
    const std::size_t from = std::min(edge(phase.from), count - 1);
    const std::size_t to = std::clamp(edge(phase.to), from, count);
    const Stretch stretch = stretch_of(phase, has_failed && &phase == &phases.back());
    for (std::size_t i = from; i < to; ++i) cells[i] = stretch;
    // So short a run still ran; so short a wait is nothing to see.
    if (to == from && stretch != Stretch::kWaiting) cells[from] = stretch;
  }
  return cells;
}

/// What the grid leaves of the page.
std::size_t room_beside(const Grid& grid, const Terminal& terminal) {
  if (!terminal.is_bounded()) return kUnboundedCells;
  std::size_t taken = 0;
  for (std::size_t i = 0; i < grid.columns.size(); ++i) {
    std::size_t width = grid.columns[i].header.size();
    for (const std::vector<Line>& row : grid.rows) width = std::max(width, row[i].width());
    taken += width + 2;
  }
  return std::clamp(terminal.width > taken ? terminal.width - taken : 0, kLeastCells, kMostCells);
}

/// "0 ------ 8h": as wide as the strips.
std::string scale_of(Duration end, std::size_t cells) {
  const std::string last = report::long_span_text(static_cast<double>(end.nanoseconds) / 1e9);
  return fmt::format("0{:>{}}", last, cells - 1);
}

}  // namespace

void add_time_strips(Grid& grid, const timeline::Timeline& timeline, const Terminal& terminal) {
  const std::size_t count = room_beside(grid, terminal);
  const std::vector<std::vector<Phase>> phases = report::phases_of(timeline);
  grid.columns.push_back({scale_of(timeline.end, count)});
  for (std::size_t i = 0; i < grid.rows.size(); ++i) {
    const bool has_failed = timeline.workloads[i].ending == timeline::Ending::kFailed;
    grid.rows[i].push_back(strip(cells_of(phases[i], has_failed, timeline.end, count), terminal.letters));
  }
}

Line strip_legend(const Terminal& terminal) {
  const auto letter = [&](Stretch stretch) { return strip({stretch}, terminal.letters); };
  Line line;
  line.append(letter(Stretch::kWaiting)).add(" waiting  ", Style::kDim);
  line.append(letter(Stretch::kStarting)).add(" running in part  ", Style::kDim);
  line.append(letter(Stretch::kRunning)).add(" running  ", Style::kDim);
  return line.append(letter(Stretch::kFailed)).add(" failed", Style::kDim);
}

}  // namespace loadline::cli
