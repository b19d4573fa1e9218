#include "hosts/scheduler/scheduler_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "brain/decision/why_text.h"

namespace loadline::scheduler {
namespace {

using AttemptResult = observe::SchedulerMetrics::Result;

constexpr std::string_view kComponent = "scheduler";

std::string path_of(const watching::ObjectKey& key) { return key.name_space + "/" + key.name; }

}  // namespace

SchedulerMeter::SchedulerMeter(watching::Subscriptions& subscriptions, const LiveClusterModel& model,
                               observe::Instruments instruments)
    : model_(model), caches_(subscriptions.caches()), instruments_(std::move(instruments)) {
  subscriptions.on<kube::Pod>([this](const watching::Change<kube::Pod>& change, watching::Keys&) { on_pod(change); });
}

void SchedulerMeter::on_pod(const watching::Change<kube::Pod>& change) {
  const watching::Observed<kube::Pod>& pod = change.last();
  const bool has_node = !pod.view.spec->node_name.empty();
  const bool waits = change.after != nullptr && !has_node && !pod.is_being_deleted();
  if (waits) {
    if (waiting_.try_emplace(pod.key()).second) instruments_.scheduler->queued("active", "PodAdd");
    return;
  }
  const auto found = waiting_.find(pod.key());
  if (found == waiting_.end()) return;
  if (change.after != nullptr && has_node) bound(pod, found->second);
  waiting_.erase(found);
}

void SchedulerMeter::bound(const watching::Observed<kube::Pod>& pod, const Waiting& waiting) {
  if (!waiting.decided) return;  // another scheduler bound it
  const std::string& profile = pod.view.spec->scheduler_name;
  instruments_.scheduler->attempted(profile, AttemptResult::kScheduled,
                                    waiting.decision_seconds + waiting.decided->seconds());
  instruments_.scheduler->scheduled(waiting.attempts, waiting.since.seconds());
  if (instruments_.log == nullptr || !instruments_.log->takes(observe::LogLevel::kInfo)) return;
  instruments_.log->write(observe::LogLevel::kInfo, kComponent, "Pod is bound",
                          {{"pod", path_of(pod.key())}, {"node", pod.view.spec->node_name}});
}

void SchedulerMeter::took(const TrackedPod& pod, const decision::PodTurn& turn, double seconds) {
  Waiting& waiting = waiting_[pod.object->key()];
  ++waiting.attempts;
  instruments_.scheduler->decided(seconds);
  if (std::exchange(waiting.decided, std::nullopt)) {
    // The binding of the last attempt was refused, or this turn would not be.
    instruments_.scheduler->attempted(pod.object->view.spec->scheduler_name, AttemptResult::kError,
                                      waiting.decision_seconds);
  }
  waiting.refused_by.clear();
  waiting.decision_seconds = seconds;
  if (turn.node.valid()) {
    waiting.decided.emplace();
  } else {
    failed(pod, turn, waiting, seconds);
  }
}

void SchedulerMeter::failed(const TrackedPod& pod, const decision::PodTurn& turn, Waiting& waiting, double seconds) {
  const bool is_error = turn.is_error;
  const std::string& profile = pod.object->view.spec->scheduler_name;
  instruments_.scheduler->attempted(profile, is_error ? AttemptResult::kError : AttemptResult::kUnschedulable, seconds);
  instruments_.scheduler->queued("unschedulable", "ScheduleAttemptFailure");
  if (!is_error) instruments_.scheduler->looked_for_victims(turn.victims.size());
  if (turn.why.fit_error != nullptr) waiting.refused_by = placement::plugins_of(*turn.why.fit_error);
  const observe::LogLevel level = is_error ? observe::LogLevel::kWarning : observe::LogLevel::kInfo;
  if (instruments_.log == nullptr || !instruments_.log->takes(level)) return;
  instruments_.log->write(level, kComponent, is_error ? "Pod cannot be decided about" : "Pod is unschedulable",
                          {{"pod", path_of(pod.object->key())}, {"err", decision::text(model_.cluster(), turn.why)}});
}

void SchedulerMeter::turn_ended(const decision::Turn& turn, double seconds) {
  longest_turn_ = std::max(longest_turn_, seconds);
  constexpr double kLong = 0.1;
  if (seconds < kLong || instruments_.log == nullptr || !instruments_.log->takes(observe::LogLevel::kInfo)) return;
  const cluster::Cluster& cluster = model_.cluster();
  const std::string subject =
      turn.unit.is_group() ? cluster.group(turn.unit.group).name : cluster.pod_text(turn.unit.pod);
  instruments_.log->write(observe::LogLevel::kInfo, kComponent, "A turn took long",
                          {{turn.unit.is_group() ? "podGroup" : "pod", subject},
                           {"pods", std::to_string(turn.pods.size())},
                           {"seconds", fmt::format("{:.3f}", seconds)}});
}

observe::SchedulerFigures SchedulerMeter::figures() const {
  observe::SchedulerFigures figures;
  figures.longest_turn_seconds = longest_turn_;
  figures.nodes = caches_.of<kube::Node>().size();
  for (const auto& [key, waiting] : waiting_) {
    if (waiting.decided) {
      ++figures.assumed_pods;
      continue;
    }
    const auto pod = caches_.of<kube::Pod>().find(key);
    if (pod == nullptr) continue;
    if (!pod->view.spec->scheduling_gates.empty()) {
      ++figures.gated;
      continue;
    }
    ++(waiting.attempts == 0 ? figures.active : figures.unschedulable);
    for (const std::string_view plugin : waiting.refused_by) {
      ++figures.refused[{std::string(plugin), pod->view.spec->scheduler_name}];
    }
  }
  const std::size_t without_node = waiting_.size() - figures.assumed_pods;
  figures.pods = model_.size() - std::min(model_.size(), without_node);
  return figures;
}

}  // namespace loadline::scheduler
