#include "objects/kube/kueue/feature_gates.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::kube {
namespace {

constexpr KueueGate kKueueGates[] = {
    {"AdmissionFairSharing", true, GateStage::kBeta, false},
    {"AdmissionGatedBy", true, GateStage::kBeta, false},
    {"AssignQueueLabelsForPods", true, GateStage::kBeta, false},
    {"CleanupProvisioningRequestsOnEviction", true, GateStage::kBeta, false},
    {"ConcurrentAdmission", false, GateStage::kAlpha, false},
    {"CustomMetricLabels", false, GateStage::kAlpha, false},
    {"DeferRayServiceFinalizationForRedisCleanup", true, GateStage::kBeta, false},
    {"DisableWaitForPodsReady", false, GateStage::kAlpha, false},
    {"ElasticJobsViaWorkloadSlices", true, GateStage::kBeta, false},
    {"ElasticJobsViaWorkloadSlicesWithTAS", false, GateStage::kAlpha, false},
    {"FailureRecoveryPolicy", false, GateStage::kAlpha, false},
    {"FairSharingPreemptWithinNominal", true, GateStage::kBeta, false},
    {"FairSharingPrioritizeNonBorrowing", true, GateStage::kBeta, false},
    {"FastQuotaReleaseInPodIntegration", false, GateStage::kAlpha, false},
    {"FinishOrphanedWorkloads", true, GateStage::kBeta, false},
    {"FlavorFungibility", true, GateStage::kBeta, false},
    {"FlavorFungibilityPreserveScanProgress", true, GateStage::kBeta, false},
    {"HierarchicalCohorts", true, GateStage::kGa, true},
    {"KueueDRAIntegration", true, GateStage::kBeta, false},
    {"KueueDRAIntegrationConsumableCapacity", false, GateStage::kAlpha, false},
    {"KueueDRAIntegrationExtendedResource", true, GateStage::kBeta, false},
    {"KueueDRAIntegrationPartitionableDevices", true, GateStage::kBeta, false},
    {"KueueDRARejectWorkloadsWhenDRADisabled", true, GateStage::kBeta, false},
    {"LWSImmutableGroupSize", true, GateStage::kBeta, false},
    {"LocalQueueMetrics", true, GateStage::kBeta, false},
    {"ManagedJobsNamespaceSelectorAlwaysRespected", true, GateStage::kGa, true},
    {"MetricForWorkloadCreationLatency", true, GateStage::kBeta, false},
    {"MetricsForCohorts", true, GateStage::kBeta, false},
    {"MultiKueue", true, GateStage::kBeta, false},
    {"MultiKueueAdaptersForCustomJobs", true, GateStage::kBeta, false},
    {"MultiKueueAllowInsecureKubeconfigs", true, GateStage::kDeprecated, true},
    {"MultiKueueClusterProfile", false, GateStage::kAlpha, false},
    {"MultiKueueIncrementalDispatcherConfig", true, GateStage::kBeta, false},
    {"MultiKueueIncrementalDispatcherRespectConfigOrder", true, GateStage::kBeta, false},
    {"MultiKueueKubeConfigPathValidation", false, GateStage::kAlpha, false},
    {"MultiKueueManagerQuotaAutomation", false, GateStage::kAlpha, false},
    {"MultiKueueOrchestratedPreemption", false, GateStage::kAlpha, false},
    {"MultiKueueRedoAdmissionOnEvictionInWorker", true, GateStage::kGa, true},
    {"MultiKueueRemoteSpecSync", true, GateStage::kBeta, false},
    {"MultiKueueWaitForWorkloadAdmitted", true, GateStage::kGa, true},
    {"ObjectRetentionPolicies", true, GateStage::kGa, true},
    {"PartialAdmission", true, GateStage::kBeta, false},
    {"PodIntegrationValidateGroupOwner", true, GateStage::kBeta, false},
    {"PrioritizePreemptorWorkloads", false, GateStage::kAlpha, false},
    {"PriorityBoost", false, GateStage::kAlpha, false},
    {"PrioritySortingWithinCohort", true, GateStage::kBeta, false},
    {"PropagateBatchJobLabelsToWorkload", true, GateStage::kGa, true},
    {"QuotaCheckStrategy", true, GateStage::kBeta, false},
    {"ReclaimablePods", true, GateStage::kBeta, false},
    {"RecomputeAssignmentUponPreemptionTargetsOverlap", false, GateStage::kAlpha, false},
    {"RejectUpdatesToCQWithInvalidOnFlavors", false, GateStage::kAlpha, false},
    {"RemoveFinalizersWithStrictPatch", true, GateStage::kBeta, false},
    {"SchedulerLibraryIntegration", false, GateStage::kAlpha, false},
    {"SchedulerLongRequeueInterval", false, GateStage::kAlpha, false},
    {"SchedulerTimestampPreemptionBuffer", false, GateStage::kAlpha, false},
    {"SchedulingEquivalenceHashing", true, GateStage::kBeta, false},
    {"ShortWorkloadNames", false, GateStage::kAlpha, false},
    {"SkipAncestorCheckForDeletedWorkloads", true, GateStage::kBeta, false},
    {"SkipFinalizersForPodsSuspendedByParent", true, GateStage::kGa, true},
    {"SkipReassignmentForPodOwnedWorkloads", true, GateStage::kBeta, false},
    {"SparkApplicationIntegration", false, GateStage::kAlpha, false},
    {"TASAssignmentsEncodingByHostnamePrefix", true, GateStage::kBeta, false},
    {"TASBalancedPlacement", false, GateStage::kAlpha, false},
    {"TASCacheNodeMatchResults", true, GateStage::kBeta, false},
    {"TASCacheTopologyTree", false, GateStage::kAlpha, false},
    {"TASCachingRemainingResources", true, GateStage::kBeta, false},
    {"TASFailedNodeReplacement", true, GateStage::kBeta, false},
    {"TASFailedNodeReplacementFailFast", true, GateStage::kBeta, false},
    {"TASHandleOverlappingFlavors", true, GateStage::kBeta, false},
    {"TASMultiLayerTopology", true, GateStage::kBeta, false},
    {"TASProfileMixed", true, GateStage::kBeta, false},
    {"TASRecomputeAssignmentWithinSchedulingCycle", true, GateStage::kBeta, false},
    {"TASReplaceNodeDueToNotReadyOverFixedTime", false, GateStage::kDeprecated, false},
    {"TASReplaceNodeOnNodeTaints", true, GateStage::kBeta, false},
    {"TASReplaceNodeOnPodTermination", true, GateStage::kBeta, false},
    {"TASRespectNodeAffinityPreferred", false, GateStage::kAlpha, false},
    {"TASValidateWorkloadSliceSize", true, GateStage::kBeta, false},
    {"TLSOptions", true, GateStage::kBeta, false},
    {"TopologyAwareScheduling", true, GateStage::kBeta, false},
    {"UnadmittedWorkloadsExplicitStatus", false, GateStage::kBeta, false},
    {"UnadmittedWorkloadsObservability", false, GateStage::kBeta, false},
    {"ValidateRayAndSparkJobUpdates", true, GateStage::kBeta, false},
    {"VectorizedResourceRequests", true, GateStage::kBeta, false},
    {"VisibilityOnDemand", true, GateStage::kBeta, false},
    {"WorkloadIdentifierAnnotations", true, GateStage::kBeta, false},
    {"WorkloadPriorityClassDefaulting", false, GateStage::kAlpha, false},
    {"WorkloadRequestUseMergePatch", false, GateStage::kAlpha, false},
    {"WorkloadValidateResourcesAreNonNegative", true, GateStage::kBeta, false},
    {"WorkloadValidationForPodSetMetadata", true, GateStage::kBeta, false},
};
static_assert(std::ranges::is_sorted(kKueueGates, {}, &KueueGate::name));

}  // namespace

std::span<const KueueGate> kueue_gates() { return kKueueGates; }

const KueueGate* find_kueue_gate(std::string_view name) {
  const auto* found = std::ranges::lower_bound(kKueueGates, name, {}, &KueueGate::name);
  return found != std::end(kKueueGates) && found->name == name ? found : nullptr;
}

bool enables(const FeatureGates& gates, std::string_view feature) {
  const KueueGate* gate = find_kueue_gate(feature);
  REQUIRES(gate != nullptr);
  if (const auto set = gates.find(feature); set != gates.end()) return set->second;
  const std::string_view all = gate->stage == GateStage::kAlpha  ? kAllAlphaGates
                               : gate->stage == GateStage::kBeta ? kAllBetaGates
                                                                 : std::string_view();
  const auto set = all.empty() ? gates.end() : gates.find(all);
  return set != gates.end() ? set->second : gate->is_on;
}

}  // namespace loadline::kube
