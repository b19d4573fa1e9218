#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace loadline::kube {

/// Which ConfigMaps may configure the scheduler.
enum class CountedConfigMaps : std::uint8_t {
  kOfOneNamespace,
  kAll,   ///< as recordings have it that were made before namespaces were told apart
  kNone,  ///< what they say has been chosen already
};

/// What of a cluster's ConfigMaps counts as configuration of its scheduler. The right to write a ConfigMap in some
/// namespace is not the right to decide for all: those of one namespace count, and even these do not take the place of
/// default-scheduler, whose pods name no scheduler, unless that was asked for.
struct ConfigurationScope {
  CountedConfigMaps config_maps = CountedConfigMaps::kOfOneNamespace;
  std::string name_space = "kube-system";
  bool replaces_default = false;  ///< they may define default-scheduler

  [[nodiscard]] bool counts(std::string_view of) const {
    return config_maps == CountedConfigMaps::kAll ||
           (config_maps == CountedConfigMaps::kOfOneNamespace && of == name_space);
  }
  friend bool operator==(const ConfigurationScope&, const ConfigurationScope&) = default;
};

}  // namespace loadline::kube
