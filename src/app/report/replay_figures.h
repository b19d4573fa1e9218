#pragma once

#include <span>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "hosts/replay/summary.h"

namespace loadline::report {

enum class FigureUnit { kSeconds, kShare, kCount, kHours, kRatio };

/// One figure of a replay, as tables, documents and pages of sweeps compare it.
struct ReplayFigure {
  std::string_view key;    ///< in machine formats: "waitingP99Seconds"
  std::string_view title;  ///< "waiting, 99th percentile"
  FigureUnit unit;
  double (*of)(const replay::Summary&);
  bool is_key = false;  ///< shown where there is room for a few only
};

/// All of them, in the order in which they are shown.
std::span<const ReplayFigure> replay_figures();

/// A value for a reader: "3h12m", "87.4 %", "1,204".
std::string figure_text(FigureUnit unit, double value);

/// The same for a page's charts (page.h).
std::string_view chart_unit(FigureUnit unit);

/// "45s", "12m5s", "3h12m", "5d4h": two places, the second one only if it is not zero.
std::string long_span_text(double seconds);

}  // namespace loadline::report
