#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

struct PodFailurePolicyOnExitCodes {
  std::optional<std::string> container_name;  ///< nullopt: any container
  std::string operator_;                      ///< In, NotIn
  std::vector<std::int32_t> values;
};

struct PodFailurePolicyOnPodCondition {
  std::string type;
  std::string status;  ///< "True" unless something else is said
};

/// One of the two says which failed pods it is about.
struct PodFailurePolicyRule {
  std::string action;  ///< FailJob, FailIndex, Ignore, Count
  std::optional<PodFailurePolicyOnExitCodes> on_exit_codes;
  std::vector<PodFailurePolicyOnPodCondition> on_pod_conditions;
};

/// The first rule that matches a failed pod decides about it.
struct PodFailurePolicy {
  std::vector<PodFailurePolicyRule> rules;
};

struct SuccessPolicyRule {
  std::optional<std::int32_t> succeeded_count;
  std::optional<std::string> succeeded_indexes;  ///< "0-3,7"
};

struct SuccessPolicy {
  std::vector<SuccessPolicyRule> rules;
};

struct JobSpec {
  std::optional<std::int32_t> parallelism;
  std::optional<std::int32_t> completions;
  bool indexed = false;  ///< completionMode Indexed
  bool suspend = false;
  std::optional<std::int64_t> active_deadline_seconds;
  std::optional<std::int32_t> backoff_limit;
  std::optional<std::int32_t> backoff_limit_per_index;
  std::optional<std::int32_t> max_failed_indexes;
  std::optional<PodFailurePolicy> pod_failure_policy;
  std::optional<SuccessPolicy> success_policy;
  std::string pod_replacement_policy;  ///< TerminatingOrFailed, Failed
  std::string managed_by;              ///< empty: the Job controller
  std::optional<std::int32_t> ttl_seconds_after_finished;
  std::optional<LabelSelector> selector;
  PodTemplateSpec template_;
};

struct JobCondition {
  std::string type;
  std::string status;
  std::optional<Instant> last_probe_time;
  std::optional<Instant> last_transition_time;
  std::string reason;
  std::string message;
};

/// Pods that have ended, are not in the counters yet, and may still have the tracking finalizer.
struct UncountedTerminatedPods {
  std::vector<std::string> succeeded;  ///< uids
  std::vector<std::string> failed;
};

struct JobStatus {
  std::vector<JobCondition> conditions;
  std::optional<Instant> start_time;
  std::optional<Instant> completion_time;
  std::int32_t active = 0;
  std::int32_t succeeded = 0;
  std::int32_t failed = 0;
  std::optional<std::int32_t> terminating;
  std::optional<std::int32_t> ready;
  std::string completed_indexes;  ///< "0-3,7"
  std::optional<std::string> failed_indexes;
  std::optional<UncountedTerminatedPods> uncounted_terminated_pods;
};

struct Job {
  ObjectMeta metadata;
  JobSpec spec;
  JobStatus status;
};

enum class ConcurrencyPolicy : std::uint8_t { kAllow, kForbid, kReplace };

struct CronJobStatus {
  std::vector<ObjectReference> active;
  std::optional<Instant> last_schedule_time;
  std::optional<Instant> last_successful_time;
};

struct CronJob {
  ObjectMeta metadata;
  std::string schedule;
  std::string time_zone;
  ConcurrencyPolicy concurrency_policy = ConcurrencyPolicy::kAllow;
  std::optional<std::int64_t> starting_deadline_seconds;
  std::optional<std::int32_t> successful_jobs_history_limit;
  std::optional<std::int32_t> failed_jobs_history_limit;
  bool suspend = false;
  ObjectMeta job_metadata;
  JobSpec job_spec;
  CronJobStatus status;
};

}  // namespace loadline::kube
