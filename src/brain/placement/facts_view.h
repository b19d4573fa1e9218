#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "brain/cluster/ledgers/change_log.h"
#include "brain/placement/cycle.h"
#include "brain/placement/profile.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

/// The plugins of Locality::kFacts that a search asks.
struct FactsPlugins {
  std::vector<const Plugin*> filters;
  std::vector<WeightedPlugin> scores;     ///< not normalised
  std::vector<const Plugin*> raw_scores;  ///< to be normalised
};

/// What plugins say of nodes by their facts alone, for all pods that ask for the same: a rejection; or a group, whose
/// nodes are alike to these plugins. Pods come and go without it; a node is asked about again when its facts change.
class FactsView {
 public:
  using Group = std::uint32_t;

  /// O(nodes whose facts changed); O(nodes) after a change of what many nodes share.
  void catch_up(Cycle& cycle, const FactsPlugins& plugins);

  /// Grows when every node was asked about again: groups have new numbers, and the log of changes need not tell.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }
  /// kPassed, or why the node is refused. REQUIRES: it is a node.
  [[nodiscard]] RejectionId rejection(cluster::NodeId node) const {
    const std::uint32_t slot = slots_[node.index()];
    return (slot & kRefused) != 0 ? RejectionId{slot & ~kRefused} : kPassed;
  }
  /// REQUIRES: the node passed.
  [[nodiscard]] Group group(cluster::NodeId node) const {
    REQUIRES_SLOW((slots_[node.index()] & kRefused) == 0);
    return slots_[node.index()];
  }
  /// Σ weight · score of the scores that are not normalised.
  [[nodiscard]] std::int64_t score(Group group) const { return scores_[group]; }
  [[nodiscard]] std::size_t group_count() const { return scores_.size(); }

 private:
  static constexpr std::uint32_t kRefused = std::uint32_t{1} << 31;

  [[nodiscard]] bool is_current(Cycle& cycle, const FactsPlugins& plugins);
  void ask(Cycle& cycle, const FactsPlugins& plugins, const std::vector<cluster::NodeId>& nodes);
  void group(Cycle& cycle, const FactsPlugins& plugins, const std::vector<cluster::NodeId>& nodes);

  std::vector<std::uint32_t> slots_;                   // by node: a group; or kRefused and a rejection
  std::vector<std::int64_t> scores_;                   // by group
  std::map<std::vector<std::int64_t>, Group> groups_;  // by the scores that make it
  cluster::ChangeLog::Mark caught_up_ = 0;
  std::uint64_t version_ = 0;
  std::string shared_facts_;
  std::uint64_t generation_ = 0;
};

}  // namespace loadline::placement
