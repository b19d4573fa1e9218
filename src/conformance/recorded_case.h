#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "kube/objects.h"

namespace loadline::conformance {

/// Nodes that failed for one reason.
struct RecordedRefusal {
  std::string plugin;
  std::string code;
  std::vector<std::string> reasons;
  std::vector<int> nodes;
};

struct RecordedScores {
  int node = 0;
  std::int64_t total = 0;
  std::vector<std::int64_t> by_plugin;
};

struct RecordedCandidate {
  int node = 0;
  std::vector<std::string> victims;
  std::int64_t budget_violations = 0;
};

struct RecordedPreemption {
  bool eligible = false;
  std::string why;
  std::vector<RecordedCandidate> candidates;
  std::vector<int> best;
};

/// One scheduling cycle of the real scheduler. Nodes are indices into RecordedCase::node_names, pods "namespace/name".
struct RecordedAttempt {
  int sequence = 0;
  std::string pod;
  std::string nominated_before;
  std::vector<std::string> other_nominated;  ///< "namespace/name@node"
  std::vector<int> feasible;
  std::vector<RecordedRefusal> infeasible;
  std::optional<std::vector<int>> pre_filter_nodes;
  std::vector<std::string> skipped_filter, skipped_score;
  std::vector<RecordedScores> scores;
  std::int64_t max_score = 0;
  std::vector<int> max_nodes;
  std::string result;
  std::optional<int> node;
  bool chosen_is_max = true;
  std::string message;
  std::vector<std::string> unschedulable_plugins;
  std::optional<RecordedPreemption> preemption;
  std::string nominated_node;
  std::vector<std::string> victims;
};

/// A cluster, and what a real kube-scheduler decided on it: the folder's input.json and expected.json.
struct RecordedCase {
  std::string name;
  kube::Objects cluster;           ///< namespaces, nodes, bound pods, services, budgets
  std::vector<kube::Pod> pending;  ///< in order of creation
  std::vector<std::string> node_names;
  std::vector<std::string> score_plugins;
  std::vector<RecordedAttempt> attempts;
  std::optional<kube::SchedulerConfiguration> configuration;  ///< nullopt: the default profile
};

/// Errors name the file and what is wrong in it.
Result<RecordedCase> load_case(const std::string& folder);

}  // namespace loadline::conformance
