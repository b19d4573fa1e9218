#include "objects/kube/batch/batch_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kCompletionModeNames[] = {"NonIndexed", "Indexed"};
constexpr Enumeration kCompletionMode{kCompletionModeNames, {}, Enumeration::Order::kAsListed};

constexpr std::string_view kConcurrencyPolicyNames[] = {"Allow", "Forbid", "Replace"};
constexpr Enumeration kConcurrencyPolicy{kConcurrencyPolicyNames};
template <>
inline constexpr const Enumeration* kEnumerationOf<ConcurrencyPolicy> = &kConcurrencyPolicy;

constexpr Field kPodFailurePolicyOnExitCodesRequirementFields[] = {
    field<&PodFailurePolicyOnExitCodes::container_name>("containerName"),
    field<&PodFailurePolicyOnExitCodes::operator_>("operator").required(),
    field<&PodFailurePolicyOnExitCodes::values>("values").required(),
};
constexpr Schema kPodFailurePolicyOnExitCodesRequirementSchema{"PodFailurePolicyOnExitCodesRequirement",
                                                               kPodFailurePolicyOnExitCodesRequirementFields};

constexpr Field kPodFailurePolicyOnPodConditionsPatternFields[] = {
    field<&PodFailurePolicyOnPodCondition::status>("status"),
    field<&PodFailurePolicyOnPodCondition::type>("type").required(),
};
constexpr Schema kPodFailurePolicyOnPodConditionsPatternSchema{"PodFailurePolicyOnPodConditionsPattern",
                                                               kPodFailurePolicyOnPodConditionsPatternFields};

constexpr Field kPodFailurePolicyRuleFields[] = {
    field<&PodFailurePolicyRule::action>("action").required(),
    field<&PodFailurePolicyRule::on_exit_codes>("onExitCodes", object(kPodFailurePolicyOnExitCodesRequirementSchema)),
    field<&PodFailurePolicyRule::on_pod_conditions>("onPodConditions",
                                                    list_of(object(kPodFailurePolicyOnPodConditionsPatternSchema))),
};
constexpr Schema kPodFailurePolicyRuleSchema{"PodFailurePolicyRule", kPodFailurePolicyRuleFields};

constexpr Field kPodFailurePolicyFields[] = {
    field<&PodFailurePolicy::rules>("rules", list_of(object(kPodFailurePolicyRuleSchema))).required(),
};
constexpr Schema kPodFailurePolicySchema{"PodFailurePolicy", kPodFailurePolicyFields};

constexpr Field kSuccessPolicyRuleFields[] = {
    field<&SuccessPolicyRule::succeeded_count>("succeededCount"),
    field<&SuccessPolicyRule::succeeded_indexes>("succeededIndexes"),
};
constexpr Schema kSuccessPolicyRuleSchema{"SuccessPolicyRule", kSuccessPolicyRuleFields};

constexpr Field kSuccessPolicyFields[] = {
    field<&SuccessPolicy::rules>("rules", list_of(object(kSuccessPolicyRuleSchema))).required(),
};
constexpr Schema kSuccessPolicySchema{"SuccessPolicy", kSuccessPolicyFields};

static void read_completion_mode(Decoder&, const document::Value& value, const Path&, JobSpec& spec) {
  spec.indexed = value.string() == "Indexed";
}

constexpr Field kJobSpecFields[] = {
    field<&JobSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    field<&JobSpec::backoff_limit>("backoffLimit"),
    field<&JobSpec::backoff_limit_per_index>("backoffLimitPerIndex"),
    custom<read_completion_mode>("completionMode", one_of(kCompletionMode)),
    field<&JobSpec::completions>("completions"),
    field<&JobSpec::managed_by>("managedBy"),
    known("manualSelector", kBoolean),
    field<&JobSpec::max_failed_indexes>("maxFailedIndexes"),
    field<&JobSpec::parallelism>("parallelism"),
    field<&JobSpec::pod_failure_policy>("podFailurePolicy", object(kPodFailurePolicySchema)),
    field<&JobSpec::pod_replacement_policy>("podReplacementPolicy"),
    field<&JobSpec::selector>("selector", object(kLabelSelectorSchema)),
    field<&JobSpec::success_policy>("successPolicy", object(kSuccessPolicySchema)),
    field<&JobSpec::suspend>("suspend"),
    field<&JobSpec::template_>("template", object(kPodTemplateSpecSchema)).required(),
    field<&JobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
};
constinit const Schema kJobSpecSchema{"JobSpec", kJobSpecFields};

constexpr Field kJobConditionFields[] = {
    field<&JobCondition::last_probe_time>("lastProbeTime"),
    field<&JobCondition::last_transition_time>("lastTransitionTime"),
    field<&JobCondition::message>("message"),
    field<&JobCondition::reason>("reason"),
    field<&JobCondition::status>("status").required(),
    field<&JobCondition::type>("type").required(),
};
constexpr Schema kJobConditionSchema{"JobCondition", kJobConditionFields};

constexpr Field kUncountedTerminatedPodsFields[] = {
    field<&UncountedTerminatedPods::failed>("failed"),
    field<&UncountedTerminatedPods::succeeded>("succeeded"),
};
constexpr Schema kUncountedTerminatedPodsSchema{"UncountedTerminatedPods", kUncountedTerminatedPodsFields};

constexpr Field kJobStatusFields[] = {
    field<&JobStatus::active>("active"),
    field<&JobStatus::completed_indexes>("completedIndexes"),
    field<&JobStatus::completion_time>("completionTime"),
    field<&JobStatus::conditions>("conditions", list_of(object(kJobConditionSchema))),
    field<&JobStatus::failed>("failed"),
    field<&JobStatus::failed_indexes>("failedIndexes"),
    field<&JobStatus::ready>("ready"),
    field<&JobStatus::start_time>("startTime"),
    field<&JobStatus::succeeded>("succeeded"),
    field<&JobStatus::terminating>("terminating"),
    field<&JobStatus::uncounted_terminated_pods>("uncountedTerminatedPods", object(kUncountedTerminatedPodsSchema)),
};
constinit const Schema kJobStatusSchema{"JobStatus", kJobStatusFields};

constexpr Field kJobFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Job::metadata>("metadata", object(kObjectMetaSchema)),
    field<&Job::spec>("spec", object(kJobSpecSchema)),
    field<&Job::status>("status", object(kJobStatusSchema)),
};
constinit const Schema kJobSchema{"Job", kJobFields};

constexpr Field kJobTemplateSpecFields[] = {
    field<&CronJob::job_metadata>("metadata", object(kObjectMetaSchema)),
    field<&CronJob::job_spec>("spec", object(kJobSpecSchema)),
};
constexpr Schema kJobTemplateSpecSchema{"JobTemplateSpec", kJobTemplateSpecFields};

constexpr Field kCronJobSpecFields[] = {
    field<&CronJob::concurrency_policy>("concurrencyPolicy"),
    field<&CronJob::failed_jobs_history_limit>("failedJobsHistoryLimit"),
    part("jobTemplate", kJobTemplateSpecSchema).required(),
    field<&CronJob::schedule>("schedule").required(),
    field<&CronJob::starting_deadline_seconds>("startingDeadlineSeconds"),
    field<&CronJob::successful_jobs_history_limit>("successfulJobsHistoryLimit"),
    field<&CronJob::suspend>("suspend"),
    field<&CronJob::time_zone>("timeZone"),
};
constexpr Schema kCronJobSpecSchema{"CronJobSpec", kCronJobSpecFields};

constexpr Field kCronJobStatusFields[] = {
    field<&CronJobStatus::active>("active", list_of(object(kObjectReferenceSchema))),
    field<&CronJobStatus::last_schedule_time>("lastScheduleTime"),
    field<&CronJobStatus::last_successful_time>("lastSuccessfulTime"),
};
constinit const Schema kCronJobStatusSchema{"CronJobStatus", kCronJobStatusFields};

constexpr Field kCronJobFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&CronJob::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kCronJobSpecSchema).required(),
    field<&CronJob::status>("status", object(kCronJobStatusSchema)),
};
constinit const Schema kCronJobSchema{"CronJob", kCronJobFields};

}  // namespace loadline::kube
