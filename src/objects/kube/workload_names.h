#pragma once

#include <string_view>

namespace loadline::kube {

// The labels, annotations and finalizers by which controllers tell the objects that they make. Each stands here once.

// ---- ReplicaSets of Deployments ------------------------------------------------------------------------------------

/// The label by which a Deployment's ReplicaSets are told from each other, and their pods.
inline constexpr std::string_view kPodTemplateHash = "pod-template-hash";
inline constexpr std::string_view kDeploymentRevision = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kDeploymentRevisionHistory = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicas = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicas = "deployment.kubernetes.io/max-replicas";
/// An annotation of a pod: of two, the one with the lower cost goes first.
inline constexpr std::string_view kPodDeletionCost = "controller.kubernetes.io/pod-deletion-cost";

// ---- pods of StatefulSets and DaemonSets ---------------------------------------------------------------------------

/// The label of a pod that names the revision it was made of; of a DaemonSet, of its revisions too.
inline constexpr std::string_view kControllerRevisionHash = "controller-revision-hash";
inline constexpr std::string_view kStatefulSetPodName = "statefulset.kubernetes.io/pod-name";
inline constexpr std::string_view kPodIndex = "apps.kubernetes.io/pod-index";
/// An annotation of a DaemonSet, whose number its pods have in the label below.
inline constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";
inline constexpr std::string_view kPodTemplateGeneration = "pod-template-generation";

// ---- Jobs and their pods -------------------------------------------------------------------------------------------

// What ties a Job's pods to it, under today's names and those of old.
inline constexpr std::string_view kJobName = "batch.kubernetes.io/job-name";
inline constexpr std::string_view kControllerUid = "batch.kubernetes.io/controller-uid";
inline constexpr std::string_view kLegacyJobName = "job-name";
inline constexpr std::string_view kLegacyControllerUid = "controller-uid";
/// A finalizer that keeps a pod of a Job from vanishing before it is counted.
inline constexpr std::string_view kJobTracking = "batch.kubernetes.io/job-tracking";
/// A label and an annotation of the pods of an indexed Job.
inline constexpr std::string_view kJobCompletionIndex = "batch.kubernetes.io/job-completion-index";
// How often the pods of an index have failed before, those apart that the podFailurePolicy ignores.
inline constexpr std::string_view kJobIndexFailureCount = "batch.kubernetes.io/job-index-failure-count";
inline constexpr std::string_view kJobIndexIgnoredFailureCount = "batch.kubernetes.io/job-index-ignored-failure-count";
/// An annotation of a CronJob's Job: the time of its run.
inline constexpr std::string_view kCronJobScheduledTimestamp = "batch.kubernetes.io/cronjob-scheduled-timestamp";

// ---- JobSets -------------------------------------------------------------------------------------------------------

// Labels and annotations of a JobSet's Jobs and pods.
inline constexpr std::string_view kJobSetName = "jobset.sigs.k8s.io/jobset-name";
inline constexpr std::string_view kJobSetUid = "jobset.sigs.k8s.io/jobset-uid";
inline constexpr std::string_view kReplicatedJobName = "jobset.sigs.k8s.io/replicatedjob-name";
inline constexpr std::string_view kReplicatedJobReplicas = "jobset.sigs.k8s.io/replicatedjob-replicas";
inline constexpr std::string_view kJobSetGlobalReplicas = "jobset.sigs.k8s.io/global-replicas";
inline constexpr std::string_view kJobSetRestartAttempt = "jobset.sigs.k8s.io/restart-attempt";
inline constexpr std::string_view kJobSetJobIndex = "jobset.sigs.k8s.io/job-index";
inline constexpr std::string_view kJobSetJobGlobalIndex = "jobset.sigs.k8s.io/job-global-index";
/// A digest of namespace and name of a Job.
inline constexpr std::string_view kJobSetJobKey = "jobset.sigs.k8s.io/job-key";
inline constexpr std::string_view kJobSetGroupName = "jobset.sigs.k8s.io/group-name";
inline constexpr std::string_view kJobSetGroupReplicas = "jobset.sigs.k8s.io/group-replicas";
inline constexpr std::string_view kJobSetJobGroupIndex = "jobset.sigs.k8s.io/job-group-index";
inline constexpr std::string_view kJobSetCoordinator = "jobset.sigs.k8s.io/coordinator";
/// A label of pods: those of the same priority keep out of each other's domains.
inline constexpr std::string_view kJobSetPriority = "jobset.sigs.k8s.io/priority";
/// An annotation: each Job has a domain of that key to itself.
inline constexpr std::string_view kJobSetExclusiveTopology = "alpha.jobset.sigs.k8s.io/exclusive-topology";
/// An annotation: nodes carry the names of Jobs, by a label and a taint that somebody has put on them.
inline constexpr std::string_view kJobSetNodeSelector = "alpha.jobset.sigs.k8s.io/node-selector";
inline constexpr std::string_view kJobSetNamespacedJob = "alpha.jobset.sigs.k8s.io/namespaced-job";
inline constexpr std::string_view kJobSetNoSchedule = "alpha.jobset.sigs.k8s.io/no-schedule";

// ---- LeaderWorkerSets ----------------------------------------------------------------------------------------------

inline constexpr std::string_view kLwsName = "leaderworkerset.sigs.k8s.io/name";
inline constexpr std::string_view kLwsGroupIndex = "leaderworkerset.sigs.k8s.io/group-index";
/// 0 of a leader.
inline constexpr std::string_view kLwsWorkerIndex = "leaderworkerset.sigs.k8s.io/worker-index";
/// A digest of namespace and name of a leader.
inline constexpr std::string_view kLwsGroupKey = "leaderworkerset.sigs.k8s.io/group-key";
inline constexpr std::string_view kLwsSubGroupIndex = "leaderworkerset.sigs.k8s.io/subgroup-index";
inline constexpr std::string_view kLwsSubGroupKey = "leaderworkerset.sigs.k8s.io/subgroup-key";
// Annotations of pods; the topologies are annotations of a LeaderWorkerSet, too.
inline constexpr std::string_view kLwsSize = "leaderworkerset.sigs.k8s.io/size";
inline constexpr std::string_view kLwsLeaderName = "leaderworkerset.sigs.k8s.io/leader-name";
inline constexpr std::string_view kLwsExclusiveTopology = "leaderworkerset.sigs.k8s.io/exclusive-topology";
inline constexpr std::string_view kLwsSubGroupSize = "leaderworkerset.sigs.k8s.io/subgroup-size";
inline constexpr std::string_view kLwsSubGroupPolicyType = "leaderworkerset.sigs.k8s.io/subgroup-policy-type";
inline constexpr std::string_view kLwsSubGroupExclusiveTopology =
    "leaderworkerset.sigs.k8s.io/subgroup-exclusive-topology";
/// A label of pods, StatefulSets and ControllerRevisions: a hash of what the groups are made from.
inline constexpr std::string_view kLwsRevision = "leaderworkerset.sigs.k8s.io/template-revision-hash";
/// An annotation of the leaders' StatefulSet: how many replicas the set had when it was last written.
inline constexpr std::string_view kLwsReplicas = "leaderworkerset.sigs.k8s.io/replicas";
/// An annotation of workers: TPU_WORKER_ID counts their leader.
inline constexpr std::string_view kLwsLeaderRequestsTpus = "leaderworkerset.sigs.k8s.io/leader-requests-tpus";
/// An annotation of a set: a group is not recreated while one of its pods is pending.
inline constexpr std::string_view kLwsRecreateAfterStart =
    "leaderworkerset.sigs.k8s.io/experimental-recreate-group-after-start";
inline constexpr std::string_view kLwsSubdomainPolicy = "leaderworkerset.sigs.k8s.io/subdomainPolicy";

// ---- training jobs of Kubeflow --------------------------------------------------------------------------------------

inline constexpr std::string_view kTrainingOperatorName = "training.kubeflow.org/operator-name";
inline constexpr std::string_view kTrainingJobName = "training.kubeflow.org/job-name";
inline constexpr std::string_view kTrainingReplicaType = "training.kubeflow.org/replica-type";
inline constexpr std::string_view kTrainingReplicaIndex = "training.kubeflow.org/replica-index";
/// "master" of the replica that leads; of the mpi-operator's pods, their role.
inline constexpr std::string_view kTrainingJobRole = "training.kubeflow.org/job-role";

// ---- Ray clusters and jobs of KubeRay -------------------------------------------------------------------------------

inline constexpr std::string_view kRayNode = "ray.io/is-ray-node";
inline constexpr std::string_view kRayCluster = "ray.io/cluster";  ///< also the key of a RayJob's clusterSelector
inline constexpr std::string_view kRayNodeType = "ray.io/node-type";
inline constexpr std::string_view kRayGroup = "ray.io/group";
inline constexpr std::string_view kRayIdentifier = "ray.io/identifier";
/// A worker's replica among those of its group; where a replica has several hosts, its name and which host it is too.
inline constexpr std::string_view kRayReplicaIndex = "ray.io/worker-group-replica-index";
inline constexpr std::string_view kRayReplicaName = "ray.io/worker-group-replica-name";
inline constexpr std::string_view kRayHostIndex = "ray.io/replica-host-index";
inline constexpr std::string_view kRayHeadlessService = "ray.io/headless-worker-svc";
inline constexpr std::string_view kRayServe = "ray.io/serve";
// Of a cluster and a submitter: the RayJob that they are made for, and its kind.
inline constexpr std::string_view kRayOriginName = "ray.io/originated-from-cr-name";
inline constexpr std::string_view kRayOriginKind = "ray.io/originated-from-crd";
inline constexpr std::string_view kRaySubmissionMode = "ray.io/job-submission-mode";
inline constexpr std::string_view kRayCronJobName = "ray.io/cronjob-name";
// A container.
inline constexpr std::string_view kRaySubmitterContainer = "ray-job-submitter";
// Annotations.
inline constexpr std::string_view kRayFaultTolerance = "ray.io/ft-enabled";
inline constexpr std::string_view kRayOverwriteCommand = "ray.io/overwrite-container-cmd";
inline constexpr std::string_view kRayServeService = "ray.io/enable-serve-service";
inline constexpr std::string_view kRayKeepsNoHead = "ray.io/disable-provisioned-head-restart";
inline constexpr std::string_view kRayCronJobTimestamp = "ray.io/cronjob-scheduled-timestamp";

// ---- pods of Volcano's Jobs ----------------------------------------------------------------------------------------

// Labels and annotations.
inline constexpr std::string_view kVolcanoTaskSpec = "volcano.sh/task-spec";
inline constexpr std::string_view kVolcanoTaskIndex = "volcano.sh/task-index";
inline constexpr std::string_view kVolcanoJobName = "volcano.sh/job-name";
inline constexpr std::string_view kVolcanoQueueName = "volcano.sh/queue-name";
// Labels.
inline constexpr std::string_view kVolcanoJobNamespace = "volcano.sh/job-namespace";
inline constexpr std::string_view kVolcanoPartition = "volcano.sh/partition-id";
// Annotations.
inline constexpr std::string_view kVolcanoJobVersion = "volcano.sh/job-version";
inline constexpr std::string_view kVolcanoRetryCount = "volcano.sh/job-retry-count";
inline constexpr std::string_view kVolcanoTemplate = "volcano.sh/template-uid";
inline constexpr std::string_view kVolcanoNumaPolicy = "volcano.sh/numa-topology-policy";
/// The PodGroup that the pod belongs to.
inline constexpr std::string_view kGroupNameAnnotation = "scheduling.k8s.io/group-name";
// Of a Job, which its pods get, too.
inline constexpr std::string_view kVolcanoPreemptable = "volcano.sh/preemptable";
inline constexpr std::string_view kVolcanoCooldown = "volcano.sh/cooldown-time";
inline constexpr std::string_view kVolcanoRevocableZone = "volcano.sh/revocable-zone";
inline constexpr std::string_view kVolcanoLeastAvailable = "volcano.sh/jdb-min-available";
inline constexpr std::string_view kVolcanoMostUnavailable = "volcano.sh/jdb-max-unavailable";

// ---- what Grove makes of a PodCliqueSet ----------------------------------------------------------------------------

// Labels.
inline constexpr std::string_view kManagedBy = "app.kubernetes.io/managed-by";
inline constexpr std::string_view kPartOf = "app.kubernetes.io/part-of";
inline constexpr std::string_view kAppName = "app.kubernetes.io/name";
inline constexpr std::string_view kComponent = "app.kubernetes.io/component";
inline constexpr std::string_view kGrovePodClique = "grove.io/podclique";
inline constexpr std::string_view kGrovePodGang = "grove.io/podgang";
/// The gang that has to be there before the pod's own may be scheduled.
inline constexpr std::string_view kGroveBasePodGang = "grove.io/base-podgang";
inline constexpr std::string_view kGroveSetIndex = "grove.io/podcliqueset-replica-index";
inline constexpr std::string_view kGroveScalingGroup = "grove.io/podcliquescalinggroup";
inline constexpr std::string_view kGroveScalingGroupIndex = "grove.io/podcliquescalinggroup-replica-index";
inline constexpr std::string_view kGrovePodIndex = "grove.io/podclique-pod-index";
inline constexpr std::string_view kGroveTemplateHash = "grove.io/pod-template-hash";
inline constexpr std::string_view kGroveSchedulerName = "grove.io/scheduler-name";
/// The gate of a pod that is not in a gang yet.
inline constexpr std::string_view kGroveGate = "grove.io/podgang-pending-creation";

}  // namespace loadline::kube
