#include "objects/kube/kueue/configuration_reader.h"

#include <string>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "objects/kube/kueue/configuration_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

constexpr std::string_view kGroup = "config.kueue.x-k8s.io/";
constexpr std::string_view kBeta1 = "config.kueue.x-k8s.io/v1beta1";
constexpr std::string_view kBeta2 = "config.kueue.x-k8s.io/v1beta2";

bool is_written(const Value& value, document::Names names) {
  const Value* found = document::find_at(value, names);
  return found != nullptr && !found->is_null();
}

bool is_set(const Value& value, document::Names names) {
  const Value* found = document::find_at(value, names);
  return found != nullptr && found->is_boolean() && found->boolean();
}

/// What both versions do alike.
void complete_wait(const Value& value, Duration timeout, bool block_admission, WaitForPodsReady& wait) {
  if (!is_written(value, {"waitForPodsReady", "timeout"})) wait.timeout = timeout;
  if (!is_written(value, {"waitForPodsReady", "recoveryTimeout"})) wait.recovery_timeout = wait.timeout;
  if (!is_written(value, {"waitForPodsReady", "blockAdmission"})) wait.block_admission = block_admission;
}

void complete_beta1(const Value& value, KueueConfiguration& configuration) {
  if (!is_set(value, {"waitForPodsReady", "enable"})) configuration.wait_for_pods_ready.reset();
  if (configuration.wait_for_pods_ready) {
    complete_wait(value, Duration::seconds(300), true, *configuration.wait_for_pods_ready);
  }
  if (!is_set(value, {"fairSharing", "enable"})) configuration.fair_sharing.reset();
  if (configuration.fair_sharing && configuration.fair_sharing->preemption_strategies.empty()) {
    configuration.fair_sharing = KueueFairSharing();
  }
}

void complete_beta2(const Value& value, KueueConfiguration& configuration) {
  if (!configuration.wait_for_pods_ready) configuration.wait_for_pods_ready.emplace();
  const WaitForPodsReady defaults;
  WaitForPodsReady& wait = *configuration.wait_for_pods_ready;
  if (wait.timeout == Duration{}) wait.timeout = defaults.timeout;
  complete_wait(value, defaults.timeout, defaults.block_admission, wait);
  if (configuration.fair_sharing && !is_written(value, {"fairSharing", "preemptionStrategies"})) {
    configuration.fair_sharing->preemption_strategies.clear();  // for validate() to ask for them
  }
}

void complete(const Value& value, KueueConfiguration& configuration) {
  if (configuration.frameworks.empty()) configuration.frameworks = KueueConfiguration().frameworks;
  if (!is_written(value, {"managedJobsNamespaceSelector"})) {
    configuration.managed_jobs_namespace_selector.match_expressions.at(0).values = {"kube-system",
                                                                                    configuration.namespace_};
  }
  if (configuration.admission_fair_sharing &&
      configuration.admission_fair_sharing->usage_sampling_interval == Duration{}) {
    configuration.admission_fair_sharing->usage_sampling_interval = AdmissionFairSharing().usage_sampling_interval;
  }
  if (const auto off = configuration.feature_gates.find("DisableWaitForPodsReady");
      off != configuration.feature_gates.end() && off->second) {
    configuration.wait_for_pods_ready.reset();
  }
}

}  // namespace

bool is_kueue_configuration(std::string_view api_version, std::string_view kind) {
  return kind == "Configuration" && api_version.starts_with(kGroup);
}

void read_kueue_configuration(Decoder& decoder, const Value& value, KueueConfiguration& configuration) {
  REQUIRES(value.is_object());
  const std::string version(document::text_at(value, {"apiVersion"}));
  configuration.source = decoder.position(value.mark());
  if (version != kBeta1 && version != kBeta2) {
    const Value* at = value.find("apiVersion");
    return decoder.report((at != nullptr ? *at : value).mark(), std::string("apiVersion"),
                          "no kind \"Configuration\" is registered for version " + quoted(version),
                          "write \"apiVersion: " + std::string(kBeta2) + "\" and its fields");
  }
  // What is written takes the place of the default as a whole.
  if (is_written(value, {"managedJobsNamespaceSelector"})) configuration.managed_jobs_namespace_selector = {};
  const bool is_old = version == kBeta1;
  const Schema& schema = is_old ? kKueueConfigurationBeta1Schema : kKueueConfigurationSchema;
  decode_object(decoder, value, Path(&schema), schema, &configuration);
  is_old ? complete_beta1(value, configuration) : complete_beta2(value, configuration);
  complete(value, configuration);
}

bool mentions_kueue_configuration(std::string_view entry) { return entry.find(kGroup) != std::string_view::npos; }

}  // namespace loadline::kube
