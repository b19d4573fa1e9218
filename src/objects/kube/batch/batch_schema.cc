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
    field<&PodFailurePolicyOnExitCodes::operator_>("operator"),
    field<&PodFailurePolicyOnExitCodes::values>("values"),
};
constexpr Schema kPodFailurePolicyOnExitCodesRequirementSchema{
    "io.k8s.api.batch.v1.PodFailurePolicyOnExitCodesRequirement", kPodFailurePolicyOnExitCodesRequirementFields};

constexpr Field kPodFailurePolicyOnPodConditionsPatternFields[] = {
    field<&PodFailurePolicyOnPodCondition::status>("status"),
    field<&PodFailurePolicyOnPodCondition::type>("type"),
};
constexpr Schema kPodFailurePolicyOnPodConditionsPatternSchema{
    "io.k8s.api.batch.v1.PodFailurePolicyOnPodConditionsPattern", kPodFailurePolicyOnPodConditionsPatternFields};

constexpr Field kPodFailurePolicyRuleFields[] = {
    field<&PodFailurePolicyRule::action>("action"),
    field<&PodFailurePolicyRule::on_exit_codes>("onExitCodes", kPodFailurePolicyOnExitCodesRequirementSchema),
    field<&PodFailurePolicyRule::on_pod_conditions>("onPodConditions", kPodFailurePolicyOnPodConditionsPatternSchema),
};
constexpr Schema kPodFailurePolicyRuleSchema{"io.k8s.api.batch.v1.PodFailurePolicyRule", kPodFailurePolicyRuleFields};

constexpr Field kPodFailurePolicyFields[] = {
    field<&PodFailurePolicy::rules>("rules", kPodFailurePolicyRuleSchema),
};
constexpr Schema kPodFailurePolicySchema{"io.k8s.api.batch.v1.PodFailurePolicy", kPodFailurePolicyFields};

constexpr Field kSuccessPolicyRuleFields[] = {
    field<&SuccessPolicyRule::succeeded_count>("succeededCount"),
    field<&SuccessPolicyRule::succeeded_indexes>("succeededIndexes"),
};
constexpr Schema kSuccessPolicyRuleSchema{"io.k8s.api.batch.v1.SuccessPolicyRule", kSuccessPolicyRuleFields};

constexpr Field kSuccessPolicyFields[] = {
    field<&SuccessPolicy::rules>("rules", kSuccessPolicyRuleSchema),
};
constexpr Schema kSuccessPolicySchema{"io.k8s.api.batch.v1.SuccessPolicy", kSuccessPolicyFields};

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
    field<&JobSpec::max_failed_indexes>("maxFailedIndexes"),
    field<&JobSpec::parallelism>("parallelism"),
    field<&JobSpec::pod_failure_policy>("podFailurePolicy", kPodFailurePolicySchema),
    field<&JobSpec::pod_replacement_policy>("podReplacementPolicy"),
    field<&JobSpec::selector>("selector", kLabelSelectorSchema),
    field<&JobSpec::success_policy>("successPolicy", kSuccessPolicySchema),
    field<&JobSpec::suspend>("suspend"),
    field<&JobSpec::template_>("template", kPodTemplateSpecSchema),
    field<&JobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
};
constinit const Schema kJobSpecSchema{"io.k8s.api.batch.v1.JobSpec", kJobSpecFields};

constexpr Field kJobConditionFields[] = {
    field<&JobCondition::last_probe_time>("lastProbeTime"),
    field<&JobCondition::last_transition_time>("lastTransitionTime"),
    field<&JobCondition::message>("message"),
    field<&JobCondition::reason>("reason"),
    field<&JobCondition::status>("status"),
    field<&JobCondition::type>("type"),
};
constexpr Schema kJobConditionSchema{"io.k8s.api.batch.v1.JobCondition", kJobConditionFields};

constexpr Field kUncountedTerminatedPodsFields[] = {
    field<&UncountedTerminatedPods::failed>("failed"),
    field<&UncountedTerminatedPods::succeeded>("succeeded"),
};
constexpr Schema kUncountedTerminatedPodsSchema{"io.k8s.api.batch.v1.UncountedTerminatedPods",
                                                kUncountedTerminatedPodsFields};

constexpr Field kJobStatusFields[] = {
    field<&JobStatus::active>("active"),
    field<&JobStatus::completed_indexes>("completedIndexes"),
    field<&JobStatus::completion_time>("completionTime"),
    field<&JobStatus::conditions>("conditions", kJobConditionSchema),
    field<&JobStatus::failed>("failed"),
    field<&JobStatus::failed_indexes>("failedIndexes"),
    field<&JobStatus::ready>("ready"),
    field<&JobStatus::start_time>("startTime"),
    field<&JobStatus::succeeded>("succeeded"),
    field<&JobStatus::terminating>("terminating"),
    field<&JobStatus::uncounted_terminated_pods>("uncountedTerminatedPods", kUncountedTerminatedPodsSchema),
};
constinit const Schema kJobStatusSchema{"io.k8s.api.batch.v1.JobStatus", kJobStatusFields};

constexpr Field kJobFields[] = {
    field<&Job::metadata>("metadata", kObjectMetaSchema),
    field<&Job::spec>("spec", kJobSpecSchema),
    field<&Job::status>("status", kJobStatusSchema),
};
constinit const Schema kJobSchema{"io.k8s.api.batch.v1.Job", kJobFields};

constexpr Field kJobTemplateSpecFields[] = {
    field<&CronJob::job_metadata>("metadata", kObjectMetaSchema),
    field<&CronJob::job_spec>("spec", kJobSpecSchema),
};
constexpr Schema kJobTemplateSpecSchema{"io.k8s.api.batch.v1.JobTemplateSpec", kJobTemplateSpecFields};

constexpr Field kCronJobSpecFields[] = {
    field<&CronJob::concurrency_policy>("concurrencyPolicy"),
    field<&CronJob::failed_jobs_history_limit>("failedJobsHistoryLimit"),
    part("jobTemplate", kJobTemplateSpecSchema),
    field<&CronJob::schedule>("schedule"),
    field<&CronJob::starting_deadline_seconds>("startingDeadlineSeconds"),
    field<&CronJob::successful_jobs_history_limit>("successfulJobsHistoryLimit"),
    field<&CronJob::suspend>("suspend"),
    field<&CronJob::time_zone>("timeZone"),
};
constexpr Schema kCronJobSpecSchema{"io.k8s.api.batch.v1.CronJobSpec", kCronJobSpecFields};

constexpr Field kCronJobStatusFields[] = {
    field<&CronJobStatus::active>("active", kObjectReferenceSchema),
    field<&CronJobStatus::last_schedule_time>("lastScheduleTime"),
    field<&CronJobStatus::last_successful_time>("lastSuccessfulTime"),
};
constinit const Schema kCronJobStatusSchema{"io.k8s.api.batch.v1.CronJobStatus", kCronJobStatusFields};

constexpr Field kCronJobFields[] = {
    field<&CronJob::metadata>("metadata", kObjectMetaSchema),
    part("spec", kCronJobSpecSchema),
    field<&CronJob::status>("status", kCronJobStatusSchema),
};
constinit const Schema kCronJobSchema{"io.k8s.api.batch.v1.CronJob", kCronJobFields};

}  // namespace loadline::kube
