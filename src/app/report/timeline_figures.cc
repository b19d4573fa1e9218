#include "app/report/timeline_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace loadline::report {
namespace {

using timeline::Ending;
using timeline::PodLife;
using timeline::Step;
using timeline::Timeline;
using timeline::WorkloadLife;

/// Pods that come to have a node or to wait for one, or cease to, at a time.
struct Turn {
  Duration at;
  int placed = 0;
  int waiting = 0;
};

void add_turns(const PodLife& pod, Duration end, std::vector<Turn>& turns) {
  const Duration gone = pod.ended.value_or(end);
  const Duration placed = pod.scheduled.value_or(gone);
  if (pod.created < placed) {
    turns.push_back({pod.created, 0, 1});
    turns.push_back({placed, 0, -1});
  }
  if (placed < gone) {
    turns.push_back({placed, 1, 0});
    turns.push_back({gone, -1, 0});
  }
}

std::optional<Activity> activity_of(int placed, int waiting) {
  if (placed > 0) return waiting > 0 ? Activity::kStarting : Activity::kRunning;
  if (waiting > 0) return Activity::kWaiting;
  return std::nullopt;
}

void add_phase(std::vector<Phase>& phases, Phase phase) {
  const bool goes_on = !phases.empty() && phases.back().activity == phase.activity && phases.back().to == phase.from;
  if (goes_on) {
    phases.back().to = phase.to;
  } else {
    phases.push_back(phase);
  }
}

std::vector<Phase> merged(std::vector<Turn> turns) {
  std::ranges::stable_sort(turns, {}, &Turn::at);
  std::vector<Phase> phases;
  int placed = 0;
  int waiting = 0;
  for (std::size_t i = 0; i < turns.size();) {
    const Duration at = turns[i].at;
    for (; i < turns.size() && turns[i].at == at; ++i) {
      placed += turns[i].placed;
      waiting += turns[i].waiting;
    }
    const std::optional<Activity> activity = activity_of(placed, waiting);
    if (activity && i < turns.size()) add_phase(phases, {*activity, at, turns[i].at});
  }
  return phases;
}

double value_at(const std::vector<Step>& steps, Duration at) {
  const auto after = std::ranges::upper_bound(steps, at, {}, &Step::at);
  return after == steps.begin() ? 0 : std::prev(after)->value;
}

}  // namespace

std::string_view ending_word(Ending ending) {
  switch (ending) {
    case Ending::kPending:
      return "pending";
    case Ending::kStarting:
      return "starting";
    case Ending::kRunning:
      return "running";
    case Ending::kCompleted:
      return "completed";
    case Ending::kFailed:
      return "failed";
    case Ending::kDeleted:
      return "deleted";
  }
  return "";
}

std::string workload_text(const timeline::WorkloadName& name) {
  if (name.name_space.empty()) return fmt::format("{} {}", name.kind, name.name);
  return fmt::format("{} {}/{}", name.kind, name.name_space, name.name);
}

bool is_lost(const WorkloadLife& workload) {
  return workload.ending == Ending::kDeleted && workload.name.kind == "Pod";
}

Endings endings_of(const Timeline& timeline) {
  Endings endings;
  for (const WorkloadLife& workload : timeline.workloads) {
    ++endings.workloads;
    endings.pending += static_cast<std::size_t>(workload.ending == Ending::kPending);
    endings.starting += static_cast<std::size_t>(workload.ending == Ending::kStarting);
    endings.running += static_cast<std::size_t>(workload.ending == Ending::kRunning);
    endings.completed += static_cast<std::size_t>(workload.ending == Ending::kCompleted);
    endings.failed += static_cast<std::size_t>(workload.ending == Ending::kFailed);
    endings.deleted += static_cast<std::size_t>(workload.ending == Ending::kDeleted);
    endings.lost += static_cast<std::size_t>(is_lost(workload));
    endings.undecided += static_cast<std::size_t>(!workload.undecided.empty());
  }
  for (const Diagnostic& note : timeline.notes) {
    endings.refused += static_cast<std::size_t>(note.severity >= Severity::kWarning);
  }
  return endings;
}

Duration waiting_of(const WorkloadLife& workload, Duration end) {
  return {workload.started.value_or(workload.ended.value_or(end)).nanoseconds - workload.arrived.nanoseconds};
}

std::optional<Duration> median_waiting(const Timeline& timeline) {
  if (timeline.workloads.empty()) return std::nullopt;
  std::vector<Duration> waiting;
  for (const WorkloadLife& workload : timeline.workloads) waiting.push_back(waiting_of(workload, timeline.end));
  std::ranges::sort(waiting);
  return waiting[(waiting.size() - 1) / 2];
}

Duration makespan_of(const Timeline& timeline) {
  if (timeline.workloads.empty()) return {};
  Duration first = timeline.end;
  Duration last;
  for (const WorkloadLife& workload : timeline.workloads) {
    first = std::min(first, workload.arrived);
    last = std::max(last, workload.ended.value_or(timeline.end));
  }
  return {std::max<std::int64_t>(last.nanoseconds - first.nanoseconds, 0)};
}

std::vector<std::vector<Phase>> phases_of(const Timeline& timeline) {
  std::vector<std::vector<Turn>> turns(timeline.workloads.size());
  for (const PodLife& pod : timeline.pods) add_turns(pod, timeline.end, turns[pod.workload]);
  std::vector<std::vector<Phase>> phases;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    phases.push_back(merged(std::move(turns[i])));
    const WorkloadLife& workload = timeline.workloads[i];
    const Duration gone = workload.ended.value_or(timeline.end);
    if (workload.pods == 0 && workload.ending == Ending::kPending && workload.arrived < gone) {
      phases.back() = {{Activity::kWaiting, workload.arrived, gone}};
    }
  }
  return phases;
}

std::vector<Step> shares_of(const timeline::ResourceUse& use) {
  std::vector<Duration> times;
  for (const Step& step : use.allocatable) times.push_back(step.at);
  for (const Step& step : use.requested) times.push_back(step.at);
  std::ranges::sort(times);
  times.erase(std::unique(times.begin(), times.end()), times.end());
  std::vector<Step> shares;
  for (const Duration at : times) {
    const double allocatable = value_at(use.allocatable, at);
    const double share = allocatable > 0 ? value_at(use.requested, at) / allocatable : 0;
    if (shares.empty() || shares.back().value != share) shares.push_back({at, share});
  }
  return shares;
}

double mean_of(const std::vector<Step>& steps, Duration from, Duration to) {
  if (to <= from) return value_at(steps, from);
  double sum = 0;
  double value = value_at(steps, from);
  Duration since = from;
  for (auto step = std::ranges::upper_bound(steps, from, {}, &Step::at); step != steps.end() && step->at < to; ++step) {
    sum += value * static_cast<double>((step->at.nanoseconds - since.nanoseconds));
    value = step->value;
    since = step->at;
  }
  sum += value * static_cast<double>(to.nanoseconds - since.nanoseconds);
  return sum / static_cast<double>(to.nanoseconds - from.nanoseconds);
}

std::vector<double> means_of(const std::vector<Step>& steps, Duration end, std::size_t cells) {
  std::vector<double> means;
  const auto edge = [&](std::size_t cell) {
    const double part = static_cast<double>(cell) / static_cast<double>(cells);
    return Duration{static_cast<std::int64_t>(static_cast<double>(end.nanoseconds) * part)};
  };
  for (std::size_t i = 0; i < cells; ++i) means.push_back(mean_of(steps, edge(i), edge(i + 1)));
  return means;
}

bool is_there(const timeline::ResourceUse& use) {
  const auto is_some = [](const Step& step) { return step.value > 0; };
  return std::ranges::any_of(use.allocatable, is_some) || std::ranges::any_of(use.requested, is_some);
}

Timeline narrowed_to(const Timeline& timeline, const Scope& scope) {
  Timeline narrowed = timeline;
  if (scope.name_space.empty()) return narrowed;
  std::vector<std::size_t> places(timeline.workloads.size());
  narrowed.workloads.clear();
  narrowed.pods.clear();
  for (std::size_t i = 0; i < timeline.workloads.size(); ++i) {
    places[i] = narrowed.workloads.size();
    if (timeline.workloads[i].name.name_space == scope.name_space) narrowed.workloads.push_back(timeline.workloads[i]);
  }
  for (const PodLife& pod : timeline.pods) {
    if (timeline.workloads[pod.workload].name.name_space != scope.name_space) continue;
    narrowed.pods.push_back(pod);
    narrowed.pods.back().workload = places[pod.workload];
  }
  return narrowed;
}

}  // namespace loadline::report
