#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hosts/watching/caches.h"
#include "objects/kube/core/service.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::watching {

/// Kueue's configuration as a cluster has it: in a ConfigMap of the namespace kueue-system, where Kueue's manifests put
/// it; of several, the first by name that has a valid one. Without any, what Kueue has without a file. Kueue's manager
/// reads it when it starts; this one follows it.
class ClustersKueueConfiguration {
 public:
  /// The ConfigMap may have one.
  [[nodiscard]] static bool may_be_of(const Observed<kube::ConfigMap>& config_map);
  [[nodiscard]] static bool is_concerned_by(const Change<kube::ConfigMap>& change);

  /// As the caches have it. O(ConfigMaps of kueue-system), and a reading of each that has changed.
  const kube::KueueConfiguration& read(const Caches& caches);
  /// Which one read() returned last: equal ones are of the same version of the same ConfigMap.
  [[nodiscard]] const std::string& version() const { return version_; }
  /// What is wrong with those that were read since, each with its ConfigMap.
  [[nodiscard]] std::vector<std::pair<ObjectPtr<kube::ConfigMap>, std::string>> take_problems() {
    return std::exchange(problems_, {});
  }

 private:
  struct Read {
    std::string version;
    std::optional<kube::KueueConfiguration> configuration;  // nothing: it is not valid
  };
  Read read_one(const ObjectPtr<kube::ConfigMap>& config_map, std::string version);

  std::map<std::string, Read> read_;  // by name
  std::string version_;               // empty: there is none
  std::vector<std::pair<ObjectPtr<kube::ConfigMap>, std::string>> problems_;
  kube::KueueConfiguration configuration_;
};

}  // namespace loadline::watching
