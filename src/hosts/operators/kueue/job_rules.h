#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/checked_field.h"

namespace loadline::operators::kueue {

// What Kueue's webhooks have against jobs, in their words and order. Source: Kueue v0.19.2,
// pkg/controller/jobframework/validation.go, pkg/controller/jobs/job/job_webhook.go. Not checked: topology requests.

/// Which kind a job is of, as its rules need it.
struct JobRules {
  std::string_view gvk;           ///< "batch/v1, Kind=Job": as Go prints it
  std::string_view suspend_path;  ///< "spec.suspend"
  bool is_batch_job = false;      ///< it may start with fewer pods
  bool may_be_elastic = false;
  /// Of Ray's kinds: what is asked of those in a queue; false: nothing else is.
  bool (*check_queued)(const apiserver::CheckedField& job) = nullptr;
};

/// What of the cluster the rules depend on.
struct JobPlace {
  bool manages_without_queue = false;  ///< manageJobsWithoutQueueName
  bool has_default_queue = false;      ///< the job's namespace
};

[[nodiscard]] kube::FieldErrors faults_of_job(const JobRules& rules, const JobPlace& place, const document::Value& job);
[[nodiscard]] kube::FieldErrors faults_of_job_change(const JobRules& rules, const JobPlace& place,
                                                     const document::Value& before, const document::Value& after);

/// Several as one text, as field.ErrorList.ToAggregate() says them; nothing: there are none.
[[nodiscard]] std::optional<std::string> aggregate(const kube::FieldErrors& faults);

}  // namespace loadline::operators::kueue
