#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "hosts/watching/cache.h"
#include "objects/kube/core/pod.h"

namespace loadline::watching {

struct PodTally {
  std::int32_t active = 0;       ///< neither finished nor being deleted
  std::int32_t ready = 0;        ///< of those
  std::int32_t terminating = 0;  ///< being deleted, and not finished

  friend bool operator==(const PodTally&, const PodTally&) = default;
};

/// How many pods each ReplicaSet and ReplicationController controls, by the labels of the pods: they have the same,
/// nearly always, so that counting a hundred thousand is counting one. Kept current with every change: O(log) each.
/// Equal to a recount at any time, which a test checks.
class PodTallies {
 public:
  using ByLabels = std::map<kube::StringMap, PodTally>;

  explicit PodTallies(Cache<kube::Pod>& pods) {
    pods.listen([this](const Change<kube::Pod>& change) { on_change(change); });
  }
  PodTallies(const PodTallies&) = delete;
  PodTallies& operator=(const PodTallies&) = delete;

  /// Empty if it controls none that count.
  [[nodiscard]] const ByLabels& of(std::string_view controller_uid) const {
    const auto found = tallies_.find(controller_uid);
    return found == tallies_.end() ? none_ : found->second;
  }

 private:
  void on_change(const Change<kube::Pod>& change);
  void add(const kube::Pod& pod, std::int32_t sign);

  std::map<std::string, ByLabels, std::less<>> tallies_;  // by the controller's uid
  const ByLabels none_;
};

}  // namespace loadline::watching
