#include "app/report/replay_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "app/report/replay_figures.h"

namespace loadline::report {
namespace {

using replay::Sample;

double seconds_of(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

page::Curve curve_of(const std::string& name, const std::vector<Sample>& samples, double (*value)(const Sample&)) {
  page::Curve curve{name, {}};
  for (const Sample& sample : samples) curve.points.push_back({seconds_of(sample.at), value(sample)});
  return curve;
}

page::Figures figures_of(const replay::Summary& summary) {
  page::Figures figures;
  const auto add = [&](const char* name, std::string value) { figures.values.emplace_back(name, std::move(value)); };
  add("works", figure_text(FigureUnit::kCount, static_cast<double>(summary.all.arrived)));
  add("makespan", long_span_text(seconds_of(summary.makespan)));
  add("waiting, median", long_span_text(summary.all.waiting.p50));
  add("waiting, 99th percentile", long_span_text(summary.all.waiting.p99));
  if (summary.gpus > 0) add("GPUs used", figure_text(FigureUnit::kShare, summary.gpus_used));
  add("CPU used", figure_text(FigureUnit::kShare, summary.cpu_used));
  add("pods preempted", figure_text(FigureUnit::kCount, static_cast<double>(summary.preemptions)));
  add("pending at the end", figure_text(FigureUnit::kCount, static_cast<double>(summary.all.pending_at_end)));
  return figures;
}

std::vector<std::string> works_row(const std::string& name, const replay::WorkSummary& works) {
  const auto count = [](std::size_t value) { return figure_text(FigureUnit::kCount, static_cast<double>(value)); };
  return {name,
          count(works.arrived),
          count(works.started),
          count(works.ended + works.deleted),
          count(works.deleted_in_line),
          count(works.pending_at_end),
          long_span_text(works.waiting.mean),
          long_span_text(works.waiting.p50),
          long_span_text(works.waiting.p90),
          long_span_text(works.waiting.p99),
          long_span_text(works.completion.mean),
          fmt::format("{:.2f}", works.slowdown.mean)};
}

page::Table classes_of(const replay::Summary& summary) {
  page::Table table{"What became of the works (times are means where nothing else is said)",
                    {"class", "arrived", "started", "ended", "deleted in line", "pending", "waiting", "median", "90th",
                     "99th", "completion", "slowdown"},
                    {}};
  table.rows.push_back(works_row("all", summary.all));
  for (const auto& [name, works] : summary.by_class) table.rows.push_back(works_row(name, works));
  return table;
}

page::LineChart allocation_of(const replay::Summary& summary) {
  page::LineChart chart{"GPUs allocated and fragmented, by GPUs asked for in percent of all",
                        "%",
                        page::Axis::kNumber,
                        {{"allocated", {}}, {"fragmented", {}}}};
  for (const replay::AllocationPoint& point : summary.allocation) {
    chart.curves[0].points.push_back({static_cast<double>(point.arrived_percent), point.allocated});
    chart.curves[1].points.push_back({static_cast<double>(point.arrived_percent), point.fragmentation});
  }
  return chart;
}

constexpr std::size_t kMostQueueCurves = 8;

/// One chart with a curve for each queue: of many, those in which most arrived.
page::LineChart by_queue(const std::string& title, const std::string& unit, const replay::Summary& summary,
                         const std::vector<Sample>& samples, double (*value)(const replay::QueueSample&)) {
  std::vector<std::size_t> shown(summary.queues.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  std::ranges::stable_sort(shown, std::ranges::greater(),
                           [&](std::size_t place) { return summary.queues[place].arrived; });
  if (shown.size() > kMostQueueCurves) shown.resize(kMostQueueCurves);
  std::ranges::sort(shown);
  page::LineChart chart{title, unit, page::Axis::kSeconds, {}};
  for (const std::size_t place : shown) {
    page::Curve curve{summary.queues[place].name, {}};
    for (const Sample& sample : samples) {
      curve.points.push_back({seconds_of(sample.at), value(sample.queues.at(place))});
    }
    chart.curves.push_back(std::move(curve));
  }
  return chart;
}

void add_queues(const replay::Summary& summary, const std::vector<Sample>& samples, page::Page& page) {
  if (summary.queues.empty() || samples.empty()) return;
  const std::string& resource = samples.front().queues.front().resource;
  page.parts.emplace_back(by_queue("Works that wait for quota, by queue", "works", summary, samples,
                                   [](const replay::QueueSample& s) { return static_cast<double>(s.pending); }));
  page.parts.emplace_back(by_queue("Quota in use, by queue: " + resource, "", summary, samples,
                                   [](const replay::QueueSample& s) { return s.used; }));
  page.parts.emplace_back(by_queue("Of it borrowed: " + resource, "", summary, samples,
                                   [](const replay::QueueSample& s) { return s.borrowed; }));
  page::Table table{"Queues",
                    {"queue", "arrived", "admitted", "stopped", "pending", "waiting", "99th", "resource", "flavor",
                     "used, mean", "borrowed, mean", "nominal"},
                    {}};
  const auto count = [](std::size_t value) { return figure_text(FigureUnit::kCount, static_cast<double>(value)); };
  for (const replay::QueueSummary& queue : summary.queues) {
    for (const replay::QueueQuota& quota : queue.quotas) {
      table.rows.push_back({queue.name, count(queue.arrived), count(queue.admitted), count(queue.stopped),
                            count(queue.pending_at_end), long_span_text(queue.waiting.mean),
                            long_span_text(queue.waiting.p99), quota.resource, quota.flavor,
                            fmt::format("{:.1f}", quota.used), fmt::format("{:.1f}", quota.borrowed),
                            fmt::format("{:.1f}", quota.nominal)});
    }
  }
  page.parts.emplace_back(std::move(table));
}

std::vector<double> values_of(const ReplayFigure& figure, const replay::VariantRuns& variant) {
  std::vector<double> values;
  for (const replay::Summary& run : variant.runs) values.push_back(figure.of(run));
  return values;
}

bool differs(const ReplayFigure& figure, const std::vector<replay::VariantRuns>& sweep) {
  const double first = figure.of(sweep.front().runs.front());
  for (const replay::VariantRuns& variant : sweep) {
    for (const double value : values_of(figure, variant)) {
      if (value != first) return true;
    }
  }
  return false;
}

page::Comparison comparison_of(const ReplayFigure& figure, const std::vector<replay::VariantRuns>& sweep) {
  page::Comparison comparison{std::string(figure.title), std::string(chart_unit(figure.unit)), {}};
  for (const replay::VariantRuns& variant : sweep) {
    const replay::Interval interval = replay::interval_of(values_of(figure, variant));
    comparison.variants.push_back(
        {variant.name.empty() ? "all" : variant.name, {interval.mean, interval.low, interval.high}});
  }
  return comparison;
}

}  // namespace

page::Page replay_page(const replay::Summary& summary, const std::vector<Sample>& samples, const std::string& title) {
  page::Page page{
      title,
      fmt::format("{} nodes, {} GPUs, {} CPUs, in virtual time", summary.nodes,
                  figure_text(FigureUnit::kCount, summary.gpus), figure_text(FigureUnit::kCount, summary.cpus)),
      {}};
  page.parts.emplace_back(figures_of(summary));
  page::LineChart used{"Share in use", "%", page::Axis::kSeconds, {}};
  if (summary.gpus > 0) {
    used.curves.push_back(curve_of("GPUs", samples, [](const Sample& s) { return s.gpus_used; }));
  }
  used.curves.push_back(curve_of("CPU", samples, [](const Sample& s) { return s.cpu_used; }));
  used.curves.push_back(curve_of("memory", samples, [](const Sample& s) { return s.memory_used; }));
  page.parts.emplace_back(std::move(used));
  page.parts.emplace_back(page::LineChart{
      "Works that wait", "works", page::Axis::kSeconds, {curve_of("waiting", samples, [](const Sample& s) {
        return static_cast<double>(s.pending_works);
      })}});
  if (summary.gpus > 0) {
    page.parts.emplace_back(
        page::LineChart{"Free GPUs that the usual pods cannot use",
                        "%",
                        page::Axis::kSeconds,
                        {curve_of("fragmentation", samples, [](const Sample& s) { return s.fragmentation; })}});
    if (summary.all.ended + summary.all.deleted == 0) page.parts.emplace_back(allocation_of(summary));
  }
  add_queues(summary, samples, page);
  page.parts.emplace_back(classes_of(summary));
  return page;
}

page::Page sweep_page(const std::vector<replay::VariantRuns>& sweep, const std::string& title) {
  const std::size_t runs = sweep.front().runs.size();
  page::Page page{
      title,
      fmt::format("{} variants, {} run{} of each, the same arrivals for all", sweep.size(), runs, runs == 1 ? "" : "s"),
      {}};
  page::Table same{"The same in all runs", {"figure", "value"}, {}};
  for (const ReplayFigure& figure : replay_figures()) {
    if (differs(figure, sweep)) {
      page.parts.emplace_back(comparison_of(figure, sweep));
    } else {
      same.rows.push_back({std::string(figure.title), figure_text(figure.unit, figure.of(sweep.front().runs.front()))});
    }
  }
  if (!same.rows.empty()) page.parts.emplace_back(std::move(same));
  page.parts.emplace_back(
      page::Text{"A dot is the mean of a variant's runs, which differ in their seeds. The line through it is the "
                 "interval in which "
                 "the true mean lies with 95 % confidence, if runs are drawn alike from a normal distribution."});
  return page;
}

}  // namespace loadline::report
