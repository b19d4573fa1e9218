#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loadline::workloads {

/// Pods that have to run, or have a node, before others of their workload are created.
struct Prerequisite {
  std::string what;  ///< "task master", "its leader serve-0"
  /// They are in the workload's namespace and have all of these labels. The first tells them best from other pods.
  std::vector<std::pair<std::string, std::string>> labels;
  std::int64_t pods = 1;  ///< so many of them
  friend bool operator==(const Prerequisite&, const Prerequisite&) = default;
};

/// When a controller creates pods that it does not create at once.
struct CreationOrder {
  std::vector<Prerequisite> after;  ///< never empty
  bool one_suffices = false;        ///< one of these, not all
};

}  // namespace loadline::workloads
