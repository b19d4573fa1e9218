#include "objects/kube/ray/ray_schema.h"

#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void read_head_service(Decoder&, const Value& value, const Path&, RayHeadGroup& head) {
  const Value* metadata = value.find("metadata");
  const Value* name = metadata == nullptr ? nullptr : metadata->find("name");
  if (name != nullptr && name->is_string()) head.custom_service_name = name->string();
}

// ---- clusters ------------------------------------------------------------------------------------------------------

constexpr Field kHeadFields[] = {
    field<&RayHeadGroup::template_>("template", kPodTemplateSpecSchema),
    field<&RayHeadGroup::labels>("labels"),
    field<&RayHeadGroup::start_params>("rayStartParams"),
    field<&RayHeadGroup::service_type>("serviceType"),
    custom<read_head_service>("headService"),
};
constexpr Schema kHeadSchema{OfCustomKind{}, "HeadGroupSpec", kHeadFields};

constexpr Field kScaleFields[] = {field<&RayWorkerGroup::workers_to_delete>("workersToDelete")};
constexpr Schema kScaleSchema{OfCustomKind{}, "ScaleStrategy", kScaleFields};

constexpr Field kWorkerFields[] = {
    field<&RayWorkerGroup::name>("groupName"),
    field<&RayWorkerGroup::replicas>("replicas"),
    field<&RayWorkerGroup::min_replicas>("minReplicas"),
    field<&RayWorkerGroup::max_replicas>("maxReplicas"),
    field<&RayWorkerGroup::hosts_per_replica>("numOfHosts"),
    field<&RayWorkerGroup::suspend>("suspend"),
    field<&RayWorkerGroup::labels>("labels"),
    field<&RayWorkerGroup::idle_timeout_seconds>("idleTimeoutSeconds"),
    part("scaleStrategy", kScaleSchema),
    field<&RayWorkerGroup::template_>("template", kPodTemplateSpecSchema),
};
constexpr Schema kWorkerSchema{OfCustomKind{}, "WorkerGroupSpec", kWorkerFields};

constexpr Field kAutoscalerFields[] = {
    field<&RayAutoscalerOptions::resources>("resources", kResourceRequirementsSchema),
    field<&RayAutoscalerOptions::image>("image"),
    field<&RayAutoscalerOptions::idle_timeout_seconds>("idleTimeoutSeconds"),
    field<&RayAutoscalerOptions::upscaling_mode>("upscalingMode"),
    field<&RayAutoscalerOptions::version>("version"),
};
constexpr Schema kAutoscalerSchema{OfCustomKind{}, "AutoscalerOptions", kAutoscalerFields};

constexpr Field kUpgradeFields[] = {field<&RayClusterSpec::upgrade_type>("type")};
constexpr Schema kUpgradeSchema{OfCustomKind{}, "RayClusterUpgradeStrategy", kUpgradeFields};

constexpr Field kClusterSpecFields[] = {
    field<&RayClusterSpec::head>("headGroupSpec", kHeadSchema),
    field<&RayClusterSpec::worker_groups>("workerGroupSpecs", kWorkerSchema),
    field<&RayClusterSpec::has_autoscaler>("enableInTreeAutoscaling"),
    field<&RayClusterSpec::autoscaler>("autoscalerOptions", kAutoscalerSchema),
    presence<&RayClusterSpec::is_fault_tolerant>("gcsFaultToleranceOptions"),
    field<&RayClusterSpec::suspend>("suspend"),
    field<&RayClusterSpec::managed_by>("managedBy"),
    part("upgradeStrategy", kUpgradeSchema),
    field<&RayClusterSpec::ray_version>("rayVersion"),
};
constexpr Schema kClusterSpecSchema{OfCustomKind{}, "RayClusterSpec", kClusterSpecFields};

constexpr Field kClusterStatusFields[] = {
    field<&RayClusterStatus::state>("state"),
    field<&RayClusterStatus::reason>("reason"),
    field<&RayClusterStatus::conditions>("conditions", kMetaConditionSchema),
    field<&RayClusterStatus::desired_workers>("desiredWorkerReplicas"),
    field<&RayClusterStatus::available_workers>("availableWorkerReplicas"),
    field<&RayClusterStatus::ready_workers>("readyWorkerReplicas"),
    field<&RayClusterStatus::min_workers>("minWorkerReplicas"),
    field<&RayClusterStatus::max_workers>("maxWorkerReplicas"),
    field<&RayClusterStatus::last_update_time>("lastUpdateTime"),
    field<&RayClusterStatus::observed_generation>("observedGeneration"),
};
constexpr Schema kClusterStatusSchema{OfCustomKind{}, "RayClusterStatus", kClusterStatusFields};

constexpr Field kClusterFields[] = {
    field<&RayCluster::metadata>("metadata", kObjectMetaSchema),
    field<&RayCluster::spec>("spec", kClusterSpecSchema),
    field<&RayCluster::status>("status", kClusterStatusSchema),
};

// ---- jobs ----------------------------------------------------------------------------------------------------------

constexpr Field kSubmitterFields[] = {field<&RayJobSpec::submitter_backoff_limit>("backoffLimit")};
constexpr Schema kSubmitterSchema{OfCustomKind{}, "SubmitterConfig", kSubmitterFields};

constexpr Field kJobSpecFields[] = {
    field<&RayJobSpec::cluster>("rayClusterSpec", kClusterSpecSchema),
    field<&RayJobSpec::cluster_selector>("clusterSelector"),
    field<&RayJobSpec::submission_mode>("submissionMode"),
    field<&RayJobSpec::submitter_template>("submitterPodTemplate", kPodTemplateSpecSchema),
    part("submitterConfig", kSubmitterSchema),
    field<&RayJobSpec::suspend>("suspend"),
    field<&RayJobSpec::managed_by>("managedBy"),
    field<&RayJobSpec::shuts_down>("shutdownAfterJobFinishes"),
    field<&RayJobSpec::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
    field<&RayJobSpec::backoff_limit>("backoffLimit"),
    field<&RayJobSpec::active_deadline_seconds>("activeDeadlineSeconds"),
    field<&RayJobSpec::pre_running_deadline_seconds>("preRunningDeadlineSeconds"),
};
constexpr Schema kJobSpecSchema{OfCustomKind{}, "RayJobSpec", kJobSpecFields};

constexpr Field kJobStatusFields[] = {
    field<&RayJobStatus::job_id>("jobId"),         field<&RayJobStatus::cluster_name>("rayClusterName"),
    field<&RayJobStatus::job_status>("jobStatus"), field<&RayJobStatus::deployment_status>("jobDeploymentStatus"),
    field<&RayJobStatus::reason>("reason"),        field<&RayJobStatus::message>("message"),
    field<&RayJobStatus::start_time>("startTime"), field<&RayJobStatus::end_time>("endTime"),
    field<&RayJobStatus::succeeded>("succeeded"),  field<&RayJobStatus::failed>("failed"),
};
constexpr Schema kJobStatusSchema{OfCustomKind{}, "RayJobStatus", kJobStatusFields};

constexpr Field kJobFields[] = {
    field<&RayJob::metadata>("metadata", kObjectMetaSchema),
    field<&RayJob::spec>("spec", kJobSpecSchema),
    field<&RayJob::status>("status", kJobStatusSchema),
};

constexpr Field kCronJobSpecFields[] = {
    field<&RayCronJobSpec::schedule>("schedule"),
    field<&RayCronJobSpec::suspend>("suspend"),
    field<&RayCronJobSpec::job>("jobTemplate", kJobSpecSchema),
};
constexpr Schema kCronJobSpecSchema{OfCustomKind{}, "RayCronJobSpec", kCronJobSpecFields};

constexpr Field kCronJobStatusFields[] = {field<&RayCronJob::last_schedule_time>("lastScheduleTime")};
constexpr Schema kCronJobStatusSchema{OfCustomKind{}, "RayCronJobStatus", kCronJobStatusFields};

constexpr Field kCronJobFields[] = {
    field<&RayCronJob::metadata>("metadata", kObjectMetaSchema),
    field<&RayCronJob::spec>("spec", kCronJobSpecSchema),
    part("status", kCronJobStatusSchema),
};

}  // namespace

constinit const Schema kRayClusterSchema{OfCustomKind{}, "RayCluster", kClusterFields};
constinit const Schema kRayJobSchema{OfCustomKind{}, "RayJob", kJobFields};
constinit const Schema kRayCronJobSchema{OfCustomKind{}, "RayCronJob", kCronJobFields};

}  // namespace loadline::kube
