#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/quota_tree.h"
#include "brain/queue/kueue/amount.h"

namespace loadline::queue::kueue {

using cluster::QuotaCellId;
using cluster::QuotaColumnId;
using cluster::QuotaNodeId;

/// What a ClusterQueue or a Cohort says of a resource of a flavor.
struct QuotaLimits {
  Amount nominal;
  std::optional<Amount> borrowing;  ///< absent: all that the cohort lends
  std::optional<Amount> lending;    ///< absent: all that is not used
  friend bool operator==(const QuotaLimits&, const QuotaLimits&) = default;
};

/// How far from its queue a request finds quota.
struct FittingSubtree {
  int height = 0;        ///< of the lowest subtree that has it all: 0: the queue itself; none has it: of the whole tree
  bool is_part = false;  ///< that subtree is not the whole tree
  friend bool operator==(const FittingSubtree&, const FittingSubtree&) = default;
};

/// What Kueue's quota comes to: limits over a tree, and how usage counts in it. By cell, which is a column at a node:
///
/// - subtree: of a queue its nominal quota; of a cohort its own, and of each child what that does not keep to itself.
/// - local: what a node keeps to itself: max(0, subtree - lending limit); 0 without that limit.
/// - a node's usage counts at its parent as far as it is above what is local.
/// - available: at the root subtree - used; else what is unused of what is local, and what the parent has available, of
///   which a borrowing limit leaves at most (subtree - local) - max(0, used - local) + limit. Below 0: overrun.
/// - potential: the same without usage: local + the parent's, at most subtree + borrowing limit.
///
/// Limits and parents change between transactions; refresh() then makes the derived right for one tree. Usage changes
/// with add() and remove(), which the tree's transactions undo.
/// Cost: add, remove, available and lowest_subtree O(height); what follows from limits alone O(1).
/// Source: Kueue v0.19.2, pkg/cache/scheduler/resource_node.go, pkg/scheduler/preemption/classical.
class Quotas {
 public:
  explicit Quotas(cluster::QuotaTree& tree) : tree_(tree) {}

  [[nodiscard]] cluster::QuotaTree& tree() const { return tree_; }

  // ---- between transactions ----------------------------------------------------------------------------------------
  using Limits = std::vector<std::pair<QuotaColumnId, QuotaLimits>>;
  /// Replaces all that the node says. True: something is another than before, so that refresh() is due.
  bool set_limits(QuotaNodeId node, const Limits& limits);
  /// spec.fairSharing.weight; 1 unless it is set.
  void set_weight(QuotaNodeId node, double weight);
  /// Whether a queue takes part in rounds: one that does not counts with its usage and quota, and nowhere else.
  void set_active(QuotaNodeId queue, bool is_active);
  /// The cell of a column that the node may say nothing of.
  QuotaCellId cell(QuotaNodeId node, QuotaColumnId column);
  /// The tree that the node is in has other limits, members or active queues. Does nothing to one that is a circle.
  /// O(cells of the tree).
  void refresh(QuotaNodeId node);
  /// Before the tree removes it.
  void forget(QuotaNodeId node);

  // ---- what follows from limits ------------------------------------------------------------------------------------
  [[nodiscard]] Amount nominal(QuotaCellId cell) const { return at(cell).limits.nominal; }
  [[nodiscard]] std::optional<Amount> borrowing_limit(QuotaCellId cell) const { return at(cell).limits.borrowing; }
  [[nodiscard]] std::optional<Amount> lending_limit(QuotaCellId cell) const { return at(cell).limits.lending; }
  [[nodiscard]] Amount subtree(QuotaCellId cell) const { return at(cell).subtree; }
  [[nodiscard]] Amount local(QuotaCellId cell) const { return at(cell).local; }
  [[nodiscard]] Amount potential(QuotaCellId cell) const { return at(cell).potential; }
  /// The node, or one below it, has quota of it.
  [[nodiscard]] bool is_declared(QuotaCellId cell) const { return at(cell).is_declared; }
  /// The same column one node up; invalid: it is a root's.
  [[nodiscard]] QuotaCellId parent(QuotaCellId cell) const { return at(cell).parent; }
  /// Cells that the node, or one below it, has quota of, by the names of resource and flavor.
  [[nodiscard]] std::span<const QuotaCellId> declared(QuotaNodeId node) const { return of(node).declared; }
  /// What a child of the node may borrow at most of a resource, over all flavors of the tree.
  [[nodiscard]] Amount lendable(QuotaNodeId node, Symbol resource) const;
  [[nodiscard]] double weight(QuotaNodeId node) const { return of(node).weight; }
  [[nodiscard]] bool is_active(QuotaNodeId queue) const { return of(queue).is_active; }
  /// The longest way down to an active queue or an empty cohort.
  [[nodiscard]] int height(QuotaNodeId node) const { return of(node).height; }

  // ---- usage -------------------------------------------------------------------------------------------------------
  [[nodiscard]] Amount used(QuotaCellId cell) const { return Amount(tree_.used(cell)); }
  [[nodiscard]] Amount local_available(QuotaCellId cell) const { return at_least_nothing(local(cell) - used(cell)); }
  [[nodiscard]] Amount available(QuotaCellId cell) const;
  /// It uses no more than its subtree's quota.
  [[nodiscard]] bool is_within(QuotaCellId cell) const { return used(cell) <= subtree(cell); }
  [[nodiscard]] bool borrows_with(QuotaCellId cell, Amount more) const { return subtree(cell) < used(cell) + more; }
  /// REQUIRES: a queue's cell.
  [[nodiscard]] FittingSubtree lowest_subtree(QuotaCellId cell, Amount more) const;
  void add(QuotaCellId cell, Amount more);
  void remove(QuotaCellId cell, Amount less);

 private:
  struct CellQuota {
    QuotaLimits limits;
    bool is_declared = false;
    bool is_limited = false;  // the node itself says something of it
    Amount subtree = {};
    Amount local = {};
    Amount potential = {};
    QuotaCellId parent = {};
  };
  struct NodeQuota {
    double weight = 1;
    bool is_active = true;
    int height = 0;
    std::vector<QuotaCellId> declared = {};
    std::vector<std::pair<Symbol, Amount>> lendable = {};  // of groups: by resource
  };
  using Potentials = std::vector<std::pair<QuotaColumnId, Amount>>;

  [[nodiscard]] const CellQuota& at(QuotaCellId cell) const { return cells_[cell.index()]; }
  [[nodiscard]] const NodeQuota& of(QuotaNodeId node) const { return nodes_[node.index()]; }
  CellQuota& cell_of(QuotaNodeId node, QuotaColumnId column);
  NodeQuota& grown(QuotaNodeId node);
  void link(QuotaNodeId node);
  void accumulate(QuotaNodeId node);
  void spread(QuotaNodeId node, Potentials potentials);
  void sort_declared(QuotaNodeId node);

  cluster::QuotaTree& tree_;
  std::vector<CellQuota> cells_;
  std::vector<NodeQuota> nodes_;
};

}  // namespace loadline::queue::kueue
