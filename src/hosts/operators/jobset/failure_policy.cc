#include "hosts/operators/jobset/failure_policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "brain/workloads/job.h"
#include "objects/kube/workload_names.h"
#include "objects/schema/custom/pattern.h"

namespace loadline::operators {
namespace {

using watching::Observed;

template <class T>
bool is_empty_or_has(const std::vector<T>& list, std::string_view item) {
  return list.empty() || std::find(list.begin(), list.end(), item) != list.end();
}

/// A pattern that is no regular expression matches nothing.
bool matches_any(const std::vector<std::string>& patterns, std::string_view message) {
  return patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& text) {
           const auto pattern = schema::Pattern::compile(text);
           return pattern && pattern->matches(message);
         });
}

bool applies(const kube::JobSetFailureRule& rule, const kube::Job& job) {
  const kube::JobCondition& end = *workloads::finished_condition(job);
  const auto replicated_job = job.metadata.labels.find(kube::kReplicatedJobName);
  if (replicated_job == job.metadata.labels.end() || replicated_job->second.empty()) return false;
  return is_empty_or_has(rule.reasons, end.reason) && matches_any(rule.message_patterns, end.message) &&
         is_empty_or_has(rule.targets, replicated_job->second);
}

/// The one that failed first of those that `counts`; null: none does.
template <class Counts>
const kube::Job* first_failed(const JobList& failed, Counts counts) {
  const kube::Job* first = nullptr;
  const auto when = [](const kube::Job& job) { return workloads::finished_condition(job)->last_transition_time; };
  for (const Observed<kube::Job>* job : failed) {
    if (counts(job->view) && (first == nullptr || when(job->view) < when(*first))) first = &job->view;
  }
  return first;
}

/// What is done about a Job that failed.
struct Response {
  std::string_view action = "RestartJobSet";
  const kube::Job* because_of = nullptr;
  std::string rule = "DefaultFailurePolicy";  ///< as the condition names it
};

Response response_to(const kube::JobSetFailurePolicy& policy, const JobList& failed) {
  for (const kube::JobSetFailureRule& rule : policy.rules) {
    const kube::Job* job = first_failed(failed, [&](const kube::Job& each) { return applies(rule, each); });
    if (job != nullptr) return {rule.action, job, "FailurePolicy_" + rule.name};
  }
  Response response;
  response.because_of = first_failed(failed, [](const kube::Job&) { return true; });
  return response;
}

std::string message_of(std::string_view what, const kube::Job& job) {
  return fmt::format("{} (first failed job: {})", what, job.metadata.name);
}

}  // namespace

void apply_failure_policy(const kube::JobSet& set, const JobList& failed, StatusDraft& draft) {
  if (!set.failure_policy) {
    const kube::Job* first = first_failed(failed, [](const kube::Job&) { return true; });
    return draft.fail("FailedJobs", message_of("jobset failed due to one or more job failures", *first));
  }
  const Response response = response_to(*set.failure_policy, failed);
  const kube::Job& job = *response.because_of;
  if (response.action == "FailJobSet") {
    return draft.fail("FailJobSetFailurePolicyAction", message_of("applying FailJobSet failure policy action", job));
  }
  const bool counts = response.action != "RestartJobSetAndIgnoreMaxRestarts";
  if (counts && draft.status.restarts_count_towards_max >= set.failure_policy->max_restarts) {
    return draft.fail("ReachedMaxRestarts", message_of("jobset failed due to reaching max number of restarts", job));
  }
  const std::string action(counts ? "RestartJobSet" : response.action);
  draft.restart(counts, response.rule, action + "FailurePolicyAction",
                message_of("applying " + action + " failure policy action", job));
}

}  // namespace loadline::operators
