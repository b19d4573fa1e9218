#include "hosts/scheduler/queues/workload_digest.h"

#include <fmt/format.h>

#include <iterator>

#include "objects/kube/condition.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {
namespace {

/// Why it does not have quota is said by the queues themselves; but for this one reason.
bool counts(const kube::MetaCondition& condition) {
  if (condition.type == "QuotaReserved") return condition.status == "True" || condition.reason == "OnHold";
  if (condition.type == "Requeued") return condition.status == "False";
  return condition.status == "True";
}

}  // namespace

std::string digest_of(const kube::KueueWorkload& workload) {
  std::string digest;
  const auto out = std::back_inserter(digest);
  const auto job = workload.metadata.labels.find("kueue.x-k8s.io/job-uid");
  fmt::format_to(out, "{:?} {} {:?} {}", workload.metadata.uid, workload.metadata.generation,
                 job == workload.metadata.labels.end() ? std::string_view() : std::string_view(job->second),
                 kube::has_admission_gate(workload));
  for (const kube::MetaCondition& condition : workload.status.conditions) {
    if (!counts(condition)) continue;
    const Instant since = condition.last_transition_time.value_or(Instant{});
    fmt::format_to(out, " {:?} {:?} {:?} {}", condition.type, condition.status, condition.reason, since.nanoseconds);
  }
  const auto& requeue = workload.status.requeue_state;
  fmt::format_to(out, "|{}", requeue && requeue->requeue_at ? requeue->requeue_at->nanoseconds : 0);
  fmt::format_to(
      out, " {}",
      kube::has_check(workload, kube::CheckState::kRetry) || kube::has_check(workload, kube::CheckState::kRejected));
  for (const kube::ReclaimablePods& pods : workload.status.reclaimable_pods) {
    fmt::format_to(out, " {:?} {}", pods.name, pods.count);
  }
  if (!workload.status.admission) return digest;
  fmt::format_to(out, "|{:?}", workload.status.admission->cluster_queue);
  for (const kube::PodSetAssignment& set : workload.status.admission->pod_set_assignments) {
    fmt::format_to(out, " {:?} {}", set.name, set.count.value_or(-1));
    for (const auto& [resource, flavor] : set.flavors) fmt::format_to(out, " {:?} {:?}", resource, flavor);
    for (const auto& [resource, amount] : set.resource_usage) {
      fmt::format_to(out, " {:?} {}", resource, amount.to_string());
    }
  }
  return digest;
}

}  // namespace loadline::scheduler::queues
