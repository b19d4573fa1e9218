#include "kube/batch/batch_schema.h"

#include "kube/core/pod_schema.h"
#include "kube/core/volume_schema.h"
#include "kube/decoder.h"
#include "kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kCompletionModeNames[] = {"NonIndexed", "Indexed"};
constexpr Enumeration kCompletionMode{kCompletionModeNames, {}, Enumeration::Order::kAsListed};

constexpr std::string_view kConcurrencyPolicyNames[] = {"Allow", "Forbid", "Replace"};
constexpr Enumeration kConcurrencyPolicy{kConcurrencyPolicyNames};

constexpr Field kPodFailurePolicyOnExitCodesRequirementFields[] = {
    known("containerName", kString),
    known("operator", kString).required(),
    known("values", list_of(kInt32)).required(),
};
constexpr Schema kPodFailurePolicyOnExitCodesRequirementSchema{"PodFailurePolicyOnExitCodesRequirement",
                                                               kPodFailurePolicyOnExitCodesRequirementFields};

constexpr Field kPodFailurePolicyOnPodConditionsPatternFields[] = {
    known("status", kString),
    known("type", kString).required(),
};
constexpr Schema kPodFailurePolicyOnPodConditionsPatternSchema{"PodFailurePolicyOnPodConditionsPattern",
                                                               kPodFailurePolicyOnPodConditionsPatternFields};

constexpr Field kPodFailurePolicyRuleFields[] = {
    known("action", kString).required(),
    known("onExitCodes", object(kPodFailurePolicyOnExitCodesRequirementSchema)),
    known("onPodConditions", list_of(object(kPodFailurePolicyOnPodConditionsPatternSchema))),
};
constexpr Schema kPodFailurePolicyRuleSchema{"PodFailurePolicyRule", kPodFailurePolicyRuleFields};

constexpr Field kPodFailurePolicyFields[] = {
    known("rules", list_of(object(kPodFailurePolicyRuleSchema))).required(),
};
constexpr Schema kPodFailurePolicySchema{"PodFailurePolicy", kPodFailurePolicyFields};

constexpr Field kSuccessPolicyRuleFields[] = {
    known("succeededCount", kInt32),
    known("succeededIndexes", kString),
};
constexpr Schema kSuccessPolicyRuleSchema{"SuccessPolicyRule", kSuccessPolicyRuleFields};

constexpr Field kSuccessPolicyFields[] = {
    known("rules", list_of(object(kSuccessPolicyRuleSchema))).required(),
};
constexpr Schema kSuccessPolicySchema{"SuccessPolicy", kSuccessPolicyFields};

static void read_completion_mode(Decoder&, const document::Value& value, const Path&, JobSpec& spec) {
  spec.indexed = value.string() == "Indexed";
}

constexpr Field kJobSpecFields[] = {
    field<&JobSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    known("backoffLimit", kInt32),
    known("backoffLimitPerIndex", kInt32),
    custom<read_completion_mode>("completionMode", one_of(kCompletionMode)),
    field<&JobSpec::completions>("completions"),
    known("managedBy", kString),
    known("manualSelector", kBoolean),
    known("maxFailedIndexes", kInt32),
    field<&JobSpec::parallelism>("parallelism"),
    known("podFailurePolicy", object(kPodFailurePolicySchema)),
    known("podReplacementPolicy", kString),
    field<&JobSpec::selector>("selector", object(kLabelSelectorSchema)),
    known("successPolicy", object(kSuccessPolicySchema)),
    field<&JobSpec::suspend>("suspend"),
    field<&JobSpec::template_>("template", object(kPodTemplateSpecSchema)).required(),
    known("ttlSecondsAfterFinished", kInt32),
};
constinit const Schema kJobSpecSchema{"JobSpec", kJobSpecFields};

constexpr Field kJobConditionFields[] = {
    known("lastProbeTime", kTime),
    known("lastTransitionTime", kTime),
    field<&Condition::message>("message"),
    field<&Condition::reason>("reason"),
    field<&Condition::status>("status").required(),
    field<&Condition::type>("type").required(),
};
constexpr Schema kJobConditionSchema{"JobCondition", kJobConditionFields};

constexpr Field kUncountedTerminatedPodsFields[] = {
    known("failed", list_of(kString)),
    known("succeeded", list_of(kString)),
};
constexpr Schema kUncountedTerminatedPodsSchema{"UncountedTerminatedPods", kUncountedTerminatedPodsFields};

constexpr Field kJobStatusFields[] = {
    known("active", kInt32),
    field<&Job::completed_indexes>("completedIndexes"),
    known("completionTime", kTime),
    field<&Job::conditions>("conditions", list_of(object(kJobConditionSchema))).merge_by("type"),
    field<&Job::failed>("failed"),
    known("failedIndexes", kString),
    known("ready", kInt32),
    known("startTime", kTime),
    field<&Job::succeeded>("succeeded"),
    known("terminating", kInt32),
    known("uncountedTerminatedPods", object(kUncountedTerminatedPodsSchema)),
};
constexpr Schema kJobStatusSchema{"JobStatus", kJobStatusFields};

constexpr Field kJobFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Job::metadata>("metadata", object(kObjectMetaSchema)),
    field<&Job::spec>("spec", object(kJobSpecSchema)),
    part("status", kJobStatusSchema),
};
constinit const Schema kJobSchema{"Job", kJobFields};

constexpr Field kJobTemplateSpecFields[] = {
    field<&CronJob::job_metadata>("metadata", object(kObjectMetaSchema)),
    field<&CronJob::job_spec>("spec", object(kJobSpecSchema)),
};
constexpr Schema kJobTemplateSpecSchema{"JobTemplateSpec", kJobTemplateSpecFields};

constexpr Field kCronJobSpecFields[] = {
    known("concurrencyPolicy", one_of(kConcurrencyPolicy)),
    known("failedJobsHistoryLimit", kInt32),
    part("jobTemplate", kJobTemplateSpecSchema).required(),
    field<&CronJob::schedule>("schedule").required(),
    known("startingDeadlineSeconds", kInt64),
    known("successfulJobsHistoryLimit", kInt32),
    field<&CronJob::suspend>("suspend"),
    field<&CronJob::time_zone>("timeZone"),
};
constexpr Schema kCronJobSpecSchema{"CronJobSpec", kCronJobSpecFields};

constexpr Field kCronJobStatusFields[] = {
    known("active", list_of(object(kObjectReferenceSchema))),
    known("lastScheduleTime", kTime),
    known("lastSuccessfulTime", kTime),
};
constexpr Schema kCronJobStatusSchema{"CronJobStatus", kCronJobStatusFields};

constexpr Field kCronJobFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&CronJob::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kCronJobSpecSchema).required(),
    known("status", object(kCronJobStatusSchema)),
};
constinit const Schema kCronJobSchema{"CronJob", kCronJobFields};

}  // namespace loadline::kube
