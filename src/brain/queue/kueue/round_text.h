#pragma once

#include <string>
#include <string_view>

#include "brain/queue/kueue/kueue_scheduler.h"

namespace loadline::queue::kueue {

/// What is said of what rounds decide, in Kueue's words. REQUIRES, of all: the ids are the scheduler's.
/// Source: Kueue v0.19.2, pkg/scheduler.

/// "insufficient quota for cpu in flavor default, …"
[[nodiscard]] std::string text(const KueueScheduler& scheduler, const FlavorReason& reason);
/// Why pod sets did not get their flavors at once: "couldn't assign flavors to pod set main: …". Empty: they did.
[[nodiscard]] std::string text(const KueueScheduler& scheduler, WorkloadId workload, const Assignment& assignment);
/// The message of QuotaReserved=False. Empty: it has its quota.
[[nodiscard]] std::string text(const KueueScheduler& scheduler, const Decision& decision);
/// "Quota reserved in ClusterQueue q, wait time since queued was 3s; Flavors considered: …": of one that was admitted.
[[nodiscard]] std::string reservation_text(const KueueScheduler& scheduler, const Decision& decision, Duration waited);

/// "InCohortReclamation"
[[nodiscard]] std::string_view reason_name(PreemptionReason reason);
/// The message of the victim's conditions.
[[nodiscard]] std::string preempted_text(const KueueScheduler& scheduler, WorkloadId preemptor, const Victim& victim);
/// Whom that message names as preemptor, also if it is told later as "Previously: …"; empty: nobody.
[[nodiscard]] std::string_view preemptor_uid(std::string_view message);
/// The victim's event, and the preemptor's.
[[nodiscard]] std::string preempted_event_text(const KueueScheduler& scheduler, WorkloadId preemptor,
                                               const Victim& victim);
[[nodiscard]] std::string preempting_event_text(const KueueScheduler& scheduler, WorkloadId preemptor,
                                                const Victim& victim);

/// The Active condition of a ClusterQueue.
struct ActiveCondition {
  bool is_active = true;
  std::string_view reason;
  std::string message;
};
[[nodiscard]] ActiveCondition active_condition(const ClusterQueue& queue);

}  // namespace loadline::queue::kueue
