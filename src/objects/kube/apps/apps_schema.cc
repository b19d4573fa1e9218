#include "objects/kube/apps/apps_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/core/volume_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kDeploymentStrategyNames[] = {"Recreate", "RollingUpdate"};
constexpr Enumeration kDeploymentStrategy{kDeploymentStrategyNames};

constexpr std::string_view kPodManagementPolicyNames[] = {"OrderedReady", "Parallel"};
constexpr Enumeration kPodManagementPolicy{kPodManagementPolicyNames, "must be 'OrderedReady' or 'Parallel'"};

/// What the conditions of all of these kinds but Deployment have.
constexpr Field kConditionFields[] = {
    field<&WorkloadCondition::last_transition_time>("lastTransitionTime"),
    field<&WorkloadCondition::message>("message"),
    field<&WorkloadCondition::reason>("reason"),
    field<&WorkloadCondition::status>("status").required(),
    field<&WorkloadCondition::type>("type").required(),
};

constexpr Field kRollingUpdateDeploymentFields[] = {
    field<&Deployment::max_surge>("maxSurge"),
    field<&Deployment::max_unavailable>("maxUnavailable"),
};
constexpr Schema kRollingUpdateDeploymentSchema{"RollingUpdateDeployment", kRollingUpdateDeploymentFields};

static void read_strategy(Decoder&, const document::Value& value, const Path&, Deployment& deployment) {
  deployment.recreate = value.string() == "Recreate";
}

constexpr Field kDeploymentStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateDeploymentSchema),
    custom<read_strategy>("type", one_of(kDeploymentStrategy)),
};
constexpr Schema kDeploymentStrategySchema{"DeploymentStrategy", kDeploymentStrategyFields};

constexpr Field kDeploymentSpecFields[] = {
    field<&Deployment::min_ready_seconds>("minReadySeconds"),
    field<&Deployment::paused>("paused"),
    field<&Deployment::progress_deadline_seconds>("progressDeadlineSeconds"),
    field<&Deployment::replicas>("replicas").pointer(),
    field<&Deployment::revision_history_limit>("revisionHistoryLimit"),
    field<&Deployment::selector>("selector", object(kLabelSelectorSchema)).required(),
    part("strategy", kDeploymentStrategySchema),
    field<&Deployment::template_>("template", object(kPodTemplateSpecSchema)).required(),
};
constexpr Schema kDeploymentSpecSchema{"DeploymentSpec", kDeploymentSpecFields};

constexpr Field kDeploymentConditionFields[] = {
    field<&WorkloadCondition::last_transition_time>("lastTransitionTime"),
    field<&WorkloadCondition::last_update_time>("lastUpdateTime"),
    field<&WorkloadCondition::message>("message"),
    field<&WorkloadCondition::reason>("reason"),
    field<&WorkloadCondition::status>("status").required(),
    field<&WorkloadCondition::type>("type").required(),
};
constexpr Schema kDeploymentConditionSchema{"DeploymentCondition", kDeploymentConditionFields};

constexpr Field kDeploymentStatusFields[] = {
    field<&DeploymentStatus::available_replicas>("availableReplicas"),
    field<&DeploymentStatus::collision_count>("collisionCount"),
    field<&DeploymentStatus::conditions>("conditions", list_of(object(kDeploymentConditionSchema))),
    field<&DeploymentStatus::observed_generation>("observedGeneration"),
    field<&DeploymentStatus::ready_replicas>("readyReplicas"),
    field<&DeploymentStatus::replicas>("replicas"),
    field<&DeploymentStatus::terminating_replicas>("terminatingReplicas"),
    field<&DeploymentStatus::unavailable_replicas>("unavailableReplicas"),
    field<&DeploymentStatus::updated_replicas>("updatedReplicas"),
};
constinit const Schema kDeploymentStatusSchema{"DeploymentStatus", kDeploymentStatusFields};

constexpr Field kDeploymentFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Deployment::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kDeploymentSpecSchema),
    field<&Deployment::status>("status", object(kDeploymentStatusSchema)),
};
constinit const Schema kDeploymentSchema{"Deployment", kDeploymentFields};

constexpr Field kReplicaSetSpecFields[] = {
    field<&ReplicaSet::min_ready_seconds>("minReadySeconds"),
    field<&ReplicaSet::replicas>("replicas").pointer(),
    field<&ReplicaSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&ReplicaSet::template_>("template", object(kPodTemplateSpecSchema)),
};
constexpr Schema kReplicaSetSpecSchema{"ReplicaSetSpec", kReplicaSetSpecFields};

constexpr Schema kReplicaSetConditionSchema{"ReplicaSetCondition", kConditionFields};

constexpr Field kReplicaSetStatusFields[] = {
    field<&ReplicaSetStatus::available_replicas>("availableReplicas"),
    field<&ReplicaSetStatus::conditions>("conditions", list_of(object(kReplicaSetConditionSchema))),
    field<&ReplicaSetStatus::fully_labeled_replicas>("fullyLabeledReplicas"),
    field<&ReplicaSetStatus::observed_generation>("observedGeneration"),
    field<&ReplicaSetStatus::ready_replicas>("readyReplicas"),
    field<&ReplicaSetStatus::replicas>("replicas").required(),
    field<&ReplicaSetStatus::terminating_replicas>("terminatingReplicas"),
};
constinit const Schema kReplicaSetStatusSchema{"ReplicaSetStatus", kReplicaSetStatusFields};

constexpr Field kReplicaSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ReplicaSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kReplicaSetSpecSchema),
    field<&ReplicaSet::status>("status", object(kReplicaSetStatusSchema)),
};
constinit const Schema kReplicaSetSchema{"ReplicaSet", kReplicaSetFields};

constexpr Field kStatefulSetOrdinalsFields[] = {
    field<&StatefulSet::ordinals_start>("start"),
};
constexpr Schema kStatefulSetOrdinalsSchema{"StatefulSetOrdinals", kStatefulSetOrdinalsFields};

constexpr Field kStatefulSetPersistentVolumeClaimRetentionPolicyFields[] = {
    field<&StatefulSet::claims_when_deleted>("whenDeleted"),
    field<&StatefulSet::claims_when_scaled>("whenScaled"),
};
constexpr Schema kStatefulSetPersistentVolumeClaimRetentionPolicySchema{
    "StatefulSetPersistentVolumeClaimRetentionPolicy", kStatefulSetPersistentVolumeClaimRetentionPolicyFields};

constexpr Field kRollingUpdateStatefulSetStrategyFields[] = {
    field<&StatefulSet::max_unavailable>("maxUnavailable"),
    field<&StatefulSet::partition>("partition"),
};
constexpr Schema kRollingUpdateStatefulSetStrategySchema{"RollingUpdateStatefulSetStrategy",
                                                         kRollingUpdateStatefulSetStrategyFields};

constexpr Field kStatefulSetUpdateStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateStatefulSetStrategySchema),
    field<&StatefulSet::update_strategy>("type"),
};
constexpr Schema kStatefulSetUpdateStrategySchema{"StatefulSetUpdateStrategy", kStatefulSetUpdateStrategyFields};

static void read_pod_management_policy(Decoder&, const document::Value& value, const Path&, StatefulSet& stateful_set) {
  stateful_set.parallel = value.string() == "Parallel";
}

// A StatefulSet's claims are whole objects of which the controller takes metadata and spec.
constexpr Field kStatefulSetVolumeClaimFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", object(kObjectMetaSchema)),
    field<&PersistentVolumeClaimTemplate::spec>("spec", object(kPersistentVolumeClaimSpecSchema)),
    known("status", object(kPersistentVolumeClaimStatusSchema)),
};
constexpr Schema kStatefulSetVolumeClaimSchema{"PersistentVolumeClaim", kStatefulSetVolumeClaimFields};

constexpr Field kStatefulSetSpecFields[] = {
    field<&StatefulSet::min_ready_seconds>("minReadySeconds"),
    part("ordinals", kStatefulSetOrdinalsSchema),
    part("persistentVolumeClaimRetentionPolicy", kStatefulSetPersistentVolumeClaimRetentionPolicySchema),
    custom<read_pod_management_policy>("podManagementPolicy", one_of(kPodManagementPolicy)),
    field<&StatefulSet::replicas>("replicas").pointer(),
    field<&StatefulSet::revision_history_limit>("revisionHistoryLimit"),
    field<&StatefulSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&StatefulSet::service_name>("serviceName"),
    field<&StatefulSet::template_>("template", object(kPodTemplateSpecSchema)).required(),
    part("updateStrategy", kStatefulSetUpdateStrategySchema),
    field<&StatefulSet::volume_claim_templates>("volumeClaimTemplates", list_of(object(kStatefulSetVolumeClaimSchema))),
};
constexpr Schema kStatefulSetSpecSchema{"StatefulSetSpec", kStatefulSetSpecFields};

constexpr Schema kStatefulSetConditionSchema{"StatefulSetCondition", kConditionFields};

constexpr Field kStatefulSetStatusFields[] = {
    field<&StatefulSetStatus::available_replicas>("availableReplicas"),
    field<&StatefulSetStatus::collision_count>("collisionCount"),
    field<&StatefulSetStatus::conditions>("conditions", list_of(object(kStatefulSetConditionSchema))),
    field<&StatefulSetStatus::current_replicas>("currentReplicas"),
    field<&StatefulSetStatus::current_revision>("currentRevision"),
    field<&StatefulSetStatus::observed_generation>("observedGeneration"),
    field<&StatefulSetStatus::ready_replicas>("readyReplicas"),
    field<&StatefulSetStatus::replicas>("replicas").required(),
    field<&StatefulSetStatus::update_revision>("updateRevision"),
    field<&StatefulSetStatus::updated_replicas>("updatedReplicas"),
};
constinit const Schema kStatefulSetStatusSchema{"StatefulSetStatus", kStatefulSetStatusFields};

constexpr Field kStatefulSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&StatefulSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kStatefulSetSpecSchema),
    field<&StatefulSet::status>("status", object(kStatefulSetStatusSchema)),
};
constinit const Schema kStatefulSetSchema{"StatefulSet", kStatefulSetFields};

constexpr Field kRollingUpdateDaemonSetFields[] = {
    field<&DaemonSet::max_surge>("maxSurge"),
    field<&DaemonSet::max_unavailable>("maxUnavailable"),
};
constexpr Schema kRollingUpdateDaemonSetSchema{"RollingUpdateDaemonSet", kRollingUpdateDaemonSetFields};

constexpr Field kDaemonSetUpdateStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateDaemonSetSchema),
    field<&DaemonSet::update_strategy>("type"),
};
constexpr Schema kDaemonSetUpdateStrategySchema{"DaemonSetUpdateStrategy", kDaemonSetUpdateStrategyFields};

constexpr Field kDaemonSetSpecFields[] = {
    field<&DaemonSet::min_ready_seconds>("minReadySeconds"),
    field<&DaemonSet::revision_history_limit>("revisionHistoryLimit"),
    field<&DaemonSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&DaemonSet::template_>("template", object(kPodTemplateSpecSchema)).required(),
    part("updateStrategy", kDaemonSetUpdateStrategySchema),
};
constexpr Schema kDaemonSetSpecSchema{"DaemonSetSpec", kDaemonSetSpecFields};

constexpr Schema kDaemonSetConditionSchema{"DaemonSetCondition", kConditionFields};

constexpr Field kDaemonSetStatusFields[] = {
    field<&DaemonSetStatus::collision_count>("collisionCount"),
    field<&DaemonSetStatus::conditions>("conditions", list_of(object(kDaemonSetConditionSchema))),
    field<&DaemonSetStatus::current_number_scheduled>("currentNumberScheduled").required(),
    field<&DaemonSetStatus::desired_number_scheduled>("desiredNumberScheduled").required(),
    field<&DaemonSetStatus::number_available>("numberAvailable"),
    field<&DaemonSetStatus::number_misscheduled>("numberMisscheduled").required(),
    field<&DaemonSetStatus::number_ready>("numberReady").required(),
    field<&DaemonSetStatus::number_unavailable>("numberUnavailable"),
    field<&DaemonSetStatus::observed_generation>("observedGeneration"),
    field<&DaemonSetStatus::updated_number_scheduled>("updatedNumberScheduled"),
};
constinit const Schema kDaemonSetStatusSchema{"DaemonSetStatus", kDaemonSetStatusFields};

constexpr Field kDaemonSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&DaemonSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kDaemonSetSpecSchema),
    field<&DaemonSet::status>("status", object(kDaemonSetStatusSchema)),
};
constinit const Schema kDaemonSetSchema{"DaemonSet", kDaemonSetFields};

}  // namespace loadline::kube
