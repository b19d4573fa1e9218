#include "objects/kube/volcano/volcano_job_schema.h"

#include "foundation/document/at.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/volcano/pod_group_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

/// Pods have the Job's scheduler where their template names none, which a decoded template no longer tells.
void read_task_template(Decoder& decoder, const Value& value, const Path& path, VolcanoTask& task) {
  decode_object(decoder, value, path.with(kPodTemplateSpecSchema), kPodTemplateSpecSchema, &task.template_);
  task.names_scheduler = !document::text_at(value, {"spec", "schedulerName"}).empty();
}

void read_running_estimate(Decoder& decoder, const Value& value, const Path& path, VolcanoJob& job) {
  if (!value.is_string()) return;
  const Result<Duration> estimate = parse_duration(value.string());
  if (!estimate) return decoder.report(value.mark(), path.text(), estimate.error().message);
  job.running_estimate = *estimate;
}

void read_plugins(Decoder&, const Value& value, const Path&, VolcanoJob& job) {
  if (!value.is_object()) return;
  for (const document::Member& plugin : value.object()) {
    std::vector<std::string>& kept = job.plugins[std::string(plugin.key)];
    if (!plugin.value.is_array()) continue;
    for (const Value& argument : plugin.value.array()) {
      if (argument.is_string()) kept.emplace_back(argument.string());
    }
  }
}

constexpr Field kDependencyFields[] = {
    field<&VolcanoDependency::tasks>("name"),
    field<&VolcanoDependency::iteration>("iteration"),
};
constexpr Schema kDependencySchema{OfCustomKind{}, "DependsOn", kDependencyFields};

constexpr Field kPartitionsFields[] = {
    field<&VolcanoPartitions::count>("totalPartitions"),
    field<&VolcanoPartitions::size>("partitionSize"),
    field<&VolcanoPartitions::least>("minPartitions"),
    field<&VolcanoPartitions::topology>("networkTopology", kVolcanoNetworkTopologySchema),
};
constexpr Schema kPartitionsSchema{OfCustomKind{}, "PartitionPolicySpec", kPartitionsFields};

constexpr Field kTaskFields[] = {
    field<&VolcanoTask::name>("name"),
    field<&VolcanoTask::replicas>("replicas"),
    field<&VolcanoTask::min_available>("minAvailable"),
    custom<read_task_template>("template", kPodTemplateSpecSchema),
    field<&VolcanoTask::topology_policy>("topologyPolicy"),
    field<&VolcanoTask::depends_on>("dependsOn", kDependencySchema),
    field<&VolcanoTask::partitions>("partitionPolicy", kPartitionsSchema),
};
constexpr Schema kTaskSchema{OfCustomKind{}, "TaskSpec", kTaskFields};

constexpr Field kVolumeFields[] = {
    field<&VolcanoVolume::mount_path>("mountPath"),
    field<&VolcanoVolume::claim_name>("volumeClaimName"),
    field<&VolcanoVolume::claim>("volumeClaim", kPersistentVolumeClaimSpecSchema),
};
constexpr Schema kVolumeSchema{OfCustomKind{}, "VolumeSpec", kVolumeFields};

constexpr Field kSpecFields[] = {
    field<&VolcanoJob::scheduler_name>("schedulerName"),
    field<&VolcanoJob::min_available>("minAvailable"),
    field<&VolcanoJob::tasks>("tasks", kTaskSchema),
    field<&VolcanoJob::volumes>("volumes", kVolumeSchema),
    custom<read_plugins>("plugins"),
    field<&VolcanoJob::queue>("queue"),
    field<&VolcanoJob::priority_class_name>("priorityClassName"),
    field<&VolcanoJob::topology>("networkTopology", kVolcanoNetworkTopologySchema),
    field<&VolcanoJob::min_success>("minSuccess"),
    custom<read_running_estimate>("runningEstimate", kDuration),
    field<&VolcanoJob::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "JobSpec", kSpecFields};

constexpr Field kStateFields[] = {
    field<&VolcanoJobStatus::phase>("phase"),
    field<&VolcanoJobStatus::last_transition_time>("lastTransitionTime"),
};
constexpr Schema kStateSchema{OfCustomKind{}, "JobState", kStateFields};

constexpr Field kConditionFields[] = {
    field<&VolcanoCondition::status>("status"),
    field<&VolcanoCondition::last_transition_time>("lastTransitionTime"),
};
constexpr Schema kConditionSchema{OfCustomKind{}, "JobCondition", kConditionFields};

constexpr Field kCountsFields[] = {field<&VolcanoTaskCounts::phases>("phase")};
constexpr Schema kCountsSchema{OfCustomKind{}, "TaskState", kCountsFields};

constexpr Field kStatusFields[] = {
    part("state", kStateSchema),
    field<&VolcanoJobStatus::min_available>("minAvailable"),
    field<&VolcanoJobStatus::tasks>("taskStatusCount", kCountsSchema),
    field<&VolcanoJobStatus::pending>("pending"),
    field<&VolcanoJobStatus::running>("running"),
    field<&VolcanoJobStatus::succeeded>("succeeded"),
    field<&VolcanoJobStatus::failed>("failed"),
    field<&VolcanoJobStatus::terminating>("terminating"),
    field<&VolcanoJobStatus::unknown>("unknown"),
    field<&VolcanoJobStatus::version>("version"),
    field<&VolcanoJobStatus::retry_count>("retryCount"),
    field<&VolcanoJobStatus::conditions>("conditions", kConditionSchema),
};
constexpr Schema kStatusSchema{OfCustomKind{}, "JobStatus", kStatusFields};

constexpr Field kFields[] = {
    field<&VolcanoJob::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&VolcanoJob::status>("status", kStatusSchema),
};

}  // namespace

constinit const Schema kVolcanoJobSchema{OfCustomKind{}, "Job", kFields};

}  // namespace loadline::kube
