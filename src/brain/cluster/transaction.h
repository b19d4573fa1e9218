#pragma once

#include <cstddef>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::cluster {

/// Tentative changes, of which the change log knows nothing, that are undone, last first, unless committed: gangs,
/// preemption and what-if are this at different sizes. A rolled back cluster equals the one before in every count and
/// in the order of pods on nodes.
class Transaction {
 public:
  explicit Transaction(Cluster& cluster) : cluster_(cluster) {}
  ~Transaction() { rollback(); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;

  void place(PodId pod, NodeId node);
  void unplace(PodId pod);
  void commit();
  void rollback();

 private:
  struct Step {
    PodId pod;
    NodeId node;
    bool placed = true;        // else unplaced
    std::size_t position = 0;  // where it stood among the node's pods
  };
  Cluster& cluster_;
  std::vector<Step> steps_;
};

}  // namespace loadline::cluster
