#include "bench/placement/objects.h"

#include <fmt/format.h>

namespace loadline::bench {

std::vector<kube::Node> make_nodes(const Workload& workload) {
  std::vector<kube::Node> nodes;
  nodes.reserve(workload.node_count());
  for (const NodeGroup& group : workload.nodes) {
    for (std::size_t i = 0; i < group.count; ++i) {
      kube::Node node = group.node;
      if (!node.metadata.generate_name.empty())
        node.metadata.name = fmt::format("{}{}", node.metadata.generate_name, i);
      node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
      for (const auto& [label, values] : group.labels) node.metadata.labels[label] = values[i % values.size()];
      nodes.push_back(std::move(node));
    }
  }
  return nodes;
}

kube::Pod make_pod(const kube::Pod& pod_template, std::size_t& counter) {
  kube::Pod pod = pod_template;
  pod.metadata.name = fmt::format("{}{}", pod.metadata.generate_name, counter++);
  return pod;
}

PodStream::PodStream(const std::vector<PodGroup>& groups, bool interleave, std::size_t& counter)
    : groups_(groups), interleave_(interleave), counter_(counter) {
  for (const PodGroup& group : groups) {
    left_.push_back(group.count);
    left_in_all_ += group.count;
  }
}

std::optional<kube::Pod> PodStream::next() {
  if (left_in_all_ == 0) return std::nullopt;
  while (left_[turn_] == 0) turn_ = (turn_ + 1) % groups_.size();
  --left_[turn_];
  --left_in_all_;
  const PodGroup& group = groups_[turn_];
  if (interleave_) turn_ = (turn_ + 1) % groups_.size();
  return make_pod(group.pod, counter_);
}

}  // namespace loadline::bench
