#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/report/scope.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

struct NodeShare {
  std::string node;
  std::size_t pods = 0;
};

/// Pods of one workload that share an outcome and its explanation.
struct PodGroup {
  simulator::PodOutcome outcome = simulator::PodOutcome::kPending;
  std::string message;                         ///< that of the first pod
  std::vector<simulator::NodeReason> reasons;  ///< of the first pod
  std::vector<std::size_t> pods;               ///< indices into Plan::pods
};

struct WorkloadReport {
  simulator::WorkloadName name;
  std::vector<std::size_t> pods;  ///< indices into Plan::pods, all of them
  std::size_t wanted = 0;         ///< pods it should have: those that left and were replaced count once
  std::size_t on_nodes = 0;       ///< placed or running at the end
  std::vector<NodeShare> nodes;   ///< where those are: most pods first, then in order of use
  Duration longest_wait;          ///< virtual time until the last of those was placed
  std::vector<PodGroup> groups;   ///< those that are not on a node, in order of their first pod
  /// Of a workload with several kinds of pods ("master", "worker"): each for itself, by its name.
  std::vector<WorkloadReport> roles;

  [[nodiscard]] bool complete() const { return on_nodes == wanted; }
  [[nodiscard]] const PodGroup* group(simulator::PodOutcome outcome) const;
};

/// The plan's workloads in order of their first pod, then those without pods. Messages that differ only in the pod's
/// own name count as the same.
/// O(pods × log pods).
std::vector<WorkloadReport> by_workload(const simulator::Plan& plan, const Scope& scope = {});

/// The same with bare pods of one namespace and outcome as one workload `Pod <namespace>/*`, where there are several.
std::vector<WorkloadReport> with_bare_pods_together(const simulator::Plan& plan,
                                                    const std::vector<WorkloadReport>& workloads);

/// What another project's queue decides about.
struct UndecidedWork {
  simulator::WorkloadName workload;
  std::string why;       ///< "its queue team-a is Kueue's"
  std::size_t pods = 0;  ///< that would start, or have gates; none: it has no pods yet
};

/// In order of the first pods, then those without pods.
std::vector<UndecidedWork> undecided_work(const simulator::Plan& plan, const Scope& scope = {});

/// True for a pod that left its node and that no controller brings back.
bool is_lost(const simulator::PlannedPod& pod);

}  // namespace loadline::report
