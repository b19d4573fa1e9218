#include "objects/kube/kueue/configuration_schema.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

/// A span of time, whose form has been checked.
template <auto Member>
void read_span(Decoder& decoder, const Value& value, const Path& path,
               typename schema_detail::MemberTraits<Member>::OwnerType& owner) {
  if (!value.is_string()) return;
  const Result<Duration> span = parse_duration(value.string());
  if (!span) return decoder.report(value.mark(), path, span.error().message);
  owner.*Member = *span;
}

// ---- waiting for pods ----------------------------------------------------------------------------------------------

constexpr Field kRequeuingFields[] = {
    field<&RequeuingStrategy::timestamp>("timestamp"),
    field<&RequeuingStrategy::backoff_limit_count>("backoffLimitCount"),
    field<&RequeuingStrategy::backoff_base_seconds>("backoffBaseSeconds"),
    field<&RequeuingStrategy::backoff_max_seconds>("backoffMaxSeconds"),
};
constexpr Schema kRequeuingSchema{"io.x-k8s.kueue.config.v1beta2.RequeuingStrategy", kRequeuingFields};

constexpr Field kWaitFields[] = {
    custom<read_span<&WaitForPodsReady::timeout>>("timeout"),
    custom<read_span<&WaitForPodsReady::recovery_timeout>>("recoveryTimeout"),
    field<&WaitForPodsReady::block_admission>("blockAdmission"),
    field<&WaitForPodsReady::requeuing_strategy>("requeuingStrategy", kRequeuingSchema),
};
constexpr Schema kWaitSchema{"io.x-k8s.kueue.config.v1beta2.WaitForPodsReady", kWaitFields};
constexpr Schema kWaitBeta1Schema{"io.x-k8s.kueue.config.v1beta1.WaitForPodsReady", kWaitFields};

// ---- fair sharing --------------------------------------------------------------------------------------------------

/// In Kueue's words: it judges the list, not each of its words.
void report_strategies(Decoder& decoder, const Value& value, const Path& path) {
  std::string shown;
  for (const Value& word : value.array()) {
    shown.append(shown.empty() ? "" : ",").append(quoted(word.is_string() ? word.string() : ""));
  }
  decoder.report(value.mark(), path,
                 "Unsupported value: [" + shown +
                     "]: supported values: \"LessThanOrEqualToFinalShare\", \"LessThanInitialShare\", "
                     "\"LessThanOrEqualToFinalShare,LessThanInitialShare\"");
}

std::optional<FairSharingStrategy> strategy_of(const Value& word) {
  if (!word.is_string()) return std::nullopt;
  const auto* found = std::ranges::find(kFairSharingStrategyNames, word.string());
  if (found == std::end(kFairSharingStrategyNames)) return std::nullopt;
  return static_cast<FairSharingStrategy>(found - std::begin(kFairSharingStrategyNames));
}

void read_strategies(Decoder& decoder, const Value& value, const Path& path, KueueFairSharing& sharing) {
  if (!value.is_array()) return;
  std::vector<FairSharingStrategy> strategies;
  for (const Value& word : value.array()) {
    const std::optional<FairSharingStrategy> strategy = strategy_of(word);
    if (!strategy) return report_strategies(decoder, value, path);
    strategies.push_back(*strategy);
  }
  const bool is_in_order = std::ranges::is_sorted(strategies, std::ranges::less_equal{});
  if (strategies.size() > 1 && !is_in_order) return report_strategies(decoder, value, path);
  sharing.preemption_strategies = std::move(strategies);
}

constexpr Field kKueueFairSharingFields[] = {custom<read_strategies>("preemptionStrategies")};
constexpr Schema kKueueFairSharingSchema{"io.x-k8s.kueue.config.v1beta2.FairSharing", kKueueFairSharingFields};
constexpr Schema kKueueFairSharingBeta1Schema{"io.x-k8s.kueue.config.v1beta1.FairSharing", kKueueFairSharingFields};

constexpr Field kAdmissionFairSharingFields[] = {
    custom<read_span<&AdmissionFairSharing::usage_half_life_time>>("usageHalfLifeTime"),
    custom<read_span<&AdmissionFairSharing::usage_sampling_interval>>("usageSamplingInterval"),
    field<&AdmissionFairSharing::resource_weights>("resourceWeights"),
};
constexpr Schema kAdmissionFairSharingSchema{"io.x-k8s.kueue.config.v1beta2.AdmissionFairSharing",
                                             kAdmissionFairSharingFields};

// ---- resources -----------------------------------------------------------------------------------------------------

constexpr Field kTransformationFields[] = {
    field<&ResourceTransformation::input>("input"),
    field<&ResourceTransformation::strategy>("strategy"),
    field<&ResourceTransformation::multiply_by>("multiplyBy"),
    field<&ResourceTransformation::outputs>("outputs"),
};
constexpr Schema kTransformationSchema{"io.x-k8s.kueue.config.v1beta2.ResourceTransformation", kTransformationFields};

void read_sources(Decoder&, const Value& value, const Path&, DeviceClassMapping& mapping) {
  mapping.has_sources = value.is_array() && !value.array().empty();
}

constexpr Field kMappingBeta1Fields[] = {
    field<&DeviceClassMapping::name>("name"),
    field<&DeviceClassMapping::device_class_names>("deviceClassNames"),
};
constexpr Schema kMappingBeta1Schema{"io.x-k8s.kueue.config.v1beta1.DeviceClassMapping", kMappingBeta1Fields};
constexpr Field kMappingFields[] = {
    field<&DeviceClassMapping::name>("name"),
    field<&DeviceClassMapping::device_class_names>("deviceClassNames"),
    custom<read_sources>("sources"),
};
constexpr Schema kMappingSchema{"io.x-k8s.kueue.config.v1beta2.DeviceClassMapping", kMappingFields};

constexpr Enumeration kQuotaCheckStrategy{kQuotaCheckStrategyNames};

void read_quota_check(Decoder& decoder, const Value& value, const Path& path, KueueResources& resources) {
  if (const auto index = read_enumeration(decoder, value, path, kQuotaCheckStrategy)) {
    resources.quota_check_strategy = static_cast<QuotaCheckStrategy>(*index);
  }
}

constexpr Field kResourcesBeta1Fields[] = {
    field<&KueueResources::exclude_resource_prefixes>("excludeResourcePrefixes"),
    field<&KueueResources::transformations>("transformations", kTransformationSchema),
    field<&KueueResources::device_class_mappings>("deviceClassMappings", kMappingBeta1Schema),
};
constexpr Schema kResourcesBeta1Schema{"io.x-k8s.kueue.config.v1beta1.Resources", kResourcesBeta1Fields};
constexpr Field kResourcesFields[] = {
    custom<read_quota_check>("quotaCheckStrategy"),
    field<&KueueResources::exclude_resource_prefixes>("excludeResourcePrefixes"),
    field<&KueueResources::transformations>("transformations", kTransformationSchema),
    field<&KueueResources::device_class_mappings>("deviceClassMappings", kMappingSchema),
};
constexpr Schema kResourcesSchema{"io.x-k8s.kueue.config.v1beta2.Resources", kResourcesFields};

// ---- the rest ------------------------------------------------------------------------------------------------------

constexpr Field kIntegrationsFields[] = {
    field<&KueueConfiguration::frameworks>("frameworks"),
    field<&KueueConfiguration::external_frameworks>("externalFrameworks"),
    field<&KueueConfiguration::label_keys_to_copy>("labelKeysToCopy"),
};
constexpr Schema kIntegrationsSchema{"io.x-k8s.kueue.config.v1beta2.Integrations", kIntegrationsFields};
constexpr Schema kIntegrationsBeta1Schema{"io.x-k8s.kueue.config.v1beta1.Integrations", kIntegrationsFields};

constexpr Field kRetentionFields[] = {
    custom<read_span<&WorkloadRetention::after_finished>>("afterFinished"),
    custom<read_span<&WorkloadRetention::after_deactivated_by_kueue>>("afterDeactivatedByKueue"),
};
constexpr Schema kRetentionSchema{"io.x-k8s.kueue.config.v1beta2.WorkloadRetentionPolicy", kRetentionFields};
constexpr Field kRetentionsFields[] = {field<&KueueConfiguration::retention>("workloads", kRetentionSchema)};
constexpr Schema kRetentionsSchema{"io.x-k8s.kueue.config.v1beta2.ObjectRetentionPolicies", kRetentionsFields};

constexpr Field kKueueConfigurationFields[] = {
    field<&KueueConfiguration::namespace_>("namespace"),
    field<&KueueConfiguration::manage_jobs_without_queue_name>("manageJobsWithoutQueueName"),
    field<&KueueConfiguration::managed_jobs_namespace_selector>("managedJobsNamespaceSelector", kLabelSelectorSchema),
    field<&KueueConfiguration::wait_for_pods_ready>("waitForPodsReady", kWaitSchema),
    part("integrations", kIntegrationsSchema),
    field<&KueueConfiguration::fair_sharing>("fairSharing", kKueueFairSharingSchema),
    field<&KueueConfiguration::admission_fair_sharing>("admissionFairSharing", kAdmissionFairSharingSchema),
    field<&KueueConfiguration::resources>("resources", kResourcesSchema),
    field<&KueueConfiguration::feature_gates>("featureGates"),
    part("objectRetentionPolicies", kRetentionsSchema),
};

constexpr Field kKueueConfigurationBeta1Fields[] = {
    field<&KueueConfiguration::namespace_>("namespace"),
    field<&KueueConfiguration::manage_jobs_without_queue_name>("manageJobsWithoutQueueName"),
    field<&KueueConfiguration::managed_jobs_namespace_selector>("managedJobsNamespaceSelector", kLabelSelectorSchema),
    field<&KueueConfiguration::wait_for_pods_ready>("waitForPodsReady", kWaitBeta1Schema),
    part("integrations", kIntegrationsBeta1Schema),
    field<&KueueConfiguration::fair_sharing>("fairSharing", kKueueFairSharingBeta1Schema),
    field<&KueueConfiguration::admission_fair_sharing>("admissionFairSharing", kAdmissionFairSharingSchema),
    field<&KueueConfiguration::resources>("resources", kResourcesBeta1Schema),
    field<&KueueConfiguration::feature_gates>("featureGates"),
    part("objectRetentionPolicies", kRetentionsSchema),
};

}  // namespace

constinit const Schema kKueueConfigurationSchema{"io.x-k8s.kueue.config.v1beta2.Configuration",
                                                 kKueueConfigurationFields};
constinit const Schema kKueueConfigurationBeta1Schema{"io.x-k8s.kueue.config.v1beta1.Configuration",
                                                      kKueueConfigurationBeta1Fields};

}  // namespace loadline::kube
