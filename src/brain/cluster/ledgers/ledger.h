#pragma once

#include "brain/cluster/ids.h"

namespace loadline::cluster {

/// Books of what decisions claim: whatever a Transaction covers. Transactions nest like scopes; each call speaks of the
/// innermost one.
///
/// The ledgers of this room belong to Cluster. One of a room above (devices, quota) is attached to it, see
/// Cluster::attach(): then every transaction over the cluster, whoever opens it, covers that ledger, too.
class Ledger {
 public:
  Ledger() = default;
  virtual ~Ledger() = default;
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;

  /// A transaction begins. Each begin() wants one end().
  virtual void begin() = 0;
  /// The steps since begin(), or the last keep(), stay: they are undone with the transaction around this one, if at
  /// all.
  virtual void keep() = 0;
  /// The steps since then never happened; they are undone last first.
  virtual void roll_back() = 0;
  virtual void end() = 0;

  /// What was decided for the pod is not going to be carried out: what it claims here is free again. Never called while
  /// a transaction is open; does nothing for a pod that claims nothing. A pod that had its place, and ends, is the
  /// ledger's owner's to notice.
  virtual void release(PodId) {}
};

}  // namespace loadline::cluster
