#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::placement {

class Profile;

/// How many pods of a demand have room where nothing limits them. More than any cluster has, and few enough that the
/// sum over all nodes is no overflow.
inline constexpr std::int64_t kNoLimit = std::int64_t{1} << 32;

/// What a pod demands of a node, as far as the filters of its profile look at it by numbers. Bounds, counts and proofs
/// are about this, so that none of them refuses what the filters would let start.
///
/// It leaves out what the filter NodeResourcesFit leaves out: the profile's ignored resources and groups of resources,
/// and the resources that its extenders account for. Where the profile does without that filter, nothing is counted.
/// What pods take of a node is another thing: a pod uses up what it requests, ignored or not (PodShape::usage).
/// Example: a pod of 2 CPUs and 1 example.com/fpga, with ignoredResourceGroups [example.com]: 2 CPUs and a pod's place.
/// Source: kube-scheduler v1.36, plugin NodeResourcesFit.
struct CountableDemand {
  std::vector<cluster::ResourceAmount> amounts;  ///< above 0, in ascending order of resources
  bool takes_place = false;                      ///< one of the pods that a node allows; false: nothing is counted

  /// 0: it is not looked at.
  [[nodiscard]] std::int64_t amount_of(cluster::ResourceId resource) const {
    for (const cluster::ResourceAmount& each : amounts) {
      if (each.resource == resource) return each.amount;
    }
    return 0;
  }

  friend bool operator==(const CountableDemand&, const CountableDemand&) = default;
};

/// O(requests × ignored resources). Scheduler::demand_of() remembers it.
[[nodiscard]] CountableDemand countable_demand(const cluster::Cluster& cluster, const cluster::PodShape& shape,
                                               const Profile& profile);

/// How many pods of the demand have room where so many places for pods and so much of each resource are free:
/// `free(resource)`, which may be less than nothing. O(amounts).
template <class Free>
[[nodiscard]] std::int64_t pods_that_fit(const CountableDemand& demand, std::int64_t places, Free&& free) {
  std::int64_t pods = demand.takes_place ? places : kNoLimit;
  for (const auto& [resource, amount] : demand.amounts) {
    if (pods <= 0) return 0;
    pods = std::min<std::int64_t>(pods, free(resource) / amount);
  }
  return std::max<std::int64_t>(pods, 0);
}

/// The same on a node, beside the pods that are there.
[[nodiscard]] std::int64_t pods_that_fit(const CountableDemand& demand, const cluster::Cluster& cluster,
                                         cluster::NodeId node);

}  // namespace loadline::placement
