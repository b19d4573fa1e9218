#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "foundation/base/contract.h"
#include "hosts/watching/cache.h"
#include "hosts/watching/pod_tallies.h"
#include "hosts/watching/pods_by_node.h"
#include "hosts/watching/service_selections.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kind_number.h"

namespace loadline::watching {

/// What is known of the cluster: one cache for each kind that a controller
/// or the scheduler said it reads. All controllers and the scheduler
/// share them, so that a document is read once. A cache that no informer feeds is empty.
class Caches {
 public:
  Caches()
      : pods_by_node_(add<kube::Pod>()),
        pod_tallies_(add<kube::Pod>()),
        service_selections_(add<kube::Pod>(), add<kube::Service>()) {}
  Caches(const Caches&) = delete;  // listeners point at its parts
  Caches& operator=(const Caches&) = delete;

  /// The cache of a kind, which is made if it is not there yet.
  template <class Kind>
  Cache<Kind>& add();
  /// REQUIRES: the caller subscribed to the kind (Subscriptions), or add() was called: what no informer feeds would
  /// seem not to exist.
  template <class Kind>
  [[nodiscard]] Cache<Kind>& of() {
    return static_cast<Cache<Kind>&>(*caches_[place_of<Kind>()]);
  }
  template <class Kind>
  [[nodiscard]] const Cache<Kind>& of() const {
    return static_cast<const Cache<Kind>&>(*caches_[place_of<Kind>()]);
  }
  /// Calls `visit` with each cache.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& cache : caches_) {
      if (cache != nullptr) visit(*cache);
    }
  }

  /// The pods that are bound to the node, by namespace and name.
  [[nodiscard]] const PodsByNode::Pods& pods_on(std::string_view node) const { return pods_by_node_.on(node); }

  /// How many pods a ReplicaSet or ReplicationController controls, by their labels.
  [[nodiscard]] const PodTallies::ByLabels& pod_tallies(std::string_view controller_uid) const {
    return pod_tallies_.of(controller_uid);
  }

  /// Which pods the Services select.
  [[nodiscard]] const ServiceSelections& service_selections() const { return service_selections_; }

 private:
  template <class Kind>
  [[nodiscard]] std::size_t place_of() const {
    const std::size_t number = kube::kind_number<Kind>();
    REQUIRES(number < caches_.size() && caches_[number] != nullptr);
    return number;
  }

  std::vector<std::unique_ptr<AnyCache>> caches_;  // by the kind's number; null: it is not read
  PodsByNode pods_by_node_;
  PodTallies pod_tallies_;
  ServiceSelections service_selections_;
};

template <class Kind>
Cache<Kind>& Caches::add() {
  const std::size_t number = kube::kind_number<Kind>();
  if (caches_.size() <= number) caches_.resize(number + 1);
  if (caches_[number] == nullptr) caches_[number] = std::make_unique<Cache<Kind>>();
  return of<Kind>();
}

}  // namespace loadline::watching
