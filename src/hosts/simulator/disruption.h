#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/workloads/disruption_budget.h"
#include "brain/workloads/workload.h"
#include "objects/kube/objects.h"
#include "objects/kube/policy/eviction_rules.h"

namespace loadline::simulator {

/// Fills in what the disruption controller would: how many more of a budget's pods may go. A budget read from a live
/// cluster keeps its status; one from a manifest gets it computed, each placed pod that is not leaving counting as
/// healthy, unless it was read with a condition that says it is not Ready.
/// What is counted, and how, is said in workloads/disruption_budget.h: the expected pods of a controller are its
/// replicas, and for a controller without replicas (a Job) their number is unknown.
class DisruptionController {
 public:
  DisruptionController(const kube::Objects& objects, cluster::Cluster& cluster);

  /// The pod exists from now on, with or without a node.
  void pod_created(cluster::PodId id, const kube::Pod& pod, const workloads::WorkloadReference& workload);
  void pod_deleted(cluster::PodId pod);

  /// Recomputes the budgets in the cluster. O(budgets × pods).
  void update();

  /// Why the eviction API would not evict the pod now; nothing if it would, as policy/eviction_rules.h says. Pending
  /// are pods without a node and those that were read as Pending on theirs; not ready, those that were read as not
  /// Ready.
  [[nodiscard]] std::optional<std::string> forbids_eviction(cluster::PodId pod) const;
  /// The same of pods that leave together: all of them, or none.
  [[nodiscard]] std::optional<std::string> forbids_evictions(std::span<const cluster::PodId> pods) const;

 private:
  struct Guarded {
    workloads::WorkloadReference workload;
    bool ready = true;
    bool pending = false;  ///< it was read as Pending on its node
  };
  [[nodiscard]] workloads::DisruptionCount count(std::size_t budget) const;
  [[nodiscard]] std::vector<std::size_t> covering(cluster::PodId pod) const;
  [[nodiscard]] kube::PodToEvict to_evict(cluster::PodId pod) const;
  [[nodiscard]] kube::BudgetState state_of(std::size_t budget) const;
  [[nodiscard]] std::string told(const kube::EvictionRefusal& refusal, std::span<const cluster::PodId> pods,
                                 std::span<const kube::CoveredPod> covered) const;
  /// nullopt: some pod's controller has no scale.
  [[nodiscard]] std::optional<std::int64_t> expected_scale(const std::vector<const Guarded*>& pods) const;

  const std::vector<kube::PodDisruptionBudget>& budgets_;
  cluster::Cluster& cluster_;
  std::map<workloads::WorkloadReference, std::int64_t> replicas_;
  std::map<cluster::PodId, Guarded> pods_;
};

}  // namespace loadline::simulator
