#include "hosts/scheduler/queues/round_deeds.h"

#include "brain/queue/kueue/round_objects.h"
#include "brain/queue/kueue/round_text.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::scheduler::queues {
namespace {

using queue::kueue::Decision;
using queue::kueue::KueueScheduler;
using queue::kueue::Victim;
using queue::kueue::WorkloadId;
using watching::Event;
using WorkloadPtr = watching::ObjectPtr<kube::KueueWorkload>;

/// Source: AdmissionName, pkg/constants.
constexpr const char* kReporter = "kueue-admission";

class Deeds {
 public:
  Deeds(const KueueScheduler& scheduler, const watching::Caches& caches, Instant now)
      : scheduler_(scheduler), caches_(caches), now_(now) {}

  void add(const Decision& decision) {
    if (decision.code == Decision::Code::kAdmitted) return reserve(decision);
    for (const Victim& victim : decision.evicted) evict(decision.workload, victim);
    const WorkloadPtr object = find(decision.workload);
    if (object == nullptr) return;
    WorkloadDeed deed = deed_about(*object, WorkloadDeed::Kind::kWaiting);
    deed.message = text(scheduler_, decision);
    if (decision.code == Decision::Code::kWaitsForPods) {
      deed.reason = "Waiting";
    } else {
      deed.events.push_back(event(*object, Event::Type::kWarning, "Pending", deed.message));
    }
    deeds_.emplace_back(object->key(), std::move(deed));
  }
  [[nodiscard]] std::vector<std::pair<watching::ObjectKey, WorkloadDeed>> take() { return std::move(deeds_); }

 private:
  [[nodiscard]] WorkloadPtr find(WorkloadId workload) const {
    return caches_.of<kube::KueueWorkload>().find(key_of(scheduler_.workloads().at(workload)));
  }
  [[nodiscard]] WorkloadDeed deed_about(const watching::Observed<kube::KueueWorkload>& object,
                                        WorkloadDeed::Kind kind) const {
    WorkloadDeed deed;
    deed.kind = kind;
    deed.uid = object.metadata().uid;
    deed.generation = object.metadata().generation;
    deed.at = now_;
    return deed;
  }
  [[nodiscard]] static Event event(const watching::Observed<kube::KueueWorkload>& about, Event::Type type,
                                   std::string reason, std::string message) {
    Event event{watching::reference_to(about), type, std::move(reason), std::move(message)};
    event.reporter = kReporter;
    return event;
  }

  void reserve(const Decision& decision) {
    const WorkloadPtr object = find(decision.workload);
    if (object == nullptr) return;
    WorkloadDeed deed = deed_about(*object, WorkloadDeed::Kind::kReservation);
    deed.admission = queue::kueue::admission_of(scheduler_, decision);
    deed.checks = queue::kueue::required_checks(scheduler_, decision);
    const Duration waited = now_ - kube::queued_since(object->view);
    deed.events.push_back(
        event(*object, Event::Type::kNormal, "QuotaReserved", reservation_text(scheduler_, decision, waited)));
    deeds_.emplace_back(object->key(), std::move(deed));
  }

  void evict(WorkloadId preemptor, const Victim& victim) {
    const WorkloadPtr object = find(victim.workload);
    const WorkloadPtr by = find(preemptor);
    if (object == nullptr || by == nullptr) return;
    WorkloadDeed deed = deed_about(*object, WorkloadDeed::Kind::kEviction);
    deed.reason = reason_name(victim.reason);
    deed.message = preempted_text(scheduler_, preemptor, victim);
    deed.events.push_back(event(*object, Event::Type::kNormal, "EvictedDueToPreempted", deed.message));
    deed.events.push_back(
        event(*object, Event::Type::kNormal, "Preempted", preempted_event_text(scheduler_, preemptor, victim)));
    deed.events.push_back(
        event(*by, Event::Type::kNormal, "PreemptedWorkload", preempting_event_text(scheduler_, preemptor, victim)));
    deeds_.emplace_back(object->key(), std::move(deed));
  }

  const KueueScheduler& scheduler_;
  const watching::Caches& caches_;
  Instant now_;
  std::vector<std::pair<watching::ObjectKey, WorkloadDeed>> deeds_;
};

}  // namespace

watching::ObjectKey key_of(const queue::kueue::Workload& workload) {
  const std::size_t slash = workload.name.find('/');
  return {workload.name.substr(0, slash), workload.name.substr(slash + 1)};
}

std::vector<std::pair<watching::ObjectKey, WorkloadDeed>> deeds_of(const KueueScheduler& scheduler,
                                                                   const queue::kueue::Round& round,
                                                                   const watching::Caches& caches, Instant now) {
  Deeds deeds(scheduler, caches, now);
  for (const Decision& decision : round.decisions) deeds.add(decision);
  return deeds.take();
}

}  // namespace loadline::scheduler::queues
