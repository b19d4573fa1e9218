#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/search/group_demand.h"

namespace loadline::gang {

/// All that the built-in filters read of a member, and all that the members' own terms see of it. Members that are
/// equal in this can change places, although their shapes may differ, as those of an Indexed Job do by a label each.
struct Likeness {
  cluster::ShapeId shape;  ///< invalid, unless the whole shape counts
  cluster::PodId pod;      ///< invalid, unless the member is like no other
  std::int32_t priority = 0;
  std::vector<std::size_t> parts;  ///< of the group, in which it is

  Symbol name_space, required_node_name;
  std::vector<std::pair<cluster::ResourceId, std::int64_t>> requests, usage;
  cluster::NodeAffinityRule node_affinity;
  std::optional<std::vector<Symbol>> candidate_node_names;
  std::vector<cluster::CompiledToleration> tolerations;
  std::vector<std::tuple<Symbol, kube::Protocol, std::int32_t>> ports;
  std::vector<std::pair<cluster::TermId, cluster::TopologyKeyId>> affinity, anti_affinity;
  std::vector<std::pair<kube::TopologySpreadConstraint, cluster::PodSelector>> spread;
  std::vector<cluster::AffinityTermCountId> kept_out_by;  ///< anti-affinity of pods that are placed
  std::vector<bool> seen_by;                              ///< which terms and spread selectors of members select it

  friend auto operator<=>(const Likeness&, const Likeness&) = default;
};

/// Compares the members of a demand.
class Likenesses {
 public:
  /// `has_spread_by_default`: of pods without constraints of their own, owners count.
  Likenesses(cluster::Cluster& cluster, const GroupDemand& demand, bool has_spread_by_default);

  /// Amortised O(1) for members of one shape, else O(terms of all members).
  [[nodiscard]] Likeness of(cluster::PodId pod);

 private:
  [[nodiscard]] Likeness describe(cluster::ShapeId shape) const;

  cluster::Cluster& cluster_;
  bool has_spread_by_default_;
  std::vector<cluster::TermId> terms_;                              // of all members, sorted, distinct
  std::vector<std::pair<Symbol, cluster::PodSelector>> selectors_;  // of their spread constraints, with the namespace
  std::map<cluster::ShapeId, Likeness> by_shape_;
  std::map<cluster::PodId, std::vector<std::size_t>> parts_;
};

}  // namespace loadline::gang
