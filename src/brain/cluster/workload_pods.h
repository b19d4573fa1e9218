#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "brain/cluster/ids.h"
#include "foundation/base/symbol.h"

namespace loadline::cluster {

/// Pods by the Workload of Kueue that started them, in order of their coming. Each call is O(pods of the Workload).
class WorkloadPods {
 public:
  /// `workload` of the following: its name; an invalid one is of no Workload, and not kept.
  void add(Symbol name_space, Symbol workload, PodId pod) {
    if (workload.valid()) pods_[key(name_space, workload)].push_back(pod);
  }
  void remove(Symbol name_space, Symbol workload, PodId pod) {
    const auto found = workload.valid() ? pods_.find(key(name_space, workload)) : pods_.end();
    if (found == pods_.end()) return;
    std::erase(found->second, pod);
    if (found->second.empty()) pods_.erase(found);
  }
  [[nodiscard]] std::span<const PodId> of(Symbol name_space, Symbol workload) const {
    const auto found = pods_.find(key(name_space, workload));
    return found == pods_.end() ? std::span<const PodId>() : found->second;
  }

 private:
  static std::uint64_t key(Symbol name_space, Symbol workload) {
    return std::uint64_t{name_space.index()} << 32U | workload.index();
  }

  std::unordered_map<std::uint64_t, std::vector<PodId>> pods_;
};

}  // namespace loadline::cluster
