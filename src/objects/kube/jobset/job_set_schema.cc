#include "objects/kube/jobset/job_set_schema.h"

#include "foundation/document/at.h"
#include "objects/kube/batch/batch_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void note_mounts(const Value& pod_spec, std::string_view list, std::set<std::string>& mounted) {
  const Value* containers = pod_spec.find(list);
  if (containers == nullptr || !containers->is_array()) return;
  for (const Value& container : containers->array()) {
    const Value* mounts = container.is_object() ? container.find("volumeMounts") : nullptr;
    if (mounts == nullptr || !mounts->is_array()) continue;
    for (const Value& mount : mounts->array()) mounted.emplace(document::text_at(mount, {"name"}));
  }
}

/// The operator's webhook makes Jobs indexed that do not say what they are.
void read_job_spec(Decoder& decoder, const Value& value, const Path& path, ReplicatedJob& job) {
  decode_object(decoder, value, path.with(kJobSpecSchema), kJobSpecSchema, &job.job_spec);
  if (value.find("completionMode") == nullptr) job.job_spec.indexed = true;
  const Value* pod_spec = document::find_at(value, {"template", "spec"});
  if (pod_spec == nullptr || !pod_spec->is_object()) return;
  note_mounts(*pod_spec, "containers", job.mounted_volumes);
  note_mounts(*pod_spec, "initContainers", job.mounted_volumes);
}

void read_order(Decoder&, const Value& value, const Path&, JobSet& set) {
  set.starts_in_order = value.is_string() && value.string() == "InOrder";
}

constexpr Field kJobTemplateFields[] = {
    field<&ReplicatedJob::job_metadata>("metadata", kObjectMetaSchema),
    custom<read_job_spec>("spec", kJobSpecSchema),
};
constexpr Schema kJobTemplateSchema{OfCustomKind{}, "JobTemplateSpec", kJobTemplateFields};

constexpr Field kDependencyFields[] = {
    field<&ReplicatedJobDependency::name>("name"),
    field<&ReplicatedJobDependency::status>("status"),
};
constexpr Schema kDependencySchema{OfCustomKind{}, "DependsOn", kDependencyFields};

constexpr Field kReplicatedJobFields[] = {
    field<&ReplicatedJob::name>("name"),
    field<&ReplicatedJob::group_name>("groupName"),
    field<&ReplicatedJob::replicas>("replicas"),
    part("template", kJobTemplateSchema),
    field<&ReplicatedJob::depends_on>("dependsOn", kDependencySchema),
};
constexpr Schema kReplicatedJobSchema{OfCustomKind{}, "ReplicatedJob", kReplicatedJobFields};

constexpr Field kNetworkFields[] = {
    field<&JobSet::has_dns_hostnames>("enableDNSHostnames").pointer(),
    field<&JobSet::publishes_not_ready_addresses>("publishNotReadyAddresses").pointer(),
    field<&JobSet::subdomain>("subdomain"),
};
constexpr Schema kNetworkSchema{OfCustomKind{}, "Network", kNetworkFields};

constexpr Field kStartupFields[] = {custom<read_order>("startupPolicyOrder")};
constexpr Schema kStartupSchema{OfCustomKind{}, "StartupPolicy", kStartupFields};

constexpr Field kCoordinatorFields[] = {
    field<&JobSetCoordinator::replicated_job>("replicatedJob"),
    field<&JobSetCoordinator::job_index>("jobIndex"),
    field<&JobSetCoordinator::pod_index>("podIndex"),
};
constexpr Schema kCoordinatorSchema{OfCustomKind{}, "Coordinator", kCoordinatorFields};

constexpr Field kClaimTemplateFields[] = {
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", kObjectMetaSchema),
    field<&PersistentVolumeClaimTemplate::spec>("spec", kPersistentVolumeClaimSpecSchema),
};
constexpr Schema kClaimTemplateSchema{OfCustomKind{}, "PersistentVolumeClaim", kClaimTemplateFields};

constexpr Field kRetentionFields[] = {field<&VolumeClaimPolicy::when_deleted>("whenDeleted")};
constexpr Schema kRetentionSchema{OfCustomKind{}, "VolumeRetentionPolicy", kRetentionFields};

constexpr Field kClaimPolicyFields[] = {
    part("retentionPolicy", kRetentionSchema),
    field<&VolumeClaimPolicy::templates>("templates", kClaimTemplateSchema),
};
constexpr Schema kClaimPolicySchema{OfCustomKind{}, "VolumeClaimPolicy", kClaimPolicyFields};

constexpr Field kSuccessFields[] = {
    field<&JobSetSuccessPolicy::op>("operator"),
    field<&JobSetSuccessPolicy::targets>("targetReplicatedJobs"),
};
constexpr Schema kSuccessSchema{OfCustomKind{}, "SuccessPolicy", kSuccessFields};

constexpr Field kFailureRuleFields[] = {
    field<&JobSetFailureRule::name>("name"),
    field<&JobSetFailureRule::action>("action"),
    field<&JobSetFailureRule::reasons>("onJobFailureReasons"),
    field<&JobSetFailureRule::message_patterns>("onJobFailureMessagePatterns"),
    field<&JobSetFailureRule::targets>("targetReplicatedJobs"),
};
constexpr Schema kFailureRuleSchema{OfCustomKind{}, "FailurePolicyRule", kFailureRuleFields};

constexpr Field kFailureFields[] = {
    field<&JobSetFailurePolicy::max_restarts>("maxRestarts"),
    field<&JobSetFailurePolicy::restart_strategy>("restartStrategy"),
    field<&JobSetFailurePolicy::rules>("rules", kFailureRuleSchema),
};
constexpr Schema kFailureSchema{OfCustomKind{}, "FailurePolicy", kFailureFields};

constexpr Field kSpecFields[] = {
    field<&JobSet::replicated_jobs>("replicatedJobs", kReplicatedJobSchema),
    part("network", kNetworkSchema),
    part("startupPolicy", kStartupSchema),
    field<&JobSet::coordinator>("coordinator", kCoordinatorSchema),
    field<&JobSet::volume_claim_policies>("volumeClaimPolicies", kClaimPolicySchema),
    field<&JobSet::suspend>("suspend"),
    field<&JobSet::managed_by>("managedBy"),
    field<&JobSet::success_policy>("successPolicy", kSuccessSchema),
    field<&JobSet::failure_policy>("failurePolicy", kFailureSchema),
    field<&JobSet::ttl_seconds_after_finished>("ttlSecondsAfterFinished"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "JobSetSpec", kSpecFields};

constexpr Field kReplicatedJobStatusFields[] = {
    field<&ReplicatedJobStatus::name>("name"),
    field<&ReplicatedJobStatus::ready>("ready").pointer(),
    field<&ReplicatedJobStatus::succeeded>("succeeded").pointer(),
    field<&ReplicatedJobStatus::failed>("failed").pointer(),
    field<&ReplicatedJobStatus::active>("active").pointer(),
    field<&ReplicatedJobStatus::suspended>("suspended").pointer(),
};
constexpr Schema kReplicatedJobStatusSchema{OfCustomKind{}, "ReplicatedJobStatus", kReplicatedJobStatusFields};

constexpr Field kStatusFields[] = {
    field<&JobSetStatus::conditions>("conditions", kMetaConditionSchema),
    field<&JobSetStatus::restarts>("restarts").pointer(),
    field<&JobSetStatus::restarts_count_towards_max>("restartsCountTowardsMax"),
    field<&JobSetStatus::terminal_state>("terminalState"),
    field<&JobSetStatus::replicated_jobs>("replicatedJobsStatus", kReplicatedJobStatusSchema),
};

}  // namespace

constinit const Schema kJobSetStatusSchema{OfCustomKind{}, "JobSetStatus", kStatusFields};

namespace {

constexpr Field kFields[] = {
    field<&JobSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&JobSet::status>("status", kJobSetStatusSchema),
};

}  // namespace

constinit const Schema kJobSetSchema{OfCustomKind{}, "JobSet", kFields};

}  // namespace loadline::kube
