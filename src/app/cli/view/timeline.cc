#include "app/cli/view/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/cli/terminal/grid.h"
#include "app/cli/terminal/sparkline.h"
#include "app/cli/terminal/text.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/time_strips.h"
#include "app/report/replay_figures.h"
#include "app/report/timeline_figures.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using timeline::Ending;
using timeline::PodLife;
using timeline::Timeline;
using timeline::WorkloadLife;

constexpr auto kToTheRight = report::Alignment::kRight;
constexpr std::size_t kMostWorkloads = 50;  ///< rows of a table for people
constexpr std::size_t kMostTroubles = 20;   ///< reasons in a section
constexpr std::size_t kMostAlike = 5;       ///< workloads with one reason

std::string time_text(const std::optional<Duration>& span) {
  return span ? report::long_span_text(static_cast<double>(span->nanoseconds) / 1e9) : "";
}

bool waits(const WorkloadLife& workload) {
  return workload.ending == Ending::kPending || workload.ending == Ending::kStarting;
}

bool failed(const WorkloadLife& workload) { return workload.ending == Ending::kFailed; }

/// "3 of 12 workloads still wait after 8h".
std::string trouble_text(std::size_t count, std::size_t total, std::string_view one, std::string_view many) {
  return fmt::format("{} of {} {}", grouped_digits(count), counted(total, "workload"), count == 1 ? one : many);
}

Line verdict(const Timeline& timeline) {
  const report::Endings endings = report::endings_of(timeline);
  const std::string after = "after " + time_text(timeline.end);
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!endings.would_be_well()) {
    if (endings.waiting() > 0) {
      add(trouble_text(endings.waiting(), endings.workloads, "still waits ", "still wait ") + after);
    }
    if (endings.failed > 0) {
      add(text.empty() ? trouble_text(endings.failed, endings.workloads, "failed", "failed")
                       : grouped_digits(endings.failed) + " failed");
    }
    if (endings.lost > 0) {
      add(text.empty() ? trouble_text(endings.lost, endings.workloads, "was lost", "were lost")
                       : grouped_digits(endings.lost) + " lost");
    }
    if (endings.refused > 0) add(counted(endings.refused, "object") + " refused");
    if (endings.undecided > 0) add(grouped_digits(endings.undecided) + " not decided");
    return {std::move(text), Style::kBold};
  }
  const std::size_t ended = endings.completed + endings.deleted;
  if (endings.undecided > 0) {
    text = trouble_text(endings.undecided, endings.workloads, "is not decided", "are not decided") +
           ": queues are other projects'; without them ";
  }
  text += counted(endings.workloads, "workload");
  if (endings.running > 0) {
    const bool all = endings.running == endings.workloads;
    text +=
        all ? fmt::format(", all running {}", after)
            : fmt::format(": {} ended, {} running {}", grouped_digits(ended), grouped_digits(endings.running), after);
  } else if (ended > 0) {
    Duration last;
    for (const WorkloadLife& workload : timeline.workloads) last = std::max(last, workload.ended.value_or(Duration{}));
    text += fmt::format(", all ended by {}", time_text(last));
  }
  return {std::move(text), Style::kBold};
}

Lines head(const Timeline& timeline, const Terminal& terminal) {
  const report::Endings endings = report::endings_of(timeline);
  const bool unicode = terminal.letters == Letters::kUnicode;
  Line first(unicode ? "✗ " : "NOT WELL: ", Style::kBad);
  if (endings.would_be_well()) first = Line(unicode ? "? " : "NOT DECIDED: ", Style::kWarn);
  if (endings.all_well()) first = Line(unicode ? "✓ " : "OK: ", Style::kGood);
  Lines lines = {std::move(first.append(verdict(timeline)))};
  const std::optional<Duration> median = report::median_waiting(timeline);
  if (!median) return lines;
  lines.emplace_back(fmt::format("{} on {}; median wait {}{}", counted(timeline.pods.size(), "pod"),
                                 counted(timeline.nodes.size(), "node"), time_text(median),
                                 timeline.is_idle ? "; idle: nothing more will happen by itself" : ""));
  return lines;
}

/// "waited 3h", "in part since 1h30m", "at 1h10m".
std::string since_when(const WorkloadLife& workload, Duration end) {
  if (workload.ending == Ending::kPending) return "waited " + time_text(report::waiting_of(workload, end));
  if (workload.ending == Ending::kStarting) return "in part since " + time_text(workload.started);
  return "at " + time_text(workload.ended);
}

/// Workloads of which one thing is to be said.
struct Trouble {
  std::string message;
  std::vector<const WorkloadLife*> workloads;
};

std::vector<Trouble> troubles_of(const Timeline& timeline, bool (*is_one)(const WorkloadLife&)) {
  std::vector<Trouble> troubles;
  std::map<std::string_view, std::size_t> places;
  for (const WorkloadLife& workload : timeline.workloads) {
    if (!is_one(workload)) continue;
    const auto [place, is_new] = places.try_emplace(workload.message, troubles.size());
    if (is_new) troubles.push_back({workload.message, {}});
    troubles[place->second].workloads.push_back(&workload);
  }
  return troubles;
}

void add_trouble(Lines& lines, const Trouble& trouble, Duration end, const Terminal& terminal) {
  const std::size_t shown = std::min(trouble.workloads.size(), kMostAlike);
  for (std::size_t i = 0; i < shown; ++i) {
    const WorkloadLife& workload = *trouble.workloads[i];
    lines.push_back(Line("  ")
                        .add(printable(report::workload_text(workload.name)), Style::kBold)
                        .add("  " + since_when(workload, end), Style::kDim));
  }
  if (shown < trouble.workloads.size()) {
    lines.emplace_back(
        fmt::format("  {} {}", ellipsis(terminal), counted(trouble.workloads.size() - shown, "more workload")));
  }
  if (!trouble.message.empty()) add_wrapped(lines, trouble.message, 6, terminal, Style::kPlain);
}

/// What is wrong with the workloads of which that is true, and why: equal reasons once.
Lines troubles(const Timeline& timeline, std::string_view title, bool (*is_one)(const WorkloadLife&),
               const Terminal& terminal) {
  const std::vector<Trouble> all = troubles_of(timeline, is_one);
  if (all.empty()) return {};
  Lines lines = {heading(title)};
  for (std::size_t i = 0; i < std::min(all.size(), kMostTroubles); ++i) {
    add_trouble(lines, all[i], timeline.end, terminal);
  }
  if (all.size() > kMostTroubles) {
    lines.emplace_back(fmt::format("  {} {}", ellipsis(terminal), counted(all.size() - kMostTroubles, "more reason")));
  }
  return lines;
}

/// What queues of other projects decide about, by queue.
Lines undecided(const Timeline& timeline, const Terminal& terminal) {
  std::map<std::string_view, std::vector<const WorkloadLife*>> queues;
  for (const WorkloadLife& workload : timeline.workloads) {
    if (!workload.undecided.empty()) queues[workload.undecided].push_back(&workload);
  }
  if (queues.empty()) return {};
  Lines lines = {heading("NOT DECIDED")};
  for (const auto& [why, workloads] : queues) {
    const std::size_t shown = std::min(workloads.size(), kMostAlike);
    for (std::size_t i = 0; i < shown; ++i) {
      lines.push_back(Line("  ").add(printable(report::workload_text(workloads[i]->name)), Style::kBold));
    }
    if (shown < workloads.size()) {
      lines.emplace_back(
          fmt::format("  {} {}", ellipsis(terminal), counted(workloads.size() - shown, "more workload")));
    }
    add_wrapped(lines,
                fmt::format("{}: whether and when it lets them start is not decided here; the times are those without "
                            "the queue",
                            printable(std::string(why))),
                6, terminal, Style::kPlain);
  }
  return lines;
}

Line outcome_of(Ending ending) {
  const std::string word(report::ending_word(ending));
  switch (ending) {
    case Ending::kPending:
    case Ending::kStarting:
    case Ending::kFailed:
      return {word, Style::kBad};
    case Ending::kDeleted:
      return {word, Style::kWarn};
    case Ending::kRunning:
    case Ending::kCompleted:
      return {word, Style::kGood};
  }
  return {word};
}

Lines workloads(const Timeline& timeline, const Terminal& terminal) {
  Grid grid{{{"WORKLOAD", {}, 16},
             {"PODS", kToTheRight},
             {"WAITED", kToTheRight},
             {"STARTED", kToTheRight},
             {"ENDED", kToTheRight},
             {"OUTCOME"}},
            {}};
  const std::size_t shown = std::min(timeline.workloads.size(), kMostWorkloads);
  for (std::size_t i = 0; i < shown; ++i) {
    const WorkloadLife& workload = timeline.workloads[i];
    grid.rows.push_back({Line(printable(report::workload_text(workload.name))), Line(grouped_digits(workload.pods)),
                         Line(time_text(report::waiting_of(workload, timeline.end))), Line(time_text(workload.started)),
                         Line(time_text(workload.ended)), outcome_of(workload.ending)});
  }
  if (grid.rows.empty()) return {};
  add_time_strips(grid, timeline, terminal);
  Lines lines = lay_out(grid, terminal);
  lines.push_back(strip_legend(terminal));
  if (shown < timeline.workloads.size()) {
    lines.emplace_back(
        fmt::format("{} {}", ellipsis(terminal), counted(timeline.workloads.size() - shown, "more workload")));
  }
  return lines;
}

Lines pods(const Timeline& timeline, const Terminal& terminal) {
  Grid grid{{{"NAMESPACE"},
             {"POD", {}, 16},
             {"WORKLOAD", {}, 16},
             {"NODE", {}, 12},
             {"CREATED", kToTheRight},
             {"SCHEDULED", kToTheRight},
             {"STARTED", kToTheRight},
             {"ENDED", kToTheRight},
             {"RESTARTS", kToTheRight},
             {"OUTCOME"},
             {"MESSAGE", {}, 12}},
            {}};
  for (const PodLife& pod : timeline.pods) {
    const timeline::WorkloadName& workload = timeline.workloads[pod.workload].name;
    grid.rows.push_back({Line(printable(pod.name_space)), Line(printable(pod.name)),
                         Line(printable(workload.kind + "/" + workload.name)), Line(printable(pod.node)),
                         Line(time_text(pod.created)), Line(time_text(pod.scheduled)), Line(time_text(pod.started)),
                         Line(time_text(pod.ended)), pod.restarts == 0 ? Line() : Line(fmt::format("{}", pod.restarts)),
                         outcome_of(pod.ending), Line(printable(pod.message))});
  }
  return grid.rows.empty() ? Lines{} : lay_out(grid, terminal);
}

Lines use(const Timeline& timeline, const Terminal& terminal) {
  Grid grid{
      {{"IN USE"}, {"MEAN", kToTheRight}, {"MOST", kToTheRight}, {fmt::format("OVER {}", time_text(timeline.end))}},
      {}};
  constexpr std::size_t kSparkCells = 40;
  for (const timeline::ResourceUse& resource : timeline.resources) {
    if (!report::is_there(resource)) continue;
    const std::vector<timeline::Step> shares = report::shares_of(resource);
    double most = 0;
    for (const timeline::Step& share : shares) most = std::max(most, share.value);
    grid.rows.push_back({Line(printable(resource.resource)),
                         Line(fmt::format("{:.0f}%", 100 * report::mean_of(shares, {}, timeline.end))),
                         Line(fmt::format("{:.0f}%", 100 * most)),
                         sparkline(report::means_of(shares, timeline.end, kSparkCells), 1, terminal.letters)});
  }
  double most = 0;
  for (const timeline::Step& step : timeline.pending_pods) most = std::max(most, step.value);
  if (most > 0) {
    grid.rows.push_back(
        {Line("pending pods"), Line(fmt::format("{:.1f}", report::mean_of(timeline.pending_pods, {}, timeline.end))),
         Line(fmt::format("{:.0f}", most)),
         sparkline(report::means_of(timeline.pending_pods, timeline.end, kSparkCells), most, terminal.letters)});
  }
  return grid.rows.empty() ? Lines{} : lay_out(grid, terminal);
}

/// What each queue of Kueue's had in use.
Lines queues(const Timeline& timeline, const Terminal& terminal) {
  constexpr std::size_t kSparkCells = 40;
  Grid grid{{{"QUEUE", {}, 8},
             {"MOST WAITING", kToTheRight},
             {"USED, MEAN", kToTheRight},
             {"MOST", kToTheRight},
             {"BORROWED", kToTheRight},
             {"OF", kToTheRight},
             {"", {}, 8},
             {fmt::format("USED OVER {}", time_text(timeline.end))}},
            {}};
  const auto most_of = [](const std::vector<timeline::Step>& steps) {
    double most = 0;
    for (const timeline::Step& step : steps) most = std::max(most, step.value);
    return most;
  };
  for (const timeline::QueueLife& queue : timeline.queues) {
    const double most = most_of(queue.used);
    const double borrowed = most_of(queue.borrowed);
    grid.rows.push_back({Line(printable(queue.name)), Line(fmt::format("{:.0f}", most_of(queue.pending))),
                         Line(fmt::format("{:.1f}", report::mean_of(queue.used, {}, timeline.end))),
                         Line(fmt::format("{:.0f}", most)),
                         borrowed > 0 ? Line(fmt::format("{:.0f}", borrowed)) : Line(),
                         Line(fmt::format("{:.0f}", queue.nominal)), Line(printable(queue.resource)),
                         sparkline(report::means_of(queue.used, timeline.end, kSparkCells),
                                   std::max(most, queue.nominal), terminal.letters)});
  }
  return grid.rows.empty() ? Lines{} : lay_out(grid, terminal);
}

}  // namespace

std::vector<Lines> timeline_sections(const Timeline& timeline, Detail detail, const Terminal& terminal) {
  return {head(timeline, terminal),
          troubles(timeline, "WAITING at the end", waits, terminal),
          troubles(timeline, "FAILED", failed, terminal),
          troubles(timeline, "LOST", report::is_lost, terminal),
          undecided(timeline, terminal),
          detail == Detail::kFull ? pods(timeline, terminal) : workloads(timeline, terminal),
          queues(timeline, terminal),
          use(timeline, terminal)};
}

}  // namespace loadline::cli
