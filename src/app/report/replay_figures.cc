#include "app/report/replay_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "foundation/base/text.h"

namespace loadline::report {
namespace {

double seconds(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

constexpr std::array kFigures = {
    ReplayFigure{"waitingMeanSeconds", "waiting, mean", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return s.all.waiting.mean; }, true},
    ReplayFigure{"waitingP50Seconds", "waiting, median", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return s.all.waiting.p50; }},
    ReplayFigure{"waitingP90Seconds", "waiting, 90th percentile", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return s.all.waiting.p90; }},
    ReplayFigure{"waitingP99Seconds", "waiting, 99th percentile", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return s.all.waiting.p99; }, true},
    ReplayFigure{"completionMeanSeconds", "completion, mean", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return s.all.completion.mean; }},
    ReplayFigure{"slowdownMean", "bounded slowdown, mean", FigureUnit::kRatio,
                 [](const replay::Summary& s) { return s.all.slowdown.mean; }},
    ReplayFigure{"makespanSeconds", "makespan", FigureUnit::kSeconds,
                 [](const replay::Summary& s) { return seconds(s.makespan); }, true},
    ReplayFigure{"gpusUsed", "GPUs used", FigureUnit::kShare, [](const replay::Summary& s) { return s.gpus_used; },
                 true},
    ReplayFigure{"cpuUsed", "CPU used", FigureUnit::kShare, [](const replay::Summary& s) { return s.cpu_used; }},
    ReplayFigure{"gpusAllocatedOnceFilled", "GPUs allocated once filled", FigureUnit::kShare,
                 [](const replay::Summary& s) {
                   return s.allocation.empty() || s.all.ended + s.all.deleted > 0 ? 0 : s.allocation.back().allocated;
                 }},
    ReplayFigure{"fragmentation", "fragmentation, mean", FigureUnit::kShare,
                 [](const replay::Summary& s) { return s.fragmentation; }},
    ReplayFigure{"pendingAtEnd", "works pending at the end", FigureUnit::kCount,
                 [](const replay::Summary& s) { return static_cast<double>(s.all.pending_at_end); }, true},
    ReplayFigure{"mostPendingWorks", "most works pending at a time", FigureUnit::kCount,
                 [](const replay::Summary& s) { return static_cast<double>(s.most_pending_works); }},
    ReplayFigure{"preemptions", "pods preempted", FigureUnit::kCount,
                 [](const replay::Summary& s) { return static_cast<double>(s.preemptions); }, true},
    ReplayFigure{"queueStops", "works stopped by their queues", FigureUnit::kCount,
                 [](const replay::Summary& s) {
                   double stops = 0;
                   for (const replay::QueueSummary& queue : s.queues) stops += static_cast<double>(queue.stopped);
                   return stops;
                 }},
    ReplayFigure{"plannedStarts", "planned starts", FigureUnit::kCount,
                 [](const replay::Summary& s) { return static_cast<double>(s.promises.settled); }},
    ReplayFigure{"plannedStartsKept", "planned starts kept", FigureUnit::kCount,
                 [](const replay::Summary& s) { return static_cast<double>(s.promises.kept); }},
    ReplayFigure{"gpuHours", "GPU-hours that served", FigureUnit::kHours,
                 [](const replay::Summary& s) { return s.gpu_hours; }},
    ReplayFigure{"gpuHoursLost", "GPU-hours lost", FigureUnit::kHours,
                 [](const replay::Summary& s) { return s.gpu_hours_lost; }, true},
};

}  // namespace

std::span<const ReplayFigure> replay_figures() { return kFigures; }

std::string long_span_text(double seconds) {
  struct Unit {
    std::int64_t size;
    char letter;
  };
  constexpr std::array kUnits = {Unit{86400, 'd'}, Unit{3600, 'h'}, Unit{60, 'm'}, Unit{1, 's'}};
  std::int64_t rest = std::llround(std::max(seconds, 0.0));
  for (std::size_t i = 0; i < kUnits.size(); ++i) {
    if (rest < kUnits[i].size && i + 1 < kUnits.size()) continue;
    std::string text = fmt::format("{}{}", rest / kUnits[i].size, kUnits[i].letter);
    rest %= kUnits[i].size;
    if (i + 1 == kUnits.size()) return text;
    const std::int64_t next = rest / kUnits[i + 1].size;
    return next == 0 ? text : text + fmt::format("{}{}", next, kUnits[i + 1].letter);
  }
  return "0s";
}

std::string figure_text(FigureUnit unit, double value) {
  switch (unit) {
    case FigureUnit::kSeconds:
      return long_span_text(value);
    case FigureUnit::kShare:
      return fmt::format("{:.2f} %", 100 * value);
    case FigureUnit::kCount:
      return grouped_digits(static_cast<std::size_t>(std::llround(std::max(value, 0.0))));
    case FigureUnit::kHours:
      return value < 100 ? fmt::format("{:.1f}", value) : grouped_digits(static_cast<std::size_t>(std::llround(value)));
    case FigureUnit::kRatio:
      return fmt::format("{:.2f}", value);
  }
  return "";
}

std::string_view chart_unit(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::kSeconds:
      return "s";
    case FigureUnit::kShare:
      return "%";
    case FigureUnit::kHours:
      return "GPU-hours";
    case FigureUnit::kCount:
    case FigureUnit::kRatio:
      return "";
  }
  return "";
}

}  // namespace loadline::report
