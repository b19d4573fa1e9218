#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "brain/admission/rejection.h"
#include "brain/cluster/cluster.h"
#include "brain/engine/reservation_keeper.h"
#include "brain/placement/extensions.h"
#include "brain/workloads/workload.h"
#include "foundation/base/contract.h"
#include "hosts/simulator/plan.h"
#include "objects/kube/core/pod.h"

namespace loadline::simulator {

inline WorkloadName name_of(const workloads::WorkloadReference& workload) {
  return {workload.kind, workload.namespace_, workload.name};
}

/// A pod of the plan and what became of it so far.
struct SimulatedPod {
  kube::Pod pod;
  workloads::WorkloadReference workload;
  cluster::PodId id;  ///< invalid: never reached the cluster
  PodOutcome outcome = PodOutcome::kPending;
  cluster::NodeId node;
  std::string message;
  decision::Unit held_by;           ///< whose planned start it would move; neither pod nor group: it is not held
  std::vector<PassedStart> passed;  ///< see PlannedPod
  std::vector<NodeReason> reasons;
  std::vector<admission::Excess> excesses;  ///< of a pod that a quota refused
  std::string preempted_by;
  std::string replaced_by;  ///< of one that left: the pod that its controller made instead, as "namespace/name"
  std::string consumed_reservation;  ///< name of the reservation whose room it took in this plan; empty: none
  Instant decided;
  std::uint64_t generation = 0;  ///< how many predecessors it replaces
  bool is_evicted_by_taint = false;
  bool is_gone = false;      ///< from the cluster: its grace period is over, or it has ended
  bool is_given_up = false;  ///< it left, and the plan does not go on to replace it

  [[nodiscard]] bool on_a_node() const { return outcome == PodOutcome::kPlaced || outcome == PodOutcome::kRunning; }
  /// Preempted or evicted, and its replacement is another SimulatedPod; or it has ended.
  [[nodiscard]] bool left() const {
    return outcome == PodOutcome::kPreempted || outcome == PodOutcome::kEvicted || outcome == PodOutcome::kEnded;
  }
};

/// All pods of a plan, in order of creation.
class SimulatedPods final : public placement::PodObjects {
 public:
  [[nodiscard]] const kube::Pod& at(cluster::PodId pod) const override {
    if (pod == guest_id_) return *guest_;
    const bool is_pod = pod.index() < by_pod_.size() && list_[by_pod_[pod.index()]].id == pod;
    return is_pod || keeper_ == nullptr ? list_[index_of(pod)].pod : keeper_->placeholder(pod);
  }

  /// REQUIRES: one of them has that id.
  [[nodiscard]] std::size_t index_of(cluster::PodId pod) const {
    REQUIRES(pod.index() < by_pod_.size() && list_[by_pod_[pod.index()]].id == pod);
    return by_pod_[pod.index()];
  }
  /// A pod that is only asked about, and no part of the plan; an invalid id removes it.
  void receive(cluster::PodId id, const kube::Pod* pod) {
    guest_id_ = id;
    guest_ = pod;
  }
  /// Who has the pods that hold room for others, which are no pods of the plan; null: nobody.
  void set_keeper(const engine::ReservationKeeper* keeper) { keeper_ = keeper; }
  SimulatedPod& operator[](std::size_t index) { return list_[index]; }
  const SimulatedPod& operator[](std::size_t index) const { return list_[index]; }
  [[nodiscard]] std::size_t size() const { return list_.size(); }
  [[nodiscard]] const std::vector<SimulatedPod>& list() const { return list_; }
  /// Indices of those of a top-level owner, in order of creation. O(pods) at first; then O(pods that are new).
  [[nodiscard]] const std::vector<std::size_t>& of_workload(const workloads::WorkloadReference& workload) {
    for (; indexed_ < list_.size(); ++indexed_) by_workload_[list_[indexed_].workload].push_back(indexed_);
    return by_workload_[workload];
  }

  /// There will be so many more.
  void expect(std::size_t pods) { list_.reserve(list_.size() + pods); }
  /// The next one, to be filled in: it has come into the cluster once it is identified. Valid until there are more.
  SimulatedPod& add() { return list_.emplace_back(); }
  /// The pod has come into the cluster, as that one.
  void identify(std::size_t index, cluster::PodId id) {
    if (by_pod_.size() <= id.index()) by_pod_.resize(id.index() + 1);
    by_pod_[id.index()] = index;
    list_[index].id = id;
  }

 private:
  std::vector<SimulatedPod> list_;
  std::vector<std::size_t> by_pod_;                                               // by PodId; ids are never reused
  std::map<workloads::WorkloadReference, std::vector<std::size_t>> by_workload_;  // of the first `indexed_`
  std::size_t indexed_ = 0;
  const engine::ReservationKeeper* keeper_ = nullptr;
  cluster::PodId guest_id_;
  const kube::Pod* guest_ = nullptr;
};

}  // namespace loadline::simulator
