#include "server/apiserver/kinds/job_status_rules.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "foundation/base/time.h"
#include "server/apiserver/kinds/index_intervals.h"
#include "server/apiserver/kinds/job_spec_rules.h"

namespace loadline::apiserver {
namespace {

using document::Value;

/// What upstream reads of a job before it judges.
struct Facts {
  explicit Facts(const CheckedField& job)
      : spec(job.at("spec")),
        status(job.at("status")),
        conditions(status.at("conditions")),
        is_complete(has_condition(job, "Complete")),
        is_failed(has_condition(job, "Failed")),
        is_failing(has_condition(job, "FailureTarget")),
        is_successful(has_condition(job, "SuccessCriteriaMet")),
        is_indexed(spec.at("completionMode").text() == "Indexed") {}

  CheckedField spec;
  CheckedField status;
  CheckedField conditions;
  bool is_complete;
  bool is_failed;
  bool is_failing;     ///< FailureTarget
  bool is_successful;  ///< SuccessCriteriaMet
  bool is_indexed;

  [[nodiscard]] bool is_finished() const { return is_complete || is_failed; }
};

/// Rules are asked of what a request changes only, so that jobs of old can go on.
struct Changes {
  Changes(const Facts& now, const Facts& before)
      : complete(now.is_complete != before.is_complete),
        failed(now.is_failed != before.is_failed),
        finished(now.is_finished() != before.is_finished()),
        failing(now.is_failing != before.is_failing),
        successful(now.is_successful != before.is_successful),
        completed_indexes(differs(now, before, "completedIndexes")),
        failed_indexes(differs(now, before, "failedIndexes")),
        active(differs(now, before, "active")),
        start(differs(now, before, "startTime")),
        completion(differs(now, before, "completionTime")),
        uncounted(differs(now, before, "uncountedTerminatedPods")),
        ready(differs(now, before, "ready")),
        terminating(differs(now, before, "terminating")) {}

  bool complete, failed, finished, failing, successful, completed_indexes, failed_indexes, active, start, completion,
      uncounted, ready, terminating;

 private:
  static bool differs(const Facts& now, const Facts& before, std::string_view name) {
    return !now.status.at(name).is_same_as(before.status.at(name));
  }
};

void check_uncounted(const CheckedField& uncounted) {
  std::set<std::string_view> seen;
  for (const std::string_view list : {"succeeded", "failed"}) {
    for (const CheckedField& uid : uncounted.at(list).elements()) {
      if (uid.text().empty()) {
        uid.invalid("must not be empty");
      } else if (!seen.insert(uid.text()).second) {
        uid.duplicate();
      }
    }
  }
}

void check_conditions(const Facts& now, const Changes& changed) {
  if ((changed.complete || changed.failed) && now.is_complete && now.is_failed) {
    now.conditions.invalid_unshown("cannot set Complete=True and Failed=true conditions");
  }
  if ((changed.complete || changed.failing) && now.is_complete && now.is_failing) {
    now.conditions.invalid_unshown("cannot set Complete=True and FailureTarget=true conditions");
  }
}

void check_times(const Facts& now, const Changes& changed) {
  const CheckedField completion = now.status.at("completionTime");
  const CheckedField start = now.status.at("startTime");
  if (changed.complete || changed.completion) {
    if (completion.is_set() && !now.is_complete) {
      completion.invalid("cannot set completionTime when there is no Complete=True condition");
    }
    if (!completion.is_set() && now.is_complete) completion.required("completionTime is required for Complete jobs");
  }
  if (!(changed.start || changed.completion) || !start.is_set() || !completion.is_set()) return;
  const auto started = parse_rfc3339(start.text());
  const auto completed = parse_rfc3339(completion.text());
  if (started && completed && *completed < *started) completion.invalid("must be equal to or after `startTime`");
}

void check_reasons(const Facts& now, const Changes& changed) {
  if ((changed.failed || changed.failed_indexes) && now.is_failed && !now.is_failing) {
    now.conditions.invalid_unshown("cannot set Failed=True condition without the FailureTarget=true condition");
  }
  if ((changed.complete || changed.successful) && now.is_complete && !now.is_successful) {
    now.conditions.invalid_unshown("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  }
}

void check_finished(const Facts& now, const Changes& changed) {
  if (!now.is_finished()) return;
  const CheckedField active = now.status.at("active");
  if ((changed.finished || changed.active) && active.number() > 0) {
    active.invalid("active>0 is invalid for finished job");
  }
  const bool never_ran = now.spec.at("suspend").is_true() && now.spec.at("completions").is_set() &&
                         now.spec.at("completions").number() == 0;
  if ((changed.finished || changed.start) && !never_ran && !now.status.at("startTime").is_set()) {
    now.status.at("startTime").required("startTime is required for finished job");
  }
  const CheckedField uncounted = now.status.at("uncountedTerminatedPods");
  if ((changed.finished || changed.uncounted) && uncounted.at("failed").size() + uncounted.at("succeeded").size() > 0) {
    uncounted.invalid("must be empty for finished job");
  }
}

void check_indexes(const Facts& now, const Changes& changed) {
  const CheckedField completed = now.status.at("completedIndexes");
  const CheckedField failed = now.status.at("failedIndexes");
  const CheckedField completions = now.spec.at("completions");
  const bool counts_per_index = now.spec.at("backoffLimitPerIndex").is_set();
  const auto check_format = [&](const CheckedField& indexes, std::string_view name) {
    const Result<std::int64_t> counted = count_indexes(indexes.text(), completions.number());
    if (!counted) indexes.invalid(fmt::format("error parsing {}: {}", name, counted.error().message));
  };
  if (changed.completed_indexes && completions.is_set()) check_format(completed, "completedIndexes");
  if (changed.failed_indexes && completions.is_set() && counts_per_index && failed.is_set()) {
    check_format(failed, "failedIndexes");
  }
  if (changed.completed_indexes && !completed.text().empty() && !now.is_indexed) {
    completed.invalid("cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (changed.failed_indexes && !counts_per_index && failed.is_set()) {
    failed.invalid("cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if ((changed.failed_indexes || changed.completed_indexes) && completions.is_set() && failed.is_set()) {
    const std::string overlap = overlap_of_indexes(completed.text(), failed.text(), completions.number());
    if (!overlap.empty()) failed.invalid(overlap);
  }
}

void check_pods(const Facts& now, const Changes& changed) {
  const CheckedField terminating = now.status.at("terminating");
  if ((changed.finished || changed.terminating) && now.is_finished() && terminating.number() > 0) {
    terminating.invalid("terminating>0 is invalid for finished job");
  }
  const CheckedField ready = now.status.at("ready");
  if ((changed.ready || changed.active) && ready.number() > now.status.at("active").number()) {
    ready.invalid("cannot set more ready pods than active");
  }
}

void check_success(const Facts& now) {
  if (now.is_successful && now.is_failed) {
    now.conditions.invalid_unshown("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  }
  if (now.is_successful && now.is_failing) {
    now.conditions.invalid_unshown("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  }
  if (now.spec.at("successPolicy").is_set() && !now.is_successful && now.is_complete) {
    now.conditions.invalid_unshown(
        "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True");
  }
}

/// What has happened stays so.
void check_history(const Facts& now, const Facts& before) {
  const auto check_kept = [&](bool was, bool is, std::string_view type) {
    if (was && !is) {
      now.conditions.invalid_unshown(fmt::format("cannot disable the terminal {}=True condition", type));
    }
  };
  check_kept(before.is_failed, now.is_failed, "Failed");
  check_kept(before.is_complete, now.is_complete, "Complete");
  check_kept(before.is_failing, now.is_failing, "FailureTarget");
  const CheckedField failed = now.status.at("failed");
  if (failed.number() < before.status.at("failed").number()) {
    failed.invalid(Value(failed.number()), "cannot decrease the failed counter");
  }
  const CheckedField succeeded = now.status.at("succeeded");
  const bool is_elastic = now.is_indexed && now.spec.at("completions").is_same_as(now.spec.at("parallelism"));
  if (!is_elastic && succeeded.number() < before.status.at("succeeded").number()) {
    succeeded.invalid(Value(succeeded.number()), "cannot decrease the succeeded counter");
  }
  const CheckedField completion = now.status.at("completionTime");
  const CheckedField old_completion = before.status.at("completionTime");
  if (completion.is_set() && old_completion.is_set()) completion.unchanged_from(old_completion);
}

void check_start(const CheckedField& object, const CheckedField& old, const Facts& now, const Facts& before) {
  const bool is_resuming = has_condition(old, "Suspended") && has_condition(object, "Suspended", "False");
  const CheckedField start = now.status.at("startTime");
  const CheckedField old_start = before.status.at("startTime");
  if (is_resuming || !old_start.is_set() || start.is_same_as(old_start) || now.spec.at("suspend").is_true()) return;
  start.invalid("field is immutable for unsuspended job once set");
}

}  // namespace

void check_job_status(const CheckedField& object, const CheckedField& old) {
  const Facts now(object);
  const Facts before(old);
  const Changes changed(now, before);
  for (const std::string_view name : {"active", "succeeded", "failed", "ready", "terminating"}) {
    now.status.at(name).not_negative();
  }
  check_uncounted(now.status.at("uncountedTerminatedPods"));
  check_conditions(now, changed);
  check_times(now, changed);
  check_reasons(now, changed);
  check_finished(now, changed);
  check_indexes(now, changed);
  check_pods(now, changed);
  check_success(now);
  check_history(now, before);
  check_start(object, old, now, before);
  if (before.is_successful && !now.is_successful) {
    now.conditions.invalid_unshown("cannot disable the SuccessCriteriaMet=True condition");
  }
  if (before.is_complete && !before.is_successful && now.is_successful) {
    now.conditions.invalid_unshown("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
  }
}

}  // namespace loadline::apiserver
