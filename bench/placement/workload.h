#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/objects.h"

namespace loadline::bench {

/// So many nodes of one template.
struct NodeGroup {
  std::size_t count = 0;
  kube::Node node;
  /// Labels that the template does not have: the group's nodes get the values in turn.
  std::map<std::string, std::vector<std::string>> labels;
};

/// So many pods of one template, which has their namespace. They share its spec, as the pods of a controller do.
struct PodGroup {
  std::size_t count = 0;
  kube::Pod pod;
};

/// What one benchmark schedules: a cluster, pods that are there when measuring starts, and pods that are measured.
struct Workload {
  std::string name;
  std::string size;  ///< upstream's name for these counts
  std::vector<NodeGroup> nodes;
  std::vector<PodGroup> init;
  std::vector<PodGroup> measure;
  bool interleave = false;  ///< measured pods: one of each group in turn, instead of group after group
  std::size_t round = 0;    ///< so many measured pods arrive at a time, and are dealt with before the next; 0: all
  std::optional<kube::Pod> churn;  ///< one of these arrives at the start of each round and is not measured
  kube::Objects objects;           ///< what is there beside nodes and pods: priority classes

  [[nodiscard]] std::size_t node_count() const;
  [[nodiscard]] std::size_t measured_count() const;
};

/// Reads a file of bench/placement/workloads; the templates that it names are beside that folder. Errors: a file is
/// missing or says something that this does not understand.
Result<Workload> read_workload(const std::filesystem::path& file);

}  // namespace loadline::bench
