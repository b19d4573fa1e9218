#include "app/report/timeline_page.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

#include "app/report/replay_figures.h"
#include "app/report/timeline_figures.h"
#include "foundation/base/text.h"

namespace loadline::report {
namespace {

using timeline::Ending;
using timeline::PodLife;
using timeline::Step;
using timeline::Timeline;
using timeline::WorkloadLife;

double as_seconds(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

std::string time_text(Duration span) { return long_span_text(as_seconds(span)); }

std::string time_text(const std::optional<Duration>& span) { return span ? time_text(*span) : ""; }

page::Curve steps_curve(std::string name, const std::vector<Step>& steps) {
  page::Curve curve{std::move(name), {}};
  for (const Step& step : steps) curve.points.push_back({as_seconds(step.at), step.value});
  return curve;
}

/// What the commonest GPUs are called for short, where there is little room.
std::string short_name(const std::string& resource) { return resource == "nvidia.com/gpu" ? "GPUs" : resource; }

bool is_gpu(const timeline::ResourceUse& use) { return use.resource.ends_with("/gpu"); }

page::Figures figures_of(const Timeline& timeline) {
  const Endings endings = endings_of(timeline);
  page::Figures figures;
  const auto add = [&](const char* name, std::string value) { figures.values.emplace_back(name, std::move(value)); };
  add("workloads", grouped_digits(endings.workloads));
  add("ended", grouped_digits(endings.completed + endings.failed + endings.deleted));
  if (endings.running > 0) add("running at the end", grouped_digits(endings.running));
  if (endings.waiting() > 0) add("waiting at the end", grouped_digits(endings.waiting()));
  if (endings.failed > 0) add("failed", grouped_digits(endings.failed));
  add("waiting, median", time_text(median_waiting(timeline)));
  add("makespan", time_text(makespan_of(timeline)));
  for (const timeline::ResourceUse& use : timeline.resources) {
    if (!is_gpu(use) || !is_there(use)) continue;
    const double mean = mean_of(shares_of(use), {}, timeline.end);
    figures.values.emplace_back(short_name(use.resource) + " in use, mean", fmt::format("{:.0f} %", 100 * mean));
  }
  return figures;
}

/// By what workloads are told apart: their namespaces if there are several, else their kinds.
class Groups {
 public:
  explicit Groups(const Timeline& timeline) {
    std::set<std::string> spaces;
    for (const WorkloadLife& workload : timeline.workloads) spaces.insert(workload.name.name_space);
    by_namespace_ = spaces.size() > 1;
  }

  [[nodiscard]] std::string of(const WorkloadLife& workload) const {
    return by_namespace_ ? workload.name.name_space : workload.name.kind;
  }

 private:
  bool by_namespace_ = false;
};

std::string details_of(const WorkloadLife& workload, const Phase& phase) {
  constexpr std::string_view kWords[] = {"waits", "some of its pods wait", "runs"};
  std::string text =
      fmt::format("{}: {} from {} to {}", workload_text(workload.name),
                  kWords[static_cast<std::size_t>(phase.activity)], time_text(phase.from), time_text(phase.to));
  if (!workload.message.empty()) text += "; " + workload.message;
  return text;
}

page::Gantt workloads_of(const Timeline& timeline) {
  page::Gantt gantt{"Workloads", as_seconds(timeline.end), {}};
  const Groups groups(timeline);
  const std::vector<std::vector<Phase>> phases = phases_of(timeline);
  for (std::size_t i = 0; i < timeline.workloads.size(); ++i) {
    const WorkloadLife& workload = timeline.workloads[i];
    page::Lane lane{workload_text(workload.name), {}};
    for (const Phase& phase : phases[i]) {
      page::Span span{as_seconds(phase.from), as_seconds(phase.to), "", details_of(workload, phase),
                      groups.of(workload)};
      const bool is_last = &phase == &phases[i].back();
      if (phase.activity == Activity::kWaiting) {
        span.group = "waiting";
      } else if (workload.ending == Ending::kFailed && is_last) {
        span.group = "failed";
      }
      if (phase.activity == Activity::kRunning) span.label = workload.name.name;
      if (phase.activity == Activity::kStarting) span.label = workload.name.name + ", in part";
      lane.spans.push_back(std::move(span));
    }
    gantt.lanes.push_back(std::move(lane));
  }
  return gantt;
}

page::Span pod_span(const PodLife& pod, const WorkloadLife& workload, Duration end) {
  const Duration gone = pod.ended.value_or(end);
  std::string details =
      fmt::format("{}/{} of {}, from {} to {}: {}", pod.name_space, pod.name, workload_text(workload.name),
                  time_text(pod.scheduled), time_text(gone), ending_word(pod.ending));
  if (!pod.message.empty()) details += "; " + pod.message;
  return {as_seconds(*pod.scheduled), as_seconds(gone), pod.name, std::move(details),
          pod.ending == Ending::kFailed ? "failed" : workload_text(workload.name)};
}

page::Gantt nodes_of(const Timeline& timeline) {
  page::Gantt gantt{"Nodes and the pods on them", as_seconds(timeline.end), {}};
  std::map<std::string, std::size_t, std::less<>> lanes;
  for (const std::string& node : timeline.nodes) {
    lanes.emplace(node, gantt.lanes.size());
    gantt.lanes.push_back({node, {}});
  }
  for (const PodLife& pod : timeline.pods) {
    const auto lane = lanes.find(pod.node);
    if (!pod.scheduled || lane == lanes.end()) continue;
    gantt.lanes[lane->second].spans.push_back(pod_span(pod, timeline.workloads[pod.workload], timeline.end));
  }
  return gantt;
}

page::LineChart use_of(const Timeline& timeline) {
  page::LineChart chart{"Requested, of what is allocatable", "%", page::Axis::kSeconds, {}, as_seconds(timeline.end)};
  for (const timeline::ResourceUse& use : timeline.resources) {
    if (is_there(use)) chart.curves.push_back(steps_curve(short_name(use.resource), shares_of(use)));
  }
  return chart;
}

page::Table waiting_table(const Timeline& timeline) {
  page::Table table{"Waiting at the end", {"workload", "arrived", "waited", "why"}, {}};
  for (const WorkloadLife& workload : timeline.workloads) {
    if (workload.ending != Ending::kPending && workload.ending != Ending::kStarting) continue;
    table.rows.push_back({workload_text(workload.name), time_text(workload.arrived),
                          time_text(waiting_of(workload, timeline.end)), workload.message});
  }
  return table;
}

page::Table all_of(const Timeline& timeline) {
  page::Table table{
      "All workloads",
      {"workload", "pods", "arrived", "waited", "started", "all started", "ended", "outcome", "failed pods"},
      {}};
  for (const WorkloadLife& workload : timeline.workloads) {
    table.rows.push_back({workload_text(workload.name), grouped_digits(workload.pods), time_text(workload.arrived),
                          time_text(waiting_of(workload, timeline.end)), time_text(workload.started),
                          time_text(workload.all_started), time_text(workload.ended),
                          std::string(ending_word(workload.ending)), grouped_digits(workload.failed_pods)});
  }
  return table;
}

constexpr std::size_t kMostQueueCurves = 8;

/// One chart with a curve for each queue; of many, the first by name that ever had something.
page::LineChart by_queue(const std::string& title, const std::string& unit, const Timeline& timeline,
                         std::vector<Step> timeline::QueueLife::* steps) {
  page::LineChart chart{title, unit, page::Axis::kSeconds, {}, as_seconds(timeline.end)};
  for (const timeline::QueueLife& queue : timeline.queues) {
    const bool is_idle = queue.used.size() <= 1 && queue.pending.size() <= 1;
    if (!is_idle && chart.curves.size() < kMostQueueCurves) {
      chart.curves.push_back(steps_curve(queue.name, queue.*steps));
    }
  }
  return chart;
}

void add_queues(page::Page& page, const Timeline& timeline) {
  page::LineChart waiting =
      by_queue("Workloads that wait for quota, by queue", "workloads", timeline, &timeline::QueueLife::pending);
  if (waiting.curves.empty()) return;
  const std::string resource = short_name(timeline.queues.front().resource);
  page.parts.emplace_back(std::move(waiting));
  page.parts.emplace_back(by_queue("Quota in use, by queue", resource, timeline, &timeline::QueueLife::used));
  page.parts.emplace_back(by_queue("Of it borrowed", resource, timeline, &timeline::QueueLife::borrowed));
}

constexpr std::size_t kMostAtAGlance = 40;  ///< workloads in a chart

void add_curves(page::Page& page, const Timeline& timeline) {
  page.parts.emplace_back(use_of(timeline));
  page.parts.emplace_back(page::LineChart{"Pods that wait for a node",
                                          "pods",
                                          page::Axis::kSeconds,
                                          {steps_curve("pending", timeline.pending_pods)},
                                          as_seconds(timeline.end)});
  add_queues(page, timeline);
}

}  // namespace

page::Page timeline_page(const Timeline& timeline) {
  page::Page page{
      fmt::format("{} on {}", counted(timeline.workloads.size(), "workload"), counted(timeline.nodes.size(), "node")),
      fmt::format("From {} on, in virtual time, {}", format_rfc3339(timeline.start),
                  timeline.is_idle ? fmt::format("until nothing more happens, after {}", time_text(timeline.end))
                                   : fmt::format("for {}", time_text(timeline.end))),
      {}};
  page.parts.emplace_back(figures_of(timeline));
  if (page::Table waiting = waiting_table(timeline); !waiting.rows.empty()) page.parts.emplace_back(std::move(waiting));
  // Long charts of workloads come after what a reader sees at a glance.
  const bool is_long = timeline.workloads.size() > kMostAtAGlance;
  if (is_long) add_curves(page, timeline);
  page.parts.emplace_back(workloads_of(timeline));
  page.parts.emplace_back(nodes_of(timeline));
  if (!is_long) add_curves(page, timeline);
  page.parts.emplace_back(all_of(timeline));
  page.parts.emplace_back(
      page::Text{"Times count from the start of the timeline. A workload waits until the first of its pods has a node. "
                 "The colours "
                 "of the chart of workloads tell namespaces from each other, or kinds if there is one namespace; those "
                 "of the chart "
                 "of nodes tell workloads.",
                 "How to read this page"});
  return page;
}

}  // namespace loadline::report
