#include "app/cli/view/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/cli/terminal/bar.h"
#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/report/replay_figures.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using report::figure_text;
using report::FigureUnit;
using report::long_span_text;

constexpr auto kRight = report::Alignment::kRight;
constexpr std::size_t kCells = 20;

double seconds(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

Line verdict(const replay::Summary& summary) {
  const replay::WorkSummary& all = summary.all;
  Line line;
  const auto add = [&](std::size_t count, const char* word, Style style) {
    if (count == 0) return;
    if (!line.empty()) line.add(", ");
    line.add(grouped_digits(count) + " " + word, style);
  };
  add(all.ended, "ended", Style::kGood);
  add(all.deleted, "deleted while they ran", Style::kGood);
  add(all.deleted_in_line, "deleted in line", Style::kWarn);
  add(all.running_at_end, "running at the end", Style::kGood);
  add(all.pending_at_end, "pending at the end", Style::kBad);
  return line.empty() ? Line("no work arrived") : line;
}

Lines head(const replay::Summary& summary) {
  Lines lines;
  lines.push_back(
      Line(fmt::format("{} in {}", counted(summary.all.arrived, "work"), counted(summary.nodes, "node")), Style::kBold)
          .add(": ")
          .append(verdict(summary)));
  lines.emplace_back(fmt::format("{} from the first arrival to the last end; {}; {} by the scheduler",
                                 long_span_text(seconds(summary.makespan)), counted(summary.pods, "pod"),
                                 counted(summary.decisions, "decision")));
  return lines;
}

std::vector<Line> times_row(const std::string& name, const replay::Distribution& times) {
  return {Line(name),
          Line(long_span_text(times.mean)),
          Line(long_span_text(times.p50)),
          Line(long_span_text(times.p90)),
          Line(long_span_text(times.p99)),
          Line(long_span_text(times.max))};
}

std::vector<Line> ratio_row(const replay::Distribution& ratios) {
  const auto text = [](double value) { return Line(fmt::format("{:.2f}", value)); };
  return {Line("bounded slowdown"), text(ratios.mean), text(ratios.p50),
          text(ratios.p90),         text(ratios.p99),  text(ratios.max)};
}

Lines times(const replay::Summary& summary, const Terminal& terminal) {
  Grid grid;
  grid.columns = {{"TIMES"},        {"MEAN", kRight}, {"MEDIAN", kRight},
                  {"90TH", kRight}, {"99TH", kRight}, {"MOST", kRight}};
  grid.rows.push_back(times_row("waiting", summary.all.waiting));
  if (summary.all.completion.count > 0) grid.rows.push_back(times_row("completion", summary.all.completion));
  if (summary.all.slowdown.count > 0) grid.rows.push_back(ratio_row(summary.all.slowdown));
  return lay_out(grid, terminal);
}

Lines classes(const replay::Summary& summary, const Terminal& terminal) {
  if (summary.by_class.empty()) return {};
  Grid grid;
  grid.columns = {{"CLASS", {}, 12},         {"ARRIVED", kRight}, {"STARTED", kRight}, {"PENDING", kRight},
                  {"WAITING: MEAN", kRight}, {"MEDIAN", kRight},  {"99TH", kRight}};
  for (const auto& [name, works] : summary.by_class) {
    grid.rows.push_back({Line(name), Line(grouped_digits(works.arrived)), Line(grouped_digits(works.started)),
                         Line(grouped_digits(works.pending_at_end)), Line(long_span_text(works.waiting.mean)),
                         Line(long_span_text(works.waiting.p50)), Line(long_span_text(works.waiting.p99))});
  }
  return lay_out(grid, terminal);
}

Lines use(const replay::Summary& summary, const Terminal& terminal) {
  Grid grid;
  grid.columns = {{"IN USE, MEAN"}, {""}, {"", kRight}, {"OF", kRight}};
  const auto add = [&](const char* name, double share, std::string of) {
    const int percent = static_cast<int>(100 * share);
    grid.rows.push_back({Line(name), bar(percent, kCells, terminal.letters),
                         Line(figure_text(FigureUnit::kShare, share)), Line(std::move(of))});
  };
  if (summary.gpus > 0) add("GPUs", summary.gpus_used, figure_text(FigureUnit::kCount, summary.gpus));
  add("CPU", summary.cpu_used, figure_text(FigureUnit::kCount, summary.cpus));
  add("memory", summary.memory_used, "");
  return lay_out(grid, terminal);
}

/// A row for each queue, and for each of its flavors one below the other.
Lines queues(const replay::Summary& summary, const Terminal& terminal) {
  if (summary.queues.empty()) return {};
  const auto amount = [](double value) { return Line(fmt::format("{:.1f}", value)); };
  Grid grid;
  grid.columns = {{"QUEUE", {}, 8},     {"ARRIVED", kRight},
                  {"ADMITTED", kRight}, {"STOPPED", kRight},
                  {"PENDING", kRight},  {"WAITING: MEAN", kRight},
                  {"99TH", kRight},     {"USED, MEAN", kRight},
                  {"BORROWED", kRight}, {"OF", kRight},
                  {"", {}, 8}};
  for (const replay::QueueSummary& queue : summary.queues) {
    std::vector<Line> row = {Line(queue.name),
                             Line(grouped_digits(queue.arrived)),
                             Line(grouped_digits(queue.admitted)),
                             Line(grouped_digits(queue.stopped)),
                             Line(grouped_digits(queue.pending_at_end)),
                             Line(long_span_text(queue.waiting.mean)),
                             Line(long_span_text(queue.waiting.p99))};
    for (const replay::QueueQuota& quota : queue.quotas) {
      if (quota.resource != queue.resource) continue;
      row.resize(7);
      row.push_back(amount(quota.used));
      row.push_back(quota.borrowed > 0 ? amount(quota.borrowed) : Line());
      row.push_back(amount(quota.nominal));
      row.emplace_back(quota.resource + " " + quota.flavor);
      grid.rows.push_back(std::exchange(row, {}));
    }
    if (!row.empty()) grid.rows.push_back(std::move(row));
  }
  Lines lines = lay_out(grid, terminal);
  if (summary.without_queue > 0) {
    lines.emplace_back(fmt::format("{} started without a queue: {} namespace has no LocalQueue for {}",
                                   counted(summary.without_queue, "work"), summary.without_queue == 1 ? "its" : "their",
                                   summary.without_queue == 1 ? "it" : "them"),
                       Style::kWarn);
  }
  return lines;
}

Lines costs(const replay::Summary& summary) {
  Lines lines;
  if (summary.gpus > 0) {
    lines.emplace_back(fmt::format(
        "{} GPU-hours served, {} lost; {} of the GPUs were free and of no use to the usual "
        "pods, in the mean",
        figure_text(FigureUnit::kHours, summary.gpu_hours), figure_text(FigureUnit::kHours, summary.gpu_hours_lost),
        figure_text(FigureUnit::kShare, summary.fragmentation)));
  }
  const bool is_filled = summary.all.ended + summary.all.deleted == 0;  // otherwise what was asked for is there no more
  if (is_filled && !summary.allocation.empty()) {
    const replay::AllocationPoint& last = summary.allocation.back();
    lines.emplace_back(fmt::format("{} of the GPUs allocated when {} % of them had been asked for",
                                   figure_text(FigureUnit::kShare, last.allocated), last.arrived_percent));
  }
  lines.emplace_back(fmt::format("{} preempted; {} at most waited at a time", counted(summary.preemptions, "pod"),
                                 counted(summary.most_pending_works, "work")));
  if (const replay::PromiseSummary& promises = summary.promises; promises.settled > 0) {
    lines.emplace_back(fmt::format("{} had a planned start, {} started by then; the latest {}",
                                   counted(promises.settled, "work"),
                                   figure_text(FigureUnit::kCount, static_cast<double>(promises.kept)),
                                   promises.error.max > 0 ? long_span_text(promises.error.max) + " later" : "in time"));
  }
  return lines;
}

/// "12m5s", or "12m5s ±40s" with the half of the confidence interval.
std::string cell(const report::ReplayFigure& figure, const replay::VariantRuns& variant) {
  std::vector<double> values;
  for (const replay::Summary& run : variant.runs) values.push_back(figure.of(run));
  const replay::Interval interval = replay::interval_of(values);
  const std::string mean = figure_text(figure.unit, interval.mean);
  if (interval.high <= interval.mean) return mean;
  return fmt::format("{} ±{}", mean, figure_text(figure.unit, interval.high - interval.mean));
}

bool differs(const report::ReplayFigure& figure, const std::vector<replay::VariantRuns>& sweep) {
  return std::ranges::any_of(
      sweep, [&](const replay::VariantRuns& variant) { return cell(figure, variant) != cell(figure, sweep.front()); });
}

/// A row a figure, a column a variant.
Grid by_figure(const std::vector<const report::ReplayFigure*>& figures, const std::vector<replay::VariantRuns>& sweep) {
  Grid grid;
  grid.columns = {{"FIGURE"}};
  for (const replay::VariantRuns& variant : sweep) {
    grid.columns.push_back({variant.name.empty() ? "ALL RUNS" : variant.name, kRight, 10});
  }
  for (const report::ReplayFigure* figure : figures) {
    std::vector<Line> row = {Line(std::string(figure->title))};
    for (const replay::VariantRuns& variant : sweep) row.emplace_back(cell(*figure, variant));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

/// A row a variant, a column for each of the figures that matter most.
Grid by_variant(const std::vector<const report::ReplayFigure*>& figures,
                const std::vector<replay::VariantRuns>& sweep) {
  Grid grid;
  grid.columns = {{"VARIANT", {}, 20}};
  for (const report::ReplayFigure* figure : figures) {
    if (figure->is_key) grid.columns.push_back({std::string(figure->title), kRight, 8});
  }
  for (const replay::VariantRuns& variant : sweep) {
    std::vector<Line> row = {Line(variant.name)};
    for (const report::ReplayFigure* figure : figures) {
      if (figure->is_key) row.emplace_back(cell(*figure, variant));
    }
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

}  // namespace

std::vector<Lines> replay_sections(const replay::Summary& summary, const Terminal& terminal) {
  return {head(summary),
          times(summary, terminal),
          classes(summary, terminal),
          queues(summary, terminal),
          use(summary, terminal),
          costs(summary)};
}

std::vector<Lines> sweep_sections(const std::vector<replay::VariantRuns>& sweep, const Terminal& terminal) {
  constexpr std::size_t kSideBySide = 3;
  std::vector<const report::ReplayFigure*> differing;
  Grid same{{{"THE SAME FOR ALL"}, {"", kRight}}, {}};
  for (const report::ReplayFigure& figure : report::replay_figures()) {
    if (sweep.size() == 1 || differs(figure, sweep)) {
      differing.push_back(&figure);
    } else {
      same.rows.push_back({Line(std::string(figure.title)), Line(cell(figure, sweep.front()))});
    }
  }
  const std::size_t runs = sweep.front().runs.size();
  Lines head = {
      Line(fmt::format("{} of {}, the same arrivals for all", counted(runs, "run"), counted(sweep.size(), "variant")),
           Style::kBold)};
  if (runs > 1) head.emplace_back("± is half of the interval in which the true mean lies with 95 % confidence");
  const Grid grid = sweep.size() > kSideBySide ? by_variant(differing, sweep) : by_figure(differing, sweep);
  return {head, lay_out(grid, terminal), same.rows.empty() ? Lines{} : lay_out(same, terminal)};
}

}  // namespace loadline::cli
