#include "hosts/scheduler/queues/workload_deed.h"

#include <algorithm>

#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {
namespace {

Done reserve(const WorkloadDeed& deed, kube::KueueWorkload& workload) {
  if (kube::has_quota_reservation(workload)) {
    const bool is_same = workload.status.admission &&
                         workload.status.admission->cluster_queue == deed.admission.cluster_queue &&
                         !kube::is_evicted(workload);
    return is_same ? Done::kAlready : Done::kVoid;
  }
  if (!kube::is_admissible(workload) || workload.metadata.generation != deed.generation) return Done::kVoid;
  kube::reserve_quota(workload, deed.admission, deed.at);
  // Of a check that the object does not name yet, nobody has said that it passed.
  const bool knows_checks = std::ranges::all_of(deed.checks, [&](const std::string& check) {
    const auto& known = workload.status.admission_checks;
    return std::ranges::find(known, check, &kube::AdmissionCheckStatus::name) != known.end();
  });
  if (knows_checks) kube::sync_admitted(workload, deed.at);
  return Done::kNow;
}

Done evict_for_another(const WorkloadDeed& deed, kube::KueueWorkload& workload) {
  if (kube::is_evicted(workload)) return Done::kAlready;
  if (!kube::has_quota_reservation(workload) || kube::is_finished(workload)) return Done::kVoid;
  kube::evict(workload, "Preempted", deed.message, deed.at);
  kube::set_preempted(workload, deed.reason, deed.message, deed.at);
  return Done::kNow;
}

}  // namespace

Done apply(const WorkloadDeed& deed, kube::KueueWorkload& workload) {
  if (workload.metadata.uid != deed.uid) return Done::kVoid;
  switch (deed.kind) {
    case WorkloadDeed::Kind::kWaiting:
      if (!kube::is_admissible(workload)) return Done::kVoid;
      return kube::unreserve_quota(workload, deed.reason.empty() ? std::string_view("Pending") : deed.reason,
                                   deed.message, deed.at)
                 ? Done::kNow
                 : Done::kAlready;
    case WorkloadDeed::Kind::kReservation:
      return reserve(deed, workload);
    case WorkloadDeed::Kind::kEviction:
      return evict_for_another(deed, workload);
  }
  return Done::kVoid;
}

}  // namespace loadline::scheduler::queues
