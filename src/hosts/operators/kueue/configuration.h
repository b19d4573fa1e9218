#pragma once

#include <optional>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/kueue/known_objects.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::operators::kueue {

/// Where Kueue's own manifests have the configuration of its manager.
inline constexpr std::string_view kConfigMapName = "kueue-manager-config";

/// The configuration in force in a cluster: the one of the ConfigMap kueue-system/kueue-manager-config, wherever in its
/// data. Without one, or if Kueue's manager would not start with it: Kueue's defaults, but all kinds of jobs that are
/// known are managed, while Kueue's manager as it is published would manage most of them, and without any file Jobs
/// alone (docs/differences.md). What was read is kept until the ConfigMap is another one.
class ConfigurationInForce {
 public:
  ConfigurationInForce();
  [[nodiscard]] const kube::KueueConfiguration& of(const KnownObjects& objects);

 private:
  kube::KueueConfiguration defaults_;
  kube::KueueConfiguration read_;
  document::Value source_;  // the data that it was read of; null: none
  bool is_read_ = false;
};

/// The configuration in a ConfigMap; nothing: there is none, or it cannot be used.
[[nodiscard]] std::optional<kube::KueueConfiguration> configuration_in(const document::Value& config_map);

/// Whether jobs of that framework ("batch/job") are managed.
[[nodiscard]] bool manages(const kube::KueueConfiguration& configuration, std::string_view framework);

}  // namespace loadline::operators::kueue
