#include "hosts/scheduler/queues/queue_meter.h"

#include <string_view>
#include <utility>

#include "objects/kube/condition.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {
namespace {

double seconds_of(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

/// "DeactivatedDueToAdmissionCheck": the reason, and what is behind it.
std::pair<std::string_view, std::string_view> split(std::string_view reason) {
  constexpr std::string_view kBetween = "DueTo";
  const std::size_t at = reason.find(kBetween);
  if (at == std::string_view::npos) return {reason, {}};
  return {reason.substr(0, at), reason.substr(at + kBetween.size())};
}

}  // namespace

QueueMeter::QueueMeter(watching::Subscriptions& subscriptions, const EventLoop& clock, const LiveQueues& queues,
                       std::shared_ptr<observe::KueueMetrics> metrics)
    : clock_(clock), queues_(queues), metrics_(std::move(metrics)) {
  subscriptions.on<kube::KueueWorkload>(
      [this](const watching::Change<kube::KueueWorkload>& change, watching::Keys&) { on_workload(change); });
}

/// Of one that is seen for the first time nobody knows what became of it when.
void QueueMeter::on_workload(const watching::Change<kube::KueueWorkload>& change) {
  if (change.before == nullptr || change.after == nullptr) return;
  const kube::KueueWorkload& before = change.before->view;
  const kube::KueueWorkload& after = change.after->view;
  if (!after.status.admission) return;
  const observe::KueueMetrics::Workload workload{after.status.admission->cluster_queue, after.priority_class_name};
  const double waited = seconds_of(clock_.now() - kube::queued_since(after));
  if (kube::has_quota_reservation(after) && !kube::has_quota_reservation(before)) metrics_->reserved(workload, waited);
  if (kube::is_admitted(after) && !kube::is_admitted(before)) metrics_->admitted(workload, waited);
  if (!kube::is_evicted(after) || kube::is_evicted(before)) return;
  const auto [reason, cause] = split(kube::find_condition(after.status.conditions, "Evicted")->reason);
  metrics_->evicted(workload, reason, cause);
}

}  // namespace loadline::scheduler::queues
