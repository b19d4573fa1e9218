#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"

namespace loadline::kubelet {

/// Addresses of pods: no two that are not finished have the same.
class PodAddresses {
 public:
  /// Keeps track of the addresses that pods have.
  void on_pod(const watching::Change<kube::Pod>& change);

  /// A free address of the node's range ("10.0.3.0/24"), the next after the one given last; of 100.64.0.0/10 if the
  /// node has no range, or it is full. O(addresses of the range), mostly O(1).
  std::string take(const std::string& range);
  /// The pod did not get the address after all.
  void give_back(std::string_view address);

 private:
  std::uint32_t next_of(const std::string& range);

  std::unordered_set<std::uint32_t> in_use_;
  std::map<std::string, std::uint32_t> last_;  // by range
};

}  // namespace loadline::kubelet
