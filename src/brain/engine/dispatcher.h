#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/engine/scheduling_queue.h"
#include "brain/placement/fit_error.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/time.h"

namespace loadline::engine {

/// The result of one turn of the queue. It is in the model already; the host carries it out and reports it.
struct Turn {
  cluster::PodId pod;
  cluster::NodeId node;                         ///< the pod was placed there; invalid: it was not
  std::string message;                          ///< why not
  std::vector<placement::ReasonCount> reasons;  ///< the same, counted
  cluster::NodeId nominated;                    ///< where preemption makes room for it, or still does
  /// The pods that have to leave for it: to be terminated by the host, see Dispatcher::leaving(). Pods that are leaving
  /// already are not among them.
  std::vector<cluster::PodId> victims;
  std::vector<cluster::PodId> denominated;  ///< pods of lower priority that lost their nomination to it
  /// What was chosen for the claims of a pod that was placed, and has to be written down before it is bound; always
  /// empty where the model binds by itself.
  std::vector<cluster::ChosenVolume> volumes;
  bool is_repeated = false;      ///< nothing has changed since an equal pod failed, so no plugin was asked
  placement::Decision decision;  ///< of a turn that is not repeated
};

/// The scheduler's loop without a clock or a client: whose turn it is, what is decided, and what that does to the
/// model. Both hosts run it, the plan in virtual time and the scheduler of a live cluster, so both decide alike.
///
/// A host that changes the cluster tells the dispatcher: capacity_freed() when a pod left, a node came or changed, or
/// anything else happened that could help a pod that waits.
class Dispatcher {
 public:
  Dispatcher(cluster::Cluster& cluster, placement::Scheduler scheduler)
      : cluster_(cluster), scheduler_(std::move(scheduler)), queue_(cluster) {}
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  [[nodiscard]] placement::Scheduler& scheduler() { return scheduler_; }
  [[nodiscard]] const placement::Scheduler& scheduler() const { return scheduler_; }

  // ---- pods --------------------------------------------------------------------------------------------------------
  /// The pod waits for a node. REQUIRES: the scheduler has its profile, and no gate holds it.
  void add(cluster::PodId pod);
  /// The pod waits no longer: another scheduler bound it, or it is about to leave the cluster.
  void withdraw(cluster::PodId pod) { queue_.remove(pod); }
  /// A pod was placed by another scheduler: it may satisfy the affinity of pods that wait, or even out a skew.
  void placed_elsewhere(cluster::PodId pod);
  /// A placement that could not be carried out: the pod is unplaced and waits again, after those that were not tried.
  void take_back(cluster::PodId pod);
  /// A victim, or any other pod, is terminating: it still holds its resources.
  void leaving(cluster::PodId pod, bool by_preemption);

  // ---- the model changed -------------------------------------------------------------------------------------------
  /// Something that a waiting pod could use: every parked pod has another turn.
  void capacity_freed();
  /// Something changed that decisions could see, but that helps no pod that waits.
  void changed() { ++generation_; }
  /// Gives the pod another turn if it is parked.
  void retry(cluster::PodId pod) { queue_.wake(pod); }
  /// Gives every parked pod another turn if anything has changed since the last call: a change that woke no pod may
  /// still help one, as does a pod that the affinity of another needs on the node that it would preempt on. To be
  /// called when pods have waited for kLongestWait. False: there was nothing to retry.
  bool flush_unschedulable();
  /// Source: podMaxInUnschedulablePodsDuration, pkg/scheduler/backend/queue, v1.36.
  static constexpr Duration kLongestWait = Duration::seconds(300);
  /// Grows with every change that a decision could see.
  [[nodiscard]] std::uint64_t generation() const { return generation_; }

  /// Frees what is remembered of pods and shapes that are gone: see placement::Scheduler::reclaim().
  void reclaim();

  // ---- turns -------------------------------------------------------------------------------------------------------
  /// Whose turn it is, or nothing if all that wait are parked.
  std::optional<cluster::PodId> next() { return queue_.pop(); }
  [[nodiscard]] bool has_next() const { return !queue_.empty(); }
  [[nodiscard]] std::size_t waiting() const { return queue_.waiting(); }
  /// Decides about the pod that next() named, and does what follows in the model: places it; or parks it, moves its
  /// nomination, and takes those of less important pods away.
  Turn take(cluster::PodId pod, placement::Detail detail = placement::Detail::kDecision);
  /// Tells of every turn once it is taken, before the host acts on it.
  void when_taken(std::function<void(const Turn&)> tell) { tell_ = std::move(tell); }

 private:
  /// What decides a failure as long as the cluster stays as it is.
  using FailureKey = std::tuple<cluster::ShapeId, std::int32_t, kube::PreemptionPolicy>;
  struct KnownFailure {
    std::uint64_t generation = 0;
    std::string message;
    std::vector<placement::ReasonCount> reasons;
    std::vector<std::string_view> refused_by;
  };

  [[nodiscard]] const KnownFailure* known_failure(cluster::PodId pod) const;
  Turn decide(cluster::PodId pod, placement::Detail detail);
  void place(Turn& turn);
  void fail(Turn& turn);
  void preempt(Turn& turn);

  cluster::Cluster& cluster_;
  placement::Scheduler scheduler_;
  SchedulingQueue queue_;
  std::uint64_t generation_ = 0;
  std::uint64_t retried_generation_ = 0;  // when parked pods last had another turn for nothing in particular
  std::function<void(const Turn&)> tell_;
  std::map<FailureKey, KnownFailure> failures_;
};

}  // namespace loadline::engine
