#include "objects/kube/kubeflow/training_job_schema.h"

#include <string_view>

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void read_api_version(Decoder&, const Value& value, const Path&, MpiJob& job) {
  job.is_of_mpi_operator = value.is_string() && value.string() == "kubeflow.org/v2beta1";
}

void read_metrics(Decoder&, const Value& value, const Path&, ElasticPolicy& policy) {
  policy.has_metrics = value.is_array() && !value.array().empty();
}

constexpr Field kReplicasFields[] = {
    field<&TrainingReplicas::replicas>("replicas"),
    field<&TrainingReplicas::restart_policy>("restartPolicy"),
    field<&TrainingReplicas::template_>("template", kPodTemplateSpecSchema),
};
constexpr Schema kReplicasSchema{OfCustomKind{}, "ReplicaSpec", kReplicasFields};

constexpr Field kSchedulingFields[] = {
    field<&TrainingSchedulingPolicy::min_available>("minAvailable"),
    field<&TrainingSchedulingPolicy::queue>("queue"),
    field<&TrainingSchedulingPolicy::priority_class>("priorityClass"),
    field<&TrainingSchedulingPolicy::schedule_timeout_seconds>("scheduleTimeoutSeconds"),
};
constexpr Schema kSchedulingSchema{OfCustomKind{}, "SchedulingPolicy", kSchedulingFields};

constexpr Field kRunPolicyFields[] = {
    field<&RunPolicy::clean_pod_policy>("cleanPodPolicy"),
    field<&RunPolicy::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
    field<&RunPolicy::active_deadline_seconds>("activeDeadlineSeconds"),
    field<&RunPolicy::backoff_limit>("backoffLimit"),
    field<&RunPolicy::scheduling_policy>("schedulingPolicy", kSchedulingSchema),
    field<&RunPolicy::suspend>("suspend"),
    field<&RunPolicy::managed_by>("managedBy"),
};
constexpr Schema kRunPolicySchema{OfCustomKind{}, "RunPolicy", kRunPolicyFields};

constexpr Field kMinReplicas = field<&ElasticPolicy::min_replicas>("minReplicas");
constexpr Field kMaxReplicas = field<&ElasticPolicy::max_replicas>("maxReplicas");
constexpr Field kMaxRestarts = field<&ElasticPolicy::max_restarts>("maxRestarts");
constexpr Field kMetrics = custom<read_metrics>("metrics");

constexpr Field kPaddleElasticFields[] = {kMinReplicas, kMaxReplicas, kMaxRestarts, kMetrics};
constexpr Schema kPaddleElasticSchema{OfCustomKind{}, "ElasticPolicy", kPaddleElasticFields};

constexpr Field kElasticFields[] = {
    kMinReplicas,
    kMaxReplicas,
    kMaxRestarts,
    kMetrics,
    field<&ElasticPolicy::rendezvous_backend>("rdzvBackend"),
    field<&ElasticPolicy::rendezvous_port>("rdzvPort"),
    field<&ElasticPolicy::rendezvous_host>("rdzvHost"),
    field<&ElasticPolicy::rendezvous_id>("rdzvId"),
    field<&ElasticPolicy::processes_per_node>("nProcPerNode"),
    field<&ElasticPolicy::standalone>("standalone"),
};
constexpr Schema kElasticSchema{OfCustomKind{}, "ElasticPolicy", kElasticFields};

constexpr Field kConditionFields[] = {
    field<&TrainingCondition::type>("type"),
    field<&TrainingCondition::status>("status"),
    field<&TrainingCondition::reason>("reason"),
    field<&TrainingCondition::message>("message"),
    field<&TrainingCondition::last_update_time>("lastUpdateTime"),
    field<&TrainingCondition::last_transition_time>("lastTransitionTime"),
};
constexpr Schema kConditionSchema{OfCustomKind{}, "JobCondition", kConditionFields};

constexpr Field kReplicaStatusFields[] = {
    field<&TrainingReplicaStatus::active>("active"),
    field<&TrainingReplicaStatus::succeeded>("succeeded"),
    field<&TrainingReplicaStatus::failed>("failed"),
    field<&TrainingReplicaStatus::selector>("selector"),
};
constexpr Schema kReplicaStatusSchema{OfCustomKind{}, "ReplicaStatus", kReplicaStatusFields};

constexpr Field kStatusFields[] = {
    field<&TrainingJobStatus::conditions>("conditions", kConditionSchema),
    field<&TrainingJobStatus::replicas>("replicaStatuses", kReplicaStatusSchema),
    field<&TrainingJobStatus::start_time>("startTime"),
    field<&TrainingJobStatus::completion_time>("completionTime"),
    field<&TrainingJobStatus::last_reconcile_time>("lastReconcileTime"),
};
}  // namespace

constinit const Schema kTrainingJobStatusSchema{OfCustomKind{}, "JobStatus", kStatusFields};

namespace {

// ---- the kinds -----------------------------------------------------------------------------------------------------

constexpr Field replicas_of(std::string_view name) { return field<&TrainingJobSpec::replicas>(name, kReplicasSchema); }
constexpr Field kRunPolicy = field<&TrainingJobSpec::run_policy>("runPolicy", kRunPolicySchema);

constexpr Field kPyTorchFields[] = {
    replicas_of("pytorchReplicaSpecs"),
    kRunPolicy,
    field<&TrainingJobSpec::elastic>("elasticPolicy", kElasticSchema),
    field<&TrainingJobSpec::processes_per_node>("nprocPerNode"),
};
constexpr Field kTensorFlowFields[] = {
    replicas_of("tfReplicaSpecs"),
    kRunPolicy,
    field<&TrainingJobSpec::success_policy>("successPolicy"),
    field<&TrainingJobSpec::has_dynamic_workers>("enableDynamicWorker"),
};
constexpr Field kXgBoostFields[] = {replicas_of("xgbReplicaSpecs"), kRunPolicy};
constexpr Field kPaddleFields[] = {
    replicas_of("paddleReplicaSpecs"),
    kRunPolicy,
    field<&TrainingJobSpec::elastic>("elasticPolicy", kPaddleElasticSchema),
};
constexpr Field kJaxFields[] = {replicas_of("jaxReplicaSpecs"), kRunPolicy};
constexpr Field kMpiFields[] = {
    replicas_of("mpiReplicaSpecs"),
    kRunPolicy,
    field<&TrainingJobSpec::slots_per_worker>("slotsPerWorker"),
    field<&TrainingJobSpec::launcher_creation_policy>("launcherCreationPolicy"),
    field<&TrainingJobSpec::mpi_implementation>("mpiImplementation"),
    field<&TrainingJobSpec::ssh_auth_mount_path>("sshAuthMountPath"),
    field<&TrainingJobSpec::runs_launcher_as_worker>("runLauncherAsWorker"),
};

constexpr Schema kPyTorchSpecSchema{OfCustomKind{}, "PyTorchJobSpec", kPyTorchFields};
constexpr Schema kTensorFlowSpecSchema{OfCustomKind{}, "TFJobSpec", kTensorFlowFields};
constexpr Schema kXgBoostSpecSchema{OfCustomKind{}, "XGBoostJobSpec", kXgBoostFields};
constexpr Schema kPaddleSpecSchema{OfCustomKind{}, "PaddleJobSpec", kPaddleFields};
constexpr Schema kJaxSpecSchema{OfCustomKind{}, "JAXJobSpec", kJaxFields};
constexpr Schema kMpiSpecSchema{OfCustomKind{}, "MPIJobSpec", kMpiFields};

template <class Kind, const Schema& kSpec>
constexpr Field kObjectFields[] = {
    field<&Kind::metadata>("metadata", kObjectMetaSchema),
    field<&Kind::spec>("spec", kSpec),
    field<&Kind::status>("status", kTrainingJobStatusSchema),
};

constexpr Field kMpiObjectFields[] = {
    custom<read_api_version>("apiVersion"),
    field<&MpiJob::metadata>("metadata", kObjectMetaSchema),
    field<&MpiJob::spec>("spec", kMpiSpecSchema),
    field<&MpiJob::status>("status", kTrainingJobStatusSchema),
};

}  // namespace

constinit const Schema kPyTorchJobSchema{OfCustomKind{}, "PyTorchJob", kObjectFields<PyTorchJob, kPyTorchSpecSchema>};
constinit const Schema kTensorFlowJobSchema{OfCustomKind{}, "TFJob",
                                            kObjectFields<TensorFlowJob, kTensorFlowSpecSchema>};
constinit const Schema kXgBoostJobSchema{OfCustomKind{}, "XGBoostJob", kObjectFields<XgBoostJob, kXgBoostSpecSchema>};
constinit const Schema kPaddleJobSchema{OfCustomKind{}, "PaddleJob", kObjectFields<PaddleJob, kPaddleSpecSchema>};
constinit const Schema kJaxJobSchema{OfCustomKind{}, "JAXJob", kObjectFields<JaxJob, kJaxSpecSchema>};
constinit const Schema kMpiJobSchema{OfCustomKind{}, "MPIJob", kMpiObjectFields};

}  // namespace loadline::kube
