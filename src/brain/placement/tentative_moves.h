#pragma once

#include <vector>

#include "brain/cluster/ledgers/transaction.h"

namespace loadline::placement {

class Cycle;

/// Tentative moves of pods within a cycle, made known to its plugins, and undone at the end, last first.
class TentativeMoves {
 public:
  explicit TentativeMoves(Cycle& cycle);
  ~TentativeMoves() { undo(); }
  TentativeMoves(const TentativeMoves&) = delete;
  TentativeMoves& operator=(const TentativeMoves&) = delete;

  void place(cluster::PodId pod, cluster::NodeId node);
  void unplace(cluster::PodId pod);
  void undo();

 private:
  struct Step {
    cluster::PodId pod;
    cluster::NodeId node;
    bool placed;
  };
  Cycle& cycle_;
  cluster::Transaction transaction_;
  std::vector<Step> steps_;
};

}  // namespace loadline::placement
