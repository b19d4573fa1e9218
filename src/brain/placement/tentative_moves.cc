#include "brain/placement/tentative_moves.h"

#include "brain/placement/cycle.h"

namespace loadline::placement {

TentativeMoves::TentativeMoves(Cycle& cycle) : cycle_(cycle), transaction_(cycle.cluster()) {}

void TentativeMoves::place(cluster::PodId pod, cluster::NodeId node) {
  cycle_.cluster().place(pod, node);
  cycle_.pod_added(pod, node);
  steps_.push_back({pod, node, true});
}

void TentativeMoves::unplace(cluster::PodId pod) {
  const cluster::NodeId node = cycle_.cluster().pod(pod).node;
  cycle_.cluster().unplace(pod);
  cycle_.pod_removed(pod, node);
  steps_.push_back({pod, node, false});
}

void TentativeMoves::undo() {
  transaction_.rollback();
  for (; !steps_.empty(); steps_.pop_back()) {
    const Step& step = steps_.back();
    if (step.placed) {
      cycle_.pod_removed(step.pod, step.node);
    } else {
      cycle_.pod_added(step.pod, step.node);
    }
  }
}

}  // namespace loadline::placement
