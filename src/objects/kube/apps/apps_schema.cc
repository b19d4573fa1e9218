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
    field<&WorkloadCondition::status>("status"),
    field<&WorkloadCondition::type>("type"),
};

constexpr Field kRollingUpdateDeploymentFields[] = {
    field<&Deployment::max_surge>("maxSurge"),
    field<&Deployment::max_unavailable>("maxUnavailable"),
};
constexpr Schema kRollingUpdateDeploymentSchema{"io.k8s.api.apps.v1.RollingUpdateDeployment",
                                                kRollingUpdateDeploymentFields};

static void read_strategy(Decoder&, const document::Value& value, const Path&, Deployment& deployment) {
  deployment.recreate = value.string() == "Recreate";
}

constexpr Field kDeploymentStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateDeploymentSchema),
    custom<read_strategy>("type", one_of(kDeploymentStrategy)),
};
constexpr Schema kDeploymentStrategySchema{"io.k8s.api.apps.v1.DeploymentStrategy", kDeploymentStrategyFields};

constexpr Field kDeploymentSpecFields[] = {
    field<&Deployment::min_ready_seconds>("minReadySeconds"),
    field<&Deployment::paused>("paused"),
    field<&Deployment::progress_deadline_seconds>("progressDeadlineSeconds"),
    field<&Deployment::replicas>("replicas").pointer(),
    field<&Deployment::revision_history_limit>("revisionHistoryLimit"),
    field<&Deployment::selector>("selector", kLabelSelectorSchema),
    part("strategy", kDeploymentStrategySchema),
    field<&Deployment::template_>("template", kPodTemplateSpecSchema),
};
constexpr Schema kDeploymentSpecSchema{"io.k8s.api.apps.v1.DeploymentSpec", kDeploymentSpecFields};

constexpr Field kDeploymentConditionFields[] = {
    field<&WorkloadCondition::last_transition_time>("lastTransitionTime"),
    field<&WorkloadCondition::last_update_time>("lastUpdateTime"),
    field<&WorkloadCondition::message>("message"),
    field<&WorkloadCondition::reason>("reason"),
    field<&WorkloadCondition::status>("status"),
    field<&WorkloadCondition::type>("type"),
};
constexpr Schema kDeploymentConditionSchema{"io.k8s.api.apps.v1.DeploymentCondition", kDeploymentConditionFields};

constexpr Field kDeploymentStatusFields[] = {
    field<&DeploymentStatus::available_replicas>("availableReplicas"),
    field<&DeploymentStatus::collision_count>("collisionCount"),
    field<&DeploymentStatus::conditions>("conditions", kDeploymentConditionSchema),
    field<&DeploymentStatus::observed_generation>("observedGeneration"),
    field<&DeploymentStatus::ready_replicas>("readyReplicas"),
    field<&DeploymentStatus::replicas>("replicas"),
    field<&DeploymentStatus::terminating_replicas>("terminatingReplicas"),
    field<&DeploymentStatus::unavailable_replicas>("unavailableReplicas"),
    field<&DeploymentStatus::updated_replicas>("updatedReplicas"),
};
constinit const Schema kDeploymentStatusSchema{"io.k8s.api.apps.v1.DeploymentStatus", kDeploymentStatusFields};

constexpr Field kDeploymentFields[] = {
    field<&Deployment::metadata>("metadata", kObjectMetaSchema),
    part("spec", kDeploymentSpecSchema),
    field<&Deployment::status>("status", kDeploymentStatusSchema),
};
constinit const Schema kDeploymentSchema{"io.k8s.api.apps.v1.Deployment", kDeploymentFields};

constexpr Field kReplicaSetSpecFields[] = {
    field<&ReplicaSet::min_ready_seconds>("minReadySeconds"),
    field<&ReplicaSet::replicas>("replicas").pointer(),
    field<&ReplicaSet::selector>("selector", kLabelSelectorSchema),
    field<&ReplicaSet::template_>("template", kPodTemplateSpecSchema),
};
constexpr Schema kReplicaSetSpecSchema{"io.k8s.api.apps.v1.ReplicaSetSpec", kReplicaSetSpecFields};

constexpr Schema kReplicaSetConditionSchema{"io.k8s.api.apps.v1.ReplicaSetCondition", kConditionFields};

constexpr Field kReplicaSetStatusFields[] = {
    field<&ReplicaSetStatus::available_replicas>("availableReplicas"),
    field<&ReplicaSetStatus::conditions>("conditions", kReplicaSetConditionSchema),
    field<&ReplicaSetStatus::fully_labeled_replicas>("fullyLabeledReplicas"),
    field<&ReplicaSetStatus::observed_generation>("observedGeneration"),
    field<&ReplicaSetStatus::ready_replicas>("readyReplicas"),
    field<&ReplicaSetStatus::replicas>("replicas"),
    field<&ReplicaSetStatus::terminating_replicas>("terminatingReplicas"),
};
constinit const Schema kReplicaSetStatusSchema{"io.k8s.api.apps.v1.ReplicaSetStatus", kReplicaSetStatusFields};

constexpr Field kReplicaSetFields[] = {
    field<&ReplicaSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kReplicaSetSpecSchema),
    field<&ReplicaSet::status>("status", kReplicaSetStatusSchema),
};
constinit const Schema kReplicaSetSchema{"io.k8s.api.apps.v1.ReplicaSet", kReplicaSetFields};

constexpr Field kStatefulSetOrdinalsFields[] = {
    field<&StatefulSet::ordinals_start>("start"),
};
constexpr Schema kStatefulSetOrdinalsSchema{"io.k8s.api.apps.v1.StatefulSetOrdinals", kStatefulSetOrdinalsFields};

constexpr Field kStatefulSetPersistentVolumeClaimRetentionPolicyFields[] = {
    field<&StatefulSet::claims_when_deleted>("whenDeleted"),
    field<&StatefulSet::claims_when_scaled>("whenScaled"),
};
constexpr Schema kStatefulSetPersistentVolumeClaimRetentionPolicySchema{
    "io.k8s.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy",
    kStatefulSetPersistentVolumeClaimRetentionPolicyFields};

constexpr Field kRollingUpdateStatefulSetStrategyFields[] = {
    field<&StatefulSet::max_unavailable>("maxUnavailable"),
    field<&StatefulSet::partition>("partition"),
};
constexpr Schema kRollingUpdateStatefulSetStrategySchema{"io.k8s.api.apps.v1.RollingUpdateStatefulSetStrategy",
                                                         kRollingUpdateStatefulSetStrategyFields};

constexpr Field kStatefulSetUpdateStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateStatefulSetStrategySchema),
    field<&StatefulSet::update_strategy>("type"),
};
constexpr Schema kStatefulSetUpdateStrategySchema{"io.k8s.api.apps.v1.StatefulSetUpdateStrategy",
                                                  kStatefulSetUpdateStrategyFields};

static void read_pod_management_policy(Decoder&, const document::Value& value, const Path&, StatefulSet& stateful_set) {
  stateful_set.parallel = value.string() == "Parallel";
}

// A StatefulSet's claims are whole objects of which the controller takes metadata and spec.
constexpr Field kStatefulSetVolumeClaimFields[] = {
    field<&PersistentVolumeClaimTemplate::metadata>("metadata", kObjectMetaSchema),
    field<&PersistentVolumeClaimTemplate::spec>("spec", kPersistentVolumeClaimSpecSchema),
};
constexpr Schema kStatefulSetVolumeClaimSchema{"io.k8s.api.core.v1.PersistentVolumeClaim",
                                               kStatefulSetVolumeClaimFields};

constexpr Field kStatefulSetSpecFields[] = {
    field<&StatefulSet::min_ready_seconds>("minReadySeconds"),
    part("ordinals", kStatefulSetOrdinalsSchema),
    part("persistentVolumeClaimRetentionPolicy", kStatefulSetPersistentVolumeClaimRetentionPolicySchema),
    custom<read_pod_management_policy>("podManagementPolicy", one_of(kPodManagementPolicy)),
    field<&StatefulSet::replicas>("replicas").pointer(),
    field<&StatefulSet::revision_history_limit>("revisionHistoryLimit"),
    field<&StatefulSet::selector>("selector", kLabelSelectorSchema),
    field<&StatefulSet::service_name>("serviceName"),
    field<&StatefulSet::template_>("template", kPodTemplateSpecSchema),
    part("updateStrategy", kStatefulSetUpdateStrategySchema),
    field<&StatefulSet::volume_claim_templates>("volumeClaimTemplates", kStatefulSetVolumeClaimSchema),
};
constexpr Schema kStatefulSetSpecSchema{"io.k8s.api.apps.v1.StatefulSetSpec", kStatefulSetSpecFields};

constexpr Schema kStatefulSetConditionSchema{"io.k8s.api.apps.v1.StatefulSetCondition", kConditionFields};

constexpr Field kStatefulSetStatusFields[] = {
    field<&StatefulSetStatus::available_replicas>("availableReplicas"),
    field<&StatefulSetStatus::collision_count>("collisionCount"),
    field<&StatefulSetStatus::conditions>("conditions", kStatefulSetConditionSchema),
    field<&StatefulSetStatus::current_replicas>("currentReplicas"),
    field<&StatefulSetStatus::current_revision>("currentRevision"),
    field<&StatefulSetStatus::observed_generation>("observedGeneration"),
    field<&StatefulSetStatus::ready_replicas>("readyReplicas"),
    field<&StatefulSetStatus::replicas>("replicas"),
    field<&StatefulSetStatus::update_revision>("updateRevision"),
    field<&StatefulSetStatus::updated_replicas>("updatedReplicas"),
};
constinit const Schema kStatefulSetStatusSchema{"io.k8s.api.apps.v1.StatefulSetStatus", kStatefulSetStatusFields};

constexpr Field kStatefulSetFields[] = {
    field<&StatefulSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kStatefulSetSpecSchema),
    field<&StatefulSet::status>("status", kStatefulSetStatusSchema),
};
constinit const Schema kStatefulSetSchema{"io.k8s.api.apps.v1.StatefulSet", kStatefulSetFields};

constexpr Field kRollingUpdateDaemonSetFields[] = {
    field<&DaemonSet::max_surge>("maxSurge"),
    field<&DaemonSet::max_unavailable>("maxUnavailable"),
};
constexpr Schema kRollingUpdateDaemonSetSchema{"io.k8s.api.apps.v1.RollingUpdateDaemonSet",
                                               kRollingUpdateDaemonSetFields};

constexpr Field kDaemonSetUpdateStrategyFields[] = {
    part("rollingUpdate", kRollingUpdateDaemonSetSchema),
    field<&DaemonSet::update_strategy>("type"),
};
constexpr Schema kDaemonSetUpdateStrategySchema{"io.k8s.api.apps.v1.DaemonSetUpdateStrategy",
                                                kDaemonSetUpdateStrategyFields};

constexpr Field kDaemonSetSpecFields[] = {
    field<&DaemonSet::min_ready_seconds>("minReadySeconds"),
    field<&DaemonSet::revision_history_limit>("revisionHistoryLimit"),
    field<&DaemonSet::selector>("selector", kLabelSelectorSchema),
    field<&DaemonSet::template_>("template", kPodTemplateSpecSchema),
    part("updateStrategy", kDaemonSetUpdateStrategySchema),
};
constexpr Schema kDaemonSetSpecSchema{"io.k8s.api.apps.v1.DaemonSetSpec", kDaemonSetSpecFields};

constexpr Schema kDaemonSetConditionSchema{"io.k8s.api.apps.v1.DaemonSetCondition", kConditionFields};

constexpr Field kDaemonSetStatusFields[] = {
    field<&DaemonSetStatus::collision_count>("collisionCount"),
    field<&DaemonSetStatus::conditions>("conditions", kDaemonSetConditionSchema),
    field<&DaemonSetStatus::current_number_scheduled>("currentNumberScheduled"),
    field<&DaemonSetStatus::desired_number_scheduled>("desiredNumberScheduled"),
    field<&DaemonSetStatus::number_available>("numberAvailable"),
    field<&DaemonSetStatus::number_misscheduled>("numberMisscheduled"),
    field<&DaemonSetStatus::number_ready>("numberReady"),
    field<&DaemonSetStatus::number_unavailable>("numberUnavailable"),
    field<&DaemonSetStatus::observed_generation>("observedGeneration"),
    field<&DaemonSetStatus::updated_number_scheduled>("updatedNumberScheduled"),
};
constinit const Schema kDaemonSetStatusSchema{"io.k8s.api.apps.v1.DaemonSetStatus", kDaemonSetStatusFields};

constexpr Field kDaemonSetFields[] = {
    field<&DaemonSet::metadata>("metadata", kObjectMetaSchema),
    part("spec", kDaemonSetSpecSchema),
    field<&DaemonSet::status>("status", kDaemonSetStatusSchema),
};
constinit const Schema kDaemonSetSchema{"io.k8s.api.apps.v1.DaemonSet", kDaemonSetFields};

}  // namespace loadline::kube
