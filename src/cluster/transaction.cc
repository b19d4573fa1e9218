#include <algorithm>

#include "cluster/cluster.h"

namespace loadline::cluster {

void Transaction::place(PodId pod, NodeId node) {
  cluster_.place(pod, node);
  steps_.push_back({pod, NodeId{}, 0});
}

void Transaction::lift(PodId pod) {
  const NodeId node = cluster_.pod(pod).node;
  const auto& pods = cluster_.pods_on(node);
  const auto position = static_cast<std::size_t>(std::find(pods.begin(), pods.end(), pod) - pods.begin());
  cluster_.lift(pod);
  steps_.push_back({pod, node, position});
}

void Transaction::rollback() {
  for (; !steps_.empty(); steps_.pop_back()) {
    const Step& step = steps_.back();
    if (step.lifted_from.valid()) {
      cluster_.place_at(step.pod, step.lifted_from, step.position);
    } else {
      cluster_.lift(step.pod);
    }
  }
}

}  // namespace loadline::cluster
