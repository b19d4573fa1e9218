#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/diagnostic.h"
#include "foundation/base/time.h"
#include "objects/kube/kueue/feature_gates.h"
#include "objects/kube/meta.h"
#include "objects/kube/scalars.h"

namespace loadline::kube {

/// When fair sharing may take a victim, told by the shares of both queues after and before it.
enum class FairSharingStrategy : std::uint8_t { kLessThanOrEqualToFinalShare, kLessThanInitialShare };

struct KueueFairSharing {
  /// Tried in this order; one of them, or both in the enumerators' order.
  std::vector<FairSharingStrategy> preemption_strategies = {FairSharingStrategy::kLessThanOrEqualToFinalShare,
                                                            FairSharingStrategy::kLessThanInitialShare};
};

/// What a workload's place in line counts from, once it was evicted because its pods did not get ready.
enum class RequeuingTimestamp : std::uint8_t { kEviction, kCreation };

struct RequeuingStrategy {
  RequeuingTimestamp timestamp = RequeuingTimestamp::kEviction;
  std::optional<std::int32_t> backoff_limit_count;  ///< after so many requeues it is deactivated; absent: never
  std::int32_t backoff_base_seconds = 60;
  std::int32_t backoff_max_seconds = 3600;
};

/// An admitted workload whose pods are not all ready in time goes back to its queue.
struct WaitForPodsReady {
  Duration timeout = Duration::seconds(1800);           ///< after it was admitted
  Duration recovery_timeout = Duration::seconds(1800);  ///< after pods ceased to be ready; 0: for ever
  bool block_admission = false;                         ///< nothing else is admitted until the pods are ready
  RequeuingStrategy requeuing_strategy;
};

enum class QuotaCheckStrategy : std::uint8_t {
  kBlockUndeclared,   ///< a workload that asks for what its queue has no quota of is not admitted
  kIgnoreUndeclared,  ///< such a request is not counted
};

enum class TransformationStrategy : std::uint8_t { kRetain, kReplace };

/// What a pod's request counts as.
struct ResourceTransformation {
  std::string input;
  TransformationStrategy strategy = TransformationStrategy::kRetain;  ///< of the input: kept or dropped
  std::string multiply_by;  ///< another resource of the pod, whose amount multiplies the outputs; empty: none
  ResourceList outputs;     ///< a unit of the input
};

/// Devices of DRA that count as a resource.
struct DeviceClassMapping {
  std::string name;  ///< the resource
  std::vector<std::string> device_class_names;
  bool has_sources = false;  ///< counted by counters or capacity of the devices
};

struct KueueResources {
  QuotaCheckStrategy quota_check_strategy = QuotaCheckStrategy::kBlockUndeclared;
  std::vector<std::string> exclude_resource_prefixes;
  std::vector<ResourceTransformation> transformations;
  std::vector<DeviceClassMapping> device_class_mappings;
};

/// Workloads of LocalQueues that have used less come first.
struct AdmissionFairSharing {
  Duration usage_half_life_time = {};  ///< 0: past usage does not count
  Duration usage_sampling_interval = Duration::seconds(300);
  std::map<std::string, double, std::less<>> resource_weights;  ///< a resource that is not named: 1
};

struct WorkloadRetention {
  std::optional<Duration> after_finished;              ///< absent: it is kept
  std::optional<Duration> after_deactivated_by_kueue;  ///< likewise
};

/// Kueue's configuration, config.kueue.x-k8s.io v1beta1 and v1beta2: the parts that decide. As constructed it is what
/// Kueue 0.19.2 has without a file.
struct KueueConfiguration {
  std::string namespace_ = "kueue-system";
  bool manage_jobs_without_queue_name = false;
  /// Of which namespaces jobs are managed: all but kube-system and Kueue's own.
  LabelSelector managed_jobs_namespace_selector = {
      {}, {{"kubernetes.io/metadata.name", LabelSelectorOperator::kNotIn, {"kube-system", "kueue-system"}}}};
  std::optional<WaitForPodsReady> wait_for_pods_ready = WaitForPodsReady{};  ///< absent: nothing waits for pods
  std::optional<KueueFairSharing> fair_sharing;                              ///< absent: classical preemption
  std::optional<AdmissionFairSharing> admission_fair_sharing;                ///< absent: off
  KueueResources resources;
  std::vector<std::string> frameworks = {"batch/job"};  ///< whose jobs are managed
  std::vector<std::string> external_frameworks;         ///< likewise, by controllers of others
  std::vector<std::string> label_keys_to_copy;          ///< from a job to its workload
  WorkloadRetention retention;
  FeatureGates feature_gates;     ///< as they are written
  SourcePosition source;          ///< where it was read; nowhere: these are defaults
  bool is_of_config_map = false;  ///< it was found in one, and no file of it was given

  /// Whether a feature is on. REQUIRES: find_kueue_gate(feature). O(log gates).
  [[nodiscard]] bool enables(std::string_view feature) const { return kube::enables(feature_gates, feature); }
};

/// What Kueue's manager would not start with, in its words and order; but for what decides nothing: certificates,
/// metrics, the visibility server, TLS, MultiKueue. And, in ours, alpha features that are off by default and set on:
/// they are not there here, but for DisableWaitForPodsReady. Source: kueue v0.19.2, pkg/config/validation.go.
FieldErrors validate(const KueueConfiguration& configuration);

}  // namespace loadline::kube
