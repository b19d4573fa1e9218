#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/placement/workload.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::bench {

/// The workload's nodes: named by the template's name, or its generateName and a counter; labelled with their name, as
/// nodes are.
std::vector<kube::Node> make_nodes(const Workload& workload);

/// The pods of some groups, one after the other, named by generateName and a counter. Names are distinct within a run
/// because each run numbers its pods with one counter.
class PodStream {
 public:
  PodStream(const std::vector<PodGroup>& groups, bool interleave, std::size_t& counter);

  std::optional<kube::Pod> next();

 private:
  const std::vector<PodGroup>& groups_;
  std::vector<std::size_t> left_;
  std::size_t left_in_all_ = 0;
  std::size_t turn_ = 0;
  bool interleave_;
  std::size_t& counter_;
};

/// One pod of a template.
kube::Pod make_pod(const kube::Pod& pod_template, std::size_t& counter);

}  // namespace loadline::bench
