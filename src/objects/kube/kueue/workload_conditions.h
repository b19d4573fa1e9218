#pragma once

#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::kube {

// What the status of Kueue's Workload says, and the changes that Kueue makes of it, in its words. Times are whole
// seconds, as an API server keeps them. Source: Kueue v0.19.2, pkg/workload, pkg/workload/evict.

// ---- what it says --------------------------------------------------------------------------------------------------
[[nodiscard]] bool has_quota_reservation(const KueueWorkload& workload);
[[nodiscard]] bool is_admitted(const KueueWorkload& workload);
[[nodiscard]] bool is_evicted(const KueueWorkload& workload);
[[nodiscard]] bool is_finished(const KueueWorkload& workload);
/// kAdmissionGatedByAnnotation names somebody.
[[nodiscard]] bool has_admission_gate(const KueueWorkload& workload);
/// It may stand in a queue: it is active, not finished, has no quota, and nothing holds it back.
[[nodiscard]] bool is_admissible(const KueueWorkload& workload);
[[nodiscard]] bool has_check(const KueueWorkload& workload, CheckState state);
/// True for one without checks.
[[nodiscard]] bool has_all_checks_ready(const KueueWorkload& workload);
/// Since when it has waited: since it was requeued last, or created.
[[nodiscard]] Instant queued_since(const KueueWorkload& workload);

// ---- changes: true: something is another than before ---------------------------------------------------------------
/// Puts the condition in place of the one of its type; its time counts only if the status is another.
bool set_condition(KueueWorkload& workload, MetaCondition condition);
/// It has the quota of `admission`. That it was evicted or preempted before is over.
void reserve_quota(KueueWorkload& workload, WorkloadAdmission admission, Instant now);
/// It has no quota, and is not admitted.
bool unreserve_quota(KueueWorkload& workload, std::string_view reason, std::string message, Instant now);
/// Admitted is what quota and checks come to. What it ran for is added up when it ceases to be.
bool sync_admitted(KueueWorkload& workload, Instant now);
/// It is to leave: Evicted=True, and its checks begin anew. It keeps its quota until its job has stopped.
void evict(KueueWorkload& workload, std::string_view reason, std::string message, Instant now);
/// Why it was evicted in favour of another one: goes with evict().
void set_preempted(KueueWorkload& workload, std::string_view reason, std::string message, Instant now);
bool set_requeued(KueueWorkload& workload, std::string_view reason, std::string message, bool is_requeued, Instant now);
/// Kueue is to set spec.active=false.
bool set_deactivation_target(KueueWorkload& workload, std::string_view reason, std::string message, Instant now);
/// After `requeue_at` it may go on, or later if that was said before.
void postpone(KueueWorkload& workload, Instant requeue_at);

/// The members of the status that differ, as a merge patch has them; an empty object: none does. O(status).
[[nodiscard]] document::Value status_changes(const KueueWorkload& before, const KueueWorkload& after);

}  // namespace loadline::kube
