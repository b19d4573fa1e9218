#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/admission/priority.h"
#include "brain/cluster/cluster.h"
#include "brain/engine/dispatcher.h"
#include "brain/gang/switches.h"
#include "brain/placement/extensions.h"
#include "foundation/base/contract.h"
#include "hosts/scheduler/live_expected_runs.h"
#include "hosts/scheduler/live_success_records.h"
#include "hosts/watching/caches.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// A pod that the scheduler knows: one that waits for a node, has one, or is held by a gate.
struct TrackedPod {
  watching::ObjectPtr<kube::Pod> object;
  cluster::PodId id;
  bool is_waiting = false;  ///< in the dispatcher's queue
  bool is_resting = false;  ///< its turn or its binding failed: it is not to wait again before its time
  std::string complaint;    ///< the last reason that was given for its waiting
};

/// Keeps the model of the cluster, and the dispatcher's queue, like the caches: every change of an object becomes a
/// change of the model, and wakes the pods that it could help. Pods that have finished take no room and are not known.
///
/// Placeholders, too, are pods of the model; LiveReservations has them come and go.
///
/// Invariant: a pod is placed in the model exactly if the API server has it on a known node, or if it is assumed:
/// placed by a turn of ours of which the API server has not told yet, see engine::Dispatcher::claims_of().
class LiveClusterModel final : public placement::PodObjects {
 public:
  /// Listens to the caches of all that placement reads; those outlive it.
  explicit LiveClusterModel(watching::Subscriptions& subscriptions);
  LiveClusterModel(const LiveClusterModel&) = delete;
  LiveClusterModel& operator=(const LiveClusterModel&) = delete;

  /// The dispatcher whose queue it fills. Before the first change; `dispatcher` outlives it.
  void set_dispatcher(engine::Dispatcher& dispatcher) { dispatcher_ = &dispatcher; }
  [[nodiscard]] cluster::Cluster& cluster() { return cluster_; }
  [[nodiscard]] const cluster::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] const engine::Dispatcher& dispatcher() const { return *dispatcher_; }

  /// Which pods count towards the minimum of their group.
  void set_group_minimum(gang::GroupMinimum minimum);

  /// How many pods it knows.
  [[nodiscard]] std::size_t size() const { return pods_.size(); }
  /// Null if there is none.
  [[nodiscard]] TrackedPod* find(const watching::ObjectKey& key);
  /// REQUIRES: the cluster knows the pod.
  [[nodiscard]] TrackedPod& tracked(cluster::PodId pod) {
    REQUIRES(pod.index() < by_id_.size() && by_id_[pod.index()] != nullptr);
    return *by_id_[pod.index()];
  }
  [[nodiscard]] const kube::Pod& at(cluster::PodId pod) const override;

  /// Whether it holds room for pods to come, see engine::ReservationKeeper.
  [[nodiscard]] bool is_placeholder(cluster::PodId pod) const { return cluster_.pod(pod).reservation.valid(); }

  [[nodiscard]] bool is_assumed(const TrackedPod& pod) const { return dispatcher_->claims_of(pod.id) != nullptr; }
  /// Its turn, or its binding, failed: takes the pod back from wherever that has got to, and out of the queue, until it
  /// rests no more and is enqueued anew.
  void set_aside(TrackedPod& pod);
  /// Puts the pod into the queue if it may be there.
  void enqueue(TrackedPod& pod);
  /// The scheduler has other profiles: other pods may be in the queue, and all of it has another turn.
  void reconsider();

 private:
  void on_node(const watching::Change<kube::Node>& change);
  void remove_node(cluster::NodeId node, const std::string& name);
  void restore_assumed(cluster::NodeId node, const std::string& name);
  void on_pod(const watching::Change<kube::Pod>& change);
  void confirm_finished(const watching::Observed<kube::Pod>& pod);
  void adopt(const watching::ObjectPtr<kube::Pod>& object);
  void update(TrackedPod& pod, const watching::ObjectPtr<kube::Pod>& object);
  void follow_node(TrackedPod& pod);
  void forget(const watching::ObjectKey& key);
  [[nodiscard]] bool may_wait(const TrackedPod& pod) const;
  void withdraw(TrackedPod& pod);
  void follow_success(const watching::Change<kube::Pod>& change);
  void group_changed(std::string_view name_space, const cluster::GroupName& group);
  template <class Kind>
  bool take_group(const Kind& group);
  void renew_priorities();
  void listen_to_groups(watching::Subscriptions& subscriptions);
  void listen_to_owners(watching::Subscriptions& subscriptions);
  void listen_to_volumes(watching::Subscriptions& subscriptions);
  void take_claim(const watching::Observed<kube::PersistentVolumeClaim>& claim);
  void take_own_claims(const kube::Pod& pod);

  watching::Caches& caches_;
  cluster::Cluster cluster_;
  admission::PriorityClasses classes_{{}};
  LiveExpectedRuns expected_runs_;
  LiveSuccessRecords success_records_;
  engine::Dispatcher* dispatcher_ = nullptr;
  std::map<watching::ObjectKey, TrackedPod> pods_;
  std::vector<TrackedPod*> by_id_;  // by PodId
  gang::GroupMinimum minimum_ = gang::GroupMinimum::kFinishedToo;
  std::map<watching::ObjectKey, cluster::GroupName> succeeded_;  // pods, and the groups that they count for
  std::map<watching::ObjectKey, std::string> displaced_;         // assumed pods whose node is gone, and its name
};

}  // namespace loadline::scheduler
