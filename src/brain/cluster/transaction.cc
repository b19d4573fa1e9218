#include "brain/cluster/transaction.h"

#include <algorithm>

namespace loadline::cluster {

void Transaction::place(PodId pod, NodeId node) {
  const std::size_t position = cluster_.pods_on(node).size();
  cluster_.place_at(pod, node, position);
  steps_.push_back({pod, node, true, position});
}

void Transaction::unplace(PodId pod) {
  const NodeId node = cluster_.pod(pod).node;
  const auto& pods = cluster_.pods_on(node);
  const auto position = static_cast<std::size_t>(std::find(pods.begin(), pods.end(), pod) - pods.begin());
  cluster_.take_off(pod);
  steps_.push_back({pod, node, false, position});
}

void Transaction::commit() {
  for (const Step& step : steps_) cluster_.note(step.node);
  steps_.clear();
}

void Transaction::rollback() {
  for (; !steps_.empty(); steps_.pop_back()) {
    const Step& step = steps_.back();
    if (step.placed) {
      cluster_.take_off(step.pod);
    } else {
      cluster_.place_at(step.pod, step.node, step.position);
    }
  }
}

}  // namespace loadline::cluster
