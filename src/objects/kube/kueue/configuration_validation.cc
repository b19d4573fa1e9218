#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/text.h"
#include "objects/kube/field_report.h"
#include "objects/kube/kueue/configuration.h"
#include "objects/kube/kueue/frameworks.h"
#include "objects/kube/meta_validation.h"
#include "objects/schema/timestamp.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kNotNegative = "must be greater than or equal to 0";

const Path kRoot(nullptr);

// ---- feature gates -------------------------------------------------------------------------------------------------

std::string gates_json(const FeatureGates& gates) {
  std::string json;
  for (const auto& [name, is_on] : gates) {
    json.append(json.empty() ? "{" : ",").append(quoted(name)).append(is_on ? ":true" : ":false");
  }
  return json.empty() ? "{}" : json + "}";
}

/// What Kueue would not take at all; then nothing else is said of gates.
bool check_gates_are_known(FieldReport& report, const Path& at, const FeatureGates& gates) {
  const std::size_t before = report.size();
  for (const auto& [name, is_on] : gates) {
    if (name == kAllAlphaGates || name == kAllBetaGates) continue;
    const KueueGate* gate = find_kueue_gate(name);
    if (gate == nullptr) {
      report.invalid_json(at, gates_json(gates), "unrecognized feature gate: " + name);
    } else if (gate->is_locked && gate->is_on != is_on) {
      report.invalid_json(at, gates_json(gates),
                          "cannot set feature gate " + name + " to " + (is_on ? "true" : "false") +
                              ", feature is locked to " + (gate->is_on ? "true" : "false"));
    }
  }
  return report.size() == before;
}

/// To switch off what is on by default is nothing that is missing here.
constexpr std::string_view kDecidedHere = "DisableWaitForPodsReady";

/// Ours: features that nothing here has.
void refuse_alpha_gates(FieldReport& report, const Path& at, const FeatureGates& gates) {
  for (const auto& [name, is_on] : gates) {
    const KueueGate* gate = find_kueue_gate(name);
    const bool is_alpha = name == kAllAlphaGates || (gate != nullptr && gate->stage == GateStage::kAlpha);
    if (!is_on || !is_alpha || name == kDecidedHere) continue;
    report.forbidden(Path::key(at, name), "alpha features of Kueue 0.19.2 that are off by default are not supported",
                     "leave it out");
  }
}

struct GateNeeds {
  std::string_view gate;
  std::array<std::string_view, 2> needs;  ///< empty: none
};

constexpr std::string_view kTopology = "TopologyAwareScheduling";
constexpr std::string_view kReplacement = "TASFailedNodeReplacement";
constexpr GateNeeds kGateNeeds[] = {
    {"TASHandleOverlappingFlavors", {kTopology}},
    {kReplacement, {kTopology}},
    {"TASFailedNodeReplacementFailFast", {kTopology, kReplacement}},
    {"TASReplaceNodeOnPodTermination", {kTopology, kReplacement}},
    {"TASReplaceNodeDueToNotReadyOverFixedTime", {kTopology, kReplacement}},
    {"TASReplaceNodeOnNodeTaints", {kTopology}},
    {"TASMultiLayerTopology", {kTopology}},
    {"TASRecomputeAssignmentWithinSchedulingCycle", {kTopology}},
    {"UnadmittedWorkloadsExplicitStatus", {"UnadmittedWorkloadsObservability"}},
    {"KueueDRAIntegrationExtendedResource", {"KueueDRAIntegration"}},
    {"KueueDRAIntegrationPartitionableDevices", {"KueueDRAIntegration"}},
};

void check_gates(FieldReport& report, const FeatureGates& gates) {
  const Path at(kRoot, "featureGates");
  if (!check_gates_are_known(report, at, gates)) return;
  refuse_alpha_gates(report, at, gates);
  if (!enables(gates, kTopology) && enables(gates, "TASProfileMixed")) {
    report.invalid(at, std::int64_t{1}, "cannot use a TAS profile with TAS disabled");
  }
  for (const GateNeeds& each : kGateNeeds) {
    if (!enables(gates, each.gate)) continue;
    for (const std::string_view need : each.needs) {
      if (need.empty() || enables(gates, need)) continue;
      report.invalid(at, each.gate, std::string(each.gate) + " requires " + std::string(need) + " to be enabled");
    }
  }
}

// ---- waiting for pods ----------------------------------------------------------------------------------------------

void check_span(FieldReport& report, const Path& at, const Duration& span) {
  if (span < Duration{}) report.invalid(at, schema::format_duration(span), kNotNegative);
}

void check_wait(FieldReport& report, const WaitForPodsReady& wait) {
  const Path at(kRoot, "waitForPodsReady");
  if (wait.timeout == Duration{}) report.required(Path(at, "timeout"), "must be specified");
  check_span(report, Path(at, "timeout"), wait.timeout);
  check_span(report, Path(at, "recoveryTimeout"), wait.recovery_timeout);
  const Path strategy(at, "requeuingStrategy");
  report.not_negative(Path(strategy, "backoffLimitCount"), wait.requeuing_strategy.backoff_limit_count.value_or(0));
  report.not_negative(Path(strategy, "backoffBaseSeconds"), wait.requeuing_strategy.backoff_base_seconds);
  report.not_negative(Path(strategy, "backoffMaxSeconds"), wait.requeuing_strategy.backoff_max_seconds);
}

// ---- integrations --------------------------------------------------------------------------------------------------

std::vector<std::string> framework_names() {
  std::vector<std::string> names;
  for (const KueueFramework& framework : kueue_frameworks()) names.emplace_back(framework.name);
  return names;
}

/// "Kind.version.group.com".
bool is_kind_argument(std::string_view text) { return std::ranges::count(text, '.') >= 2; }

void check_integrations(FieldReport& report, const KueueConfiguration& configuration) {
  const Path integrations(kRoot, "integrations");
  const Path frameworks(integrations, "frameworks");
  std::set<std::string_view> managed;
  for (std::size_t i = 0; i < configuration.frameworks.size(); ++i) {
    const std::string& name = configuration.frameworks[i];
    const KueueFramework* framework = find_kueue_framework(name);
    const Path at = Path::element(frameworks, i);
    if (framework == nullptr) {
      report.unsupported(at, name, framework_names());
    } else if (!managed.insert(framework->kind).second) {
      report.duplicate(at, name);
    }
  }
  const Path external(integrations, "externalFrameworks");
  for (std::size_t i = 0; i < configuration.external_frameworks.size(); ++i) {
    const std::string& name = configuration.external_frameworks[i];
    const Path at = Path::element(external, i);
    if (!is_kind_argument(name)) {
      report.invalid(at, name, "must be format, 'Kind.version.group.com'");
    } else if (!managed.insert(name).second) {
      report.duplicate(at, name);
    }
  }
}

void check_namespaces(FieldReport& report, const KueueConfiguration& configuration) {
  const Path at(kRoot, "managedJobsNamespaceSelector");
  const LabelSelector& selector = configuration.managed_jobs_namespace_selector;
  const std::size_t before = report.size();
  validate_label_selector(report, at, selector);
  if (report.size() != before) return;
  for (const std::string& name : {std::string("kube-system"), configuration.namespace_}) {
    if (name.empty() || !matches(selector, {{"kubernetes.io/metadata.name", name}})) continue;
    report.invalid_json(at, to_json(selector), "should not match the " + quoted(name) + " namespace");
  }
}

// ---- resources -----------------------------------------------------------------------------------------------------

void check_transformations(FieldReport& report, const std::vector<ResourceTransformation>& transformations) {
  const Path resources(kRoot, "resources");
  const Path at(resources, "transformations");
  std::set<std::string_view> inputs;
  for (std::size_t i = 0; i < transformations.size(); ++i) {
    const Path place = Path::element(at, i);
    if (!inputs.insert(transformations[i].input).second) {
      report.duplicate(Path(place, "input"), transformations[i].input);
    }
  }
}

constexpr std::size_t kMostMappings = 16;
constexpr std::size_t kMostClasses = 8;
constexpr std::size_t kLongestName = 253;

void check_resource_like_name(FieldReport& report, const Path& at, const std::string& name) {
  const NameProblems problems = qualified_name_problems(name);
  if (!problems.empty()) report.invalid(at, name, joined(problems, "; "));
  if (name.size() > kLongestName) report.invalid(at, name, "must not exceed 253 characters");
}

void check_mappings(FieldReport& report, const std::vector<DeviceClassMapping>& mappings) {
  const Path resources(kRoot, "resources");
  const Path at(resources, "deviceClassMappings");
  if (mappings.size() > kMostMappings) report.too_many(at, mappings.size(), kMostMappings);
  std::set<std::string_view> names;
  std::map<std::string_view, const DeviceClassMapping*> mapped;
  for (std::size_t i = 0; i < mappings.size(); ++i) {
    const DeviceClassMapping& mapping = mappings[i];
    const Path place = Path::element(at, i);
    check_resource_like_name(report, Path(place, "name"), mapping.name);
    if (!names.insert(mapping.name).second) report.duplicate(Path(place, "name"), mapping.name);
    const Path classes(place, "deviceClassNames");
    const std::vector<std::string>& own = mapping.device_class_names;
    if (own.empty()) report.required(classes, "at least one device class name is required");
    if (own.size() > kMostClasses) report.too_many(classes, own.size(), kMostClasses);
    std::set<std::string_view> seen;
    for (std::size_t j = 0; j < own.size(); ++j) {
      const Path here = Path::element(classes, j);
      check_resource_like_name(report, here, own[j]);
      if (!seen.insert(own[j]).second) report.duplicate(here, own[j]);
      const auto [earlier, is_new] = mapped.try_emplace(own[j], &mapping);
      // Those that count by different counters of a device may share its class.
      const bool may_share = mapping.has_sources && earlier->second->has_sources;
      if (is_new || may_share || earlier->second->name == mapping.name) continue;
      report.invalid(here, own[j], "device class already mapped to resource " + earlier->second->name);
    }
  }
}

void check_quota_strategy(FieldReport& report, const KueueResources& resources) {
  if (resources.quota_check_strategy != QuotaCheckStrategy::kIgnoreUndeclared) return;
  if (resources.exclude_resource_prefixes.empty()) return;
  const Path at(kRoot, "resources");
  report.invalid(Path(at, "quotaCheckStrategy"), "IgnoreUndeclared",
                 "excludeResourcePrefixes is not allowed when quotaCheckStrategy is IgnoreUndeclared");
}

// ---- the rest ------------------------------------------------------------------------------------------------------

void check_fair_sharing(FieldReport& report, const KueueFairSharing& sharing) {
  const Path at(kRoot, "fairSharing");
  if (sharing.preemption_strategies.empty()) report.required(Path(at, "preemptionStrategies"), "must be specified");
}

std::string weights_json(const AdmissionFairSharing& sharing) {
  std::string json;
  for (const auto& [resource, weight] : sharing.resource_weights) {
    json.append(json.empty() ? "{" : ",").append(quoted(resource)).append(":").append(fmt::format("{}", weight));
  }
  return json + "}";
}

void check_admission_fair_sharing(FieldReport& report, const AdmissionFairSharing& sharing) {
  const Path at(kRoot, "admissionFairSharing");
  check_span(report, Path(at, "usageHalfLifeTime"), sharing.usage_half_life_time);
  if (sharing.usage_sampling_interval < Duration{}) {
    report.invalid(Path(at, "usageSamplingInterval"), schema::format_duration(sharing.usage_sampling_interval),
                   "must be greater than 0");
  }
  const Path weights(at, "resourceWeights");
  for (const auto& [resource, weight] : sharing.resource_weights) {
    if (weight < 0) report.invalid_json(Path::key(weights, resource), weights_json(sharing), kNotNegative);
  }
}

void check_retention(FieldReport& report, const WorkloadRetention& retention) {
  const Path at(kRoot, "objectRetentionPolicies");
  const Path workloads(at, "workloads");
  check_span(report, Path(workloads, "afterFinished"), retention.after_finished.value_or(Duration{}));
  check_span(report, Path(workloads, "afterDeactivatedByKueue"),
             retention.after_deactivated_by_kueue.value_or(Duration{}));
}

}  // namespace

FieldErrors validate(const KueueConfiguration& configuration) {
  FieldReport report;
  check_gates(report, configuration.feature_gates);
  if (configuration.wait_for_pods_ready) check_wait(report, *configuration.wait_for_pods_ready);
  check_integrations(report, configuration);
  if (configuration.fair_sharing) check_fair_sharing(report, *configuration.fair_sharing);
  if (configuration.admission_fair_sharing) {
    check_admission_fair_sharing(report, *configuration.admission_fair_sharing);
  }
  check_transformations(report, configuration.resources.transformations);
  check_mappings(report, configuration.resources.device_class_mappings);
  check_namespaces(report, configuration);
  check_retention(report, configuration.retention);
  check_quota_strategy(report, configuration.resources);
  return report.take();
}

}  // namespace loadline::kube
