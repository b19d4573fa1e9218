#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "hosts/operators/kueue/known_objects.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::operators::kueue {

/// The configuration in force in a cluster: the one in a ConfigMap of kueue-system, of several the first by name that
/// Kueue's manager would start with, as watching::ClustersKueueConfiguration finds it. Without one: Kueue's defaults,
/// but all kinds of jobs that are known are managed, while Kueue's manager as it is published would manage most of
/// them, and without any file Jobs alone (docs/differences.md). What was read is kept until the ConfigMaps are others.
class ConfigurationInForce {
 public:
  ConfigurationInForce();
  [[nodiscard]] const kube::KueueConfiguration& of(const KnownObjects& objects);

 private:
  kube::KueueConfiguration defaults_;
  kube::KueueConfiguration read_;
  std::vector<document::Value> sources_;  // the data that it was read of
};

/// The configuration in a ConfigMap; nothing: there is none, or it cannot be used.
[[nodiscard]] std::optional<kube::KueueConfiguration> configuration_in(const document::Value& config_map);

/// Whether jobs of that framework ("batch/job") are managed.
[[nodiscard]] bool manages(const kube::KueueConfiguration& configuration, std::string_view framework);

}  // namespace loadline::operators::kueue
