#include "kube/apps/apps_schema.h"

#include "kube/core/pod_schema.h"
#include "kube/core/volume_schema.h"
#include "kube/decoder.h"
#include "kube/meta_schema.h"

namespace loadline::kube {

constexpr std::string_view kDeploymentStrategyNames[] = {"Recreate", "RollingUpdate"};
constexpr Enumeration kDeploymentStrategy{kDeploymentStrategyNames};

constexpr std::string_view kPodManagementPolicyNames[] = {"OrderedReady", "Parallel"};
constexpr Enumeration kPodManagementPolicy{kPodManagementPolicyNames, "must be 'OrderedReady' or 'Parallel'"};

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
    known("minReadySeconds", kInt32),
    field<&Deployment::paused>("paused"),
    known("progressDeadlineSeconds", kInt32),
    field<&Deployment::replicas>("replicas").pointer(),
    known("revisionHistoryLimit", kInt32),
    field<&Deployment::selector>("selector", object(kLabelSelectorSchema)).required(),
    part("strategy", kDeploymentStrategySchema).retain_keys(),
    field<&Deployment::template_>("template", object(kPodTemplateSpecSchema)).required(),
};
constexpr Schema kDeploymentSpecSchema{"DeploymentSpec", kDeploymentSpecFields};

constexpr Field kDeploymentConditionFields[] = {
    known("lastTransitionTime", kTime), known("lastUpdateTime", kTime),      known("message", kString),
    known("reason", kString),           known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kDeploymentConditionSchema{"DeploymentCondition", kDeploymentConditionFields};

constexpr Field kDeploymentStatusFields[] = {
    known("availableReplicas", kInt32),
    known("collisionCount", kInt32),
    known("conditions", list_of(object(kDeploymentConditionSchema))).merge_by("type"),
    known("observedGeneration", kInt64),
    known("readyReplicas", kInt32),
    known("replicas", kInt32),
    known("terminatingReplicas", kInt32),
    known("unavailableReplicas", kInt32),
    known("updatedReplicas", kInt32),
};
constexpr Schema kDeploymentStatusSchema{"DeploymentStatus", kDeploymentStatusFields};

constexpr Field kDeploymentFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&Deployment::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kDeploymentSpecSchema),
    known("status", object(kDeploymentStatusSchema)),
};
constinit const Schema kDeploymentSchema{"Deployment", kDeploymentFields};

constexpr Field kReplicaSetSpecFields[] = {
    known("minReadySeconds", kInt32),
    field<&ReplicaSet::replicas>("replicas").pointer(),
    field<&ReplicaSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&ReplicaSet::template_>("template", object(kPodTemplateSpecSchema)),
};
constexpr Schema kReplicaSetSpecSchema{"ReplicaSetSpec", kReplicaSetSpecFields};

constexpr Field kReplicaSetConditionFields[] = {
    known("lastTransitionTime", kTime),  known("message", kString),         known("reason", kString),
    known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kReplicaSetConditionSchema{"ReplicaSetCondition", kReplicaSetConditionFields};

constexpr Field kReplicaSetStatusFields[] = {
    known("availableReplicas", kInt32),
    known("conditions", list_of(object(kReplicaSetConditionSchema))).merge_by("type"),
    known("fullyLabeledReplicas", kInt32),
    known("observedGeneration", kInt64),
    known("readyReplicas", kInt32),
    known("replicas", kInt32).required(),
    known("terminatingReplicas", kInt32),
};
constexpr Schema kReplicaSetStatusSchema{"ReplicaSetStatus", kReplicaSetStatusFields};

constexpr Field kReplicaSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ReplicaSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kReplicaSetSpecSchema),
    known("status", object(kReplicaSetStatusSchema)),
};
constinit const Schema kReplicaSetSchema{"ReplicaSet", kReplicaSetFields};

constexpr Field kStatefulSetOrdinalsFields[] = {
    field<&StatefulSet::ordinals_start>("start"),
};
constexpr Schema kStatefulSetOrdinalsSchema{"StatefulSetOrdinals", kStatefulSetOrdinalsFields};

constexpr Field kStatefulSetPersistentVolumeClaimRetentionPolicyFields[] = {
    known("whenDeleted", kString),
    known("whenScaled", kString),
};
constexpr Schema kStatefulSetPersistentVolumeClaimRetentionPolicySchema{
    "StatefulSetPersistentVolumeClaimRetentionPolicy", kStatefulSetPersistentVolumeClaimRetentionPolicyFields};

constexpr Field kRollingUpdateStatefulSetStrategyFields[] = {
    known("maxUnavailable", kIntOrString),
    known("partition", kInt32),
};
constexpr Schema kRollingUpdateStatefulSetStrategySchema{"RollingUpdateStatefulSetStrategy",
                                                         kRollingUpdateStatefulSetStrategyFields};

constexpr Field kStatefulSetUpdateStrategyFields[] = {
    known("rollingUpdate", object(kRollingUpdateStatefulSetStrategySchema)),
    known("type", kString),
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
    known("minReadySeconds", kInt32),
    part("ordinals", kStatefulSetOrdinalsSchema),
    known("persistentVolumeClaimRetentionPolicy", object(kStatefulSetPersistentVolumeClaimRetentionPolicySchema)),
    custom<read_pod_management_policy>("podManagementPolicy", one_of(kPodManagementPolicy)),
    field<&StatefulSet::replicas>("replicas").pointer(),
    known("revisionHistoryLimit", kInt32),
    field<&StatefulSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&StatefulSet::service_name>("serviceName"),
    field<&StatefulSet::template_>("template", object(kPodTemplateSpecSchema)).required(),
    known("updateStrategy", object(kStatefulSetUpdateStrategySchema)),
    field<&StatefulSet::volume_claim_templates>("volumeClaimTemplates", list_of(object(kStatefulSetVolumeClaimSchema))),
};
constexpr Schema kStatefulSetSpecSchema{"StatefulSetSpec", kStatefulSetSpecFields};

constexpr Field kStatefulSetConditionFields[] = {
    known("lastTransitionTime", kTime),  known("message", kString),         known("reason", kString),
    known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kStatefulSetConditionSchema{"StatefulSetCondition", kStatefulSetConditionFields};

constexpr Field kStatefulSetStatusFields[] = {
    known("availableReplicas", kInt32),
    known("collisionCount", kInt32),
    known("conditions", list_of(object(kStatefulSetConditionSchema))).merge_by("type"),
    known("currentReplicas", kInt32),
    known("currentRevision", kString),
    known("observedGeneration", kInt64),
    known("readyReplicas", kInt32),
    known("replicas", kInt32).required(),
    known("updateRevision", kString),
    known("updatedReplicas", kInt32),
};
constexpr Schema kStatefulSetStatusSchema{"StatefulSetStatus", kStatefulSetStatusFields};

constexpr Field kStatefulSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&StatefulSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kStatefulSetSpecSchema),
    known("status", object(kStatefulSetStatusSchema)),
};
constinit const Schema kStatefulSetSchema{"StatefulSet", kStatefulSetFields};

constexpr Field kRollingUpdateDaemonSetFields[] = {
    known("maxSurge", kIntOrString),
    known("maxUnavailable", kIntOrString),
};
constexpr Schema kRollingUpdateDaemonSetSchema{"RollingUpdateDaemonSet", kRollingUpdateDaemonSetFields};

constexpr Field kDaemonSetUpdateStrategyFields[] = {
    known("rollingUpdate", object(kRollingUpdateDaemonSetSchema)),
    known("type", kString),
};
constexpr Schema kDaemonSetUpdateStrategySchema{"DaemonSetUpdateStrategy", kDaemonSetUpdateStrategyFields};

constexpr Field kDaemonSetSpecFields[] = {
    known("minReadySeconds", kInt32),
    known("revisionHistoryLimit", kInt32),
    field<&DaemonSet::selector>("selector", object(kLabelSelectorSchema)).required(),
    field<&DaemonSet::template_>("template", object(kPodTemplateSpecSchema)).required(),
    known("updateStrategy", object(kDaemonSetUpdateStrategySchema)),
};
constexpr Schema kDaemonSetSpecSchema{"DaemonSetSpec", kDaemonSetSpecFields};

constexpr Field kDaemonSetConditionFields[] = {
    known("lastTransitionTime", kTime),  known("message", kString),         known("reason", kString),
    known("status", kString).required(), known("type", kString).required(),
};
constexpr Schema kDaemonSetConditionSchema{"DaemonSetCondition", kDaemonSetConditionFields};

constexpr Field kDaemonSetStatusFields[] = {
    known("collisionCount", kInt32),
    known("conditions", list_of(object(kDaemonSetConditionSchema))).merge_by("type"),
    known("currentNumberScheduled", kInt32).required(),
    known("desiredNumberScheduled", kInt32).required(),
    known("numberAvailable", kInt32),
    known("numberMisscheduled", kInt32).required(),
    known("numberReady", kInt32).required(),
    known("numberUnavailable", kInt32),
    known("observedGeneration", kInt64),
    known("updatedNumberScheduled", kInt32),
};
constexpr Schema kDaemonSetStatusSchema{"DaemonSetStatus", kDaemonSetStatusFields};

constexpr Field kDaemonSetFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&DaemonSet::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kDaemonSetSpecSchema),
    known("status", object(kDaemonSetStatusSchema)),
};
constinit const Schema kDaemonSetSchema{"DaemonSet", kDaemonSetFields};

}  // namespace loadline::kube
