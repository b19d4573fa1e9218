#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/change_log.h"
#include "brain/placement/dry_run.h"
#include "brain/placement/rejection_tally.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

/// The dry runs of preemption on every node, for pods of one signature and priority whose filters look at one node
/// alone, kept until the node changes. The best of all candidates is always known, so all nodes are considered where
/// upstream stops after a share of them.
class DryRunMemory {
 public:
  /// Forgets what changed since the last call.
  void catch_up(const cluster::Cluster& cluster);

  /// Calls `try_node(NodeId)` for the nodes that changed, in scan order; it returns the dry run, or nullopt for a node
  /// where evictions cannot help. O(log nodes) each. REQUIRES: catch_up().
  template <class TryNode>
  void try_unknown(TryNode&& try_node, const cluster::Cluster& cluster) {
    REQUIRES(caught_up_ == cluster.changes().end());
    for (const cluster::NodeId node : take_unknown(cluster)) {
      if (std::optional<DryRun> run = try_node(node)) remember(cluster, std::move(*run), node);
    }
  }
  /// The caller dry-runs the node itself this time: it is no candidate here.
  void set_aside(cluster::NodeId node);

  /// The candidate of the least cost, the first in scan order among equals; null: there is none. Amortised O(log
  /// nodes).
  const Candidate* best();
  /// Why those of the known nodes that are no candidates are none.
  [[nodiscard]] const RejectionTally& rejections() const { return tally_; }
  /// Memory held, about.
  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t kVictims = 4;
    return memories_.size() * (sizeof(Memory) + kVictims * sizeof(cluster::PodId)) + heap_.size() * sizeof(Entry);
  }

 private:
  struct Memory {
    Candidate candidate;
    std::uint32_t stamp = 0;  // grows when the node is forgotten
    bool known = false;
    bool awaited = false;  // stands among the unknown
  };
  struct Entry {
    EvictionCost cost;
    std::uint64_t place;  // of the node in scan order
    cluster::NodeId node;
    std::uint32_t stamp;
  };

  void forget(cluster::NodeId node);
  void forget_all(const cluster::Cluster& cluster);
  std::vector<cluster::NodeId> take_unknown(const cluster::Cluster& cluster);
  void remember(const cluster::Cluster& cluster, DryRun run, cluster::NodeId node);
  void drop_forgotten();
  static bool worse(const Entry& a, const Entry& b);

  std::vector<Memory> memories_;         // by node
  std::vector<RejectionId> rejections_;  // by node; invalid: it is a candidate, or is not known
  RejectionTally tally_;                 // of rejections_
  std::vector<cluster::NodeId> unknown_;
  cluster::NodeId aside_;
  std::vector<Entry> heap_;  // best first; may hold some that are forgotten
  cluster::ChangeLog::Mark caught_up_ = 0;
  std::uint64_t budget_version_ = 0;
};

}  // namespace loadline::placement
