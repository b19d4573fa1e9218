#include "brain/placement/trial.h"

#include "brain/placement/cycle.h"

namespace loadline::placement {

Trial::Trial(Cycle& cycle) : cycle_(cycle), transaction_(cycle.cluster()) {}

void Trial::place(cluster::PodId pod, cluster::NodeId node) {
  transaction_.place(pod, node);
  cycle_.pod_added(pod, node);
  steps_.push_back({pod, node, true});
}

void Trial::lift(cluster::PodId pod) {
  const cluster::NodeId node = cycle_.cluster().pod(pod).node;
  transaction_.lift(pod);
  cycle_.pod_removed(pod, node);
  steps_.push_back({pod, node, false});
}

void Trial::undo() {
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
