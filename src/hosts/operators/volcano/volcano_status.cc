#include "hosts/operators/volcano/volcano_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "brain/workloads/volcano_job.h"
#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/kubelet/go_duration.h"
#include "objects/kube/core/pod_status_schema.h"
#include "objects/kube/encoder.h"
#include "objects/kube/volcano/volcano_job_schema.h"

namespace loadline::operators {
namespace {

using document::Object;
using document::Value;

std::int64_t replicas_of(const kube::VolcanoJob& job) {
  std::int64_t total = 0;
  for (const kube::VolcanoTask& task : job.tasks) total += task.replicas;
  return total;
}

std::int64_t least_of_tasks(const kube::VolcanoJob& job) {
  std::int64_t total = 0;
  for (const kube::VolcanoTask& task : job.tasks) total += workloads::least_available(task);
  return total;
}

}  // namespace

VolcanoStatusDraft::VolcanoStatusDraft(const watching::Observed<kube::VolcanoJob>& job, Instant now)
    : job_(job.view), before_(document::value_at(job.document, {"status"})), at_(now) {
  const kube::VolcanoJobStatus& before = job.view.status;
  now_.phase = before.phase;
  now_.last_transition_time = before.last_transition_time;
  now_.version = before.version;
  now_.retry_count = before.retry_count;
  now_.conditions = before.conditions;
  now_.min_available = job.view.min_available;
  duration_ = document::value_at(before_, {"runningDuration"});
}

void VolcanoStatusDraft::count(std::string_view task, kube::PodPhase phase) {
  ++now_.tasks[std::string(task)].phases[std::string(kube::kPodPhaseNames[static_cast<std::size_t>(phase)])];
  switch (phase) {
    case kube::PodPhase::kPending:
      ++now_.pending;
      break;
    case kube::PodPhase::kRunning:
      ++now_.running;
      break;
    case kube::PodPhase::kSucceeded:
      ++now_.succeeded;
      break;
    case kube::PodPhase::kFailed:
      ++now_.failed;
      break;
    default:
      ++now_.unknown;
  }
}

bool VolcanoStatusDraft::has_ended() const {
  if (job_.min_success && now_.succeeded >= *job_.min_success) return true;
  return now_.succeeded + now_.failed == replicas_of(job_);
}

/// Each task needs as many that succeeded as it needs at all, unless the Job needs fewer.
std::string_view VolcanoStatusDraft::end_phase() const {
  if (job_.min_success && now_.succeeded >= *job_.min_success) return "Completed";
  if (job_.min_available >= least_of_tasks(job_)) {
    for (const kube::VolcanoTask& task : job_.tasks) {
      const auto counted = now_.tasks.find(task.name);
      if (!task.min_available || counted == now_.tasks.end()) continue;
      const auto succeeded = counted->second.phases.find("Succeeded");
      if ((succeeded == counted->second.phases.end() ? 0 : succeeded->second) < *task.min_available) return "Failed";
    }
  }
  if (job_.min_success) return "Failed";
  return now_.succeeded >= job_.min_available ? "Completed" : "Failed";
}

void VolcanoStatusDraft::judge() {
  if (now_.phase != "Running") {
    if (job_.min_available <= now_.running + now_.succeeded + now_.failed) now_.phase = "Running";
    return;
  }
  const std::int64_t replicas = replicas_of(job_);
  if (replicas == 0) return;
  if (has_ended()) {
    now_.phase = end_phase();
  } else if (now_.pending > replicas - job_.min_available) {
    now_.phase = "Pending";
  }
}

void VolcanoStatusDraft::end(Instant created) {
  if (!duration_.is_null()) return;
  ++now_.version;
  duration_ = Value(kubelet::go_duration(now_.last_transition_time.value_or(at_) - created));
}

Value VolcanoStatusDraft::changed() const {
  const auto written = [&](kube::VolcanoJobStatus status) {
    kube::VolcanoJob job;
    job.status = std::move(status);
    Value value = document::value_at(kube::encode_object(kube::kVolcanoJobSchema, &job), {"status"});
    if (!value.is_object()) value = Value(Object{});
    return duration_.is_null() ? value : std::move(value).with("runningDuration", duration_);
  };
  if (document::same_document(written(now_), before_)) return {};
  kube::VolcanoJobStatus status = now_;
  // The time of an end is when it ended, whatever is counted afterwards.
  if (duration_.is_null()) status.last_transition_time = at_;
  std::erase_if(status.conditions, [&](const auto& condition) { return condition.status == status.phase; });
  status.conditions.push_back({status.phase, status.last_transition_time});
  return written(std::move(status));
}

}  // namespace loadline::operators
