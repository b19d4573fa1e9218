#pragma once

#include <cstddef>
#include <cstdint>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

/// Who learns of what a transaction does.
enum class Visibility : std::uint8_t {
  /// Each step, and each step that is undone, stands in the change log, so that searches that are kept from pod to pod
  /// stay right at the price of the nodes that changed. For what decides about several pods: a group.
  kSeen,
  /// The change log learns of the nodes when the transaction is committed, and of nothing if it is not. For a look at
  /// one node that nothing remembers: a dry run.
  kUnseen,
};

/// As long as it lives, whatever a decision claims of the cluster is tentative: where pods are, what is reserved and
/// bound for their claims, nominations, terminations, disruptions that budgets allow, reservations that are used up,
/// nodes that are added or masked, and whatever attached ledgers hold. rollback(), or its end, undoes that, last first,
/// unless it was committed.
///
/// A rolled back cluster equals the one before in every book, in the order of pods on nodes, and in what it decides
/// later. Only what was interned meanwhile stays: symbols, shapes, counters. Transactions nest like scopes; what an
/// inner one committed is undone with the outer one. No kSeen one is opened inside a kUnseen one. Meanwhile objects do
/// not change: Cluster::update_node() and the like are broken contracts. O(1) to open and to commit, and to roll back
/// what the steps cost.
class Transaction {
 public:
  explicit Transaction(Cluster& cluster, Visibility visibility = Visibility::kUnseen);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  /// The steps so far stay.
  void commit();
  /// The steps since the beginning, or the last commit(), never happened.
  void rollback();

 private:
  Cluster& cluster_;
  bool is_seen_;
};

}  // namespace loadline::cluster
