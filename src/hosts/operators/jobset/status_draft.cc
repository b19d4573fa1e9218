#include "hosts/operators/jobset/status_draft.h"

#include <algorithm>
#include <utility>

#include "hosts/controllers/workload_conditions.h"
#include "objects/kube/encoder.h"
#include "objects/kube/jobset/job_set_schema.h"

namespace loadline::operators {
namespace {

using watching::Event;

constexpr std::string_view kInProgress = "StartupPolicyInProgress";
constexpr std::string_view kRestarting = "RestartingJobSet";
constexpr std::string_view kCompleted = "StartupPolicyCompleted";

/// Conditions of which only one is true.
bool exclude_each_other(std::string_view one, std::string_view other) {
  return (one == kInProgress && other == kCompleted) || (one == kCompleted && other == kInProgress);
}

}  // namespace

void StatusDraft::set_condition(std::string_view type, bool value, std::string_view reason, std::string_view message,
                                Event::Type told_as) {
  kube::MetaCondition condition{std::string(type),   value ? "True" : "False", 0, controllers::whole_seconds(now_),
                                std::string(reason), std::string(message)};
  bool is_known = false;
  bool has_changed = false;
  for (kube::MetaCondition& known : status.conditions) {
    if (known.type == type) {
      is_known = true;
      if (known.status == condition.status) condition.last_transition_time = known.last_transition_time;
      if (known == condition) continue;
      known = condition;
      has_changed = true;
    } else if (value && known.status == "True" && exclude_each_other(known.type, type)) {
      known.status = "False";
      has_changed = true;
    }
  }
  if (!is_known && value) {
    status.conditions.push_back(condition);
    has_changed = true;
  }
  if (has_changed) tell(told_as, reason, std::string(message));
}

void StatusDraft::tell(Event::Type type, std::string_view reason, std::string message) {
  events_.push_back({watching::reference_to(set_), type, std::string(reason), std::move(message)});
}

void StatusDraft::complete() {
  constexpr std::string_view kMessage = "jobset completed successfully";
  set_condition("Completed", true, "AllJobsCompleted", kMessage);
  end_restart("JobSetCompleted", kMessage);
  status.terminal_state = "Completed";
}

void StatusDraft::fail(std::string_view reason, std::string message) {
  set_condition("Failed", true, reason, message, Event::Type::kWarning);
  end_restart("JobSetFailed", "jobset failed");
  status.terminal_state = "Failed";
}

void StatusDraft::restart(bool counts_towards_max, std::string_view rule, std::string_view reason,
                          const std::string& message) {
  ++status.restarts;
  if (counts_towards_max) ++status.restarts_count_towards_max;
  set_condition(kRestarting, true, rule, message, Event::Type::kWarning);
  tell(Event::Type::kWarning, reason, message);
}

void StatusDraft::end_restart(std::string_view reason, std::string_view message) {
  set_condition(kRestarting, false, reason, message);
}

void StatusDraft::write(watching::Reconciliation& result) {
  if (status == set_.view.status) return;
  const document::Value written = kube::encode_object(kube::kJobSetStatusSchema, &status);
  result.then(
      watching::update_status(watching::kind_name<kube::JobSet>(), set_.key(), set_.document.with("status", written)));
  std::move(events_.begin(), events_.end(), std::back_inserter(result.events_when_done));
  events_.clear();
}

}  // namespace loadline::operators
