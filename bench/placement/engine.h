#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "bench/placement/measurement.h"
#include "bench/placement/objects.h"
#include "bench/placement/workload.h"
#include "brain/cluster/cluster.h"
#include "brain/engine/dispatcher.h"

namespace loadline::bench {

/// The scheduler's loop as both hosts run it, engine::Dispatcher, with the least of a host around it: pods arrive in
/// the queue, are decided and placed; victims of preemption are gone at once. Every node is scored, the profile is the
/// default one.
class Engine {
 public:
  explicit Engine(const Workload& workload);

  /// Schedules the workload's init pods; nothing of it is measured. Returns how many found no node.
  std::size_t fill();

  /// The node of each init pod, in order; empty for one without. REQUIRES: only fill() ran.
  [[nodiscard]] std::vector<std::string> nodes_of_init_pods() const;

  /// Schedules the measured pods, and those that come in between. Measured is all that happens once a pod's typed
  /// object exists: adding it to the model and the queue; and, as a decision's own time, one turn: taking it from the
  /// queue, deciding, placing, and removing whom it displaces. All pods of a round are queued before the first one is
  /// decided. A pod that is tried again has a turn, and a time, for each attempt.
  /// Stops early when the measured time reaches `limit`. Call once.
  Measurement measure(std::chrono::nanoseconds limit);

 private:
  void bring_round(PodStream& stream, std::size_t most);
  void bring(const std::vector<kube::Pod>& pods, bool measured);
  void work_off_queue();
  void act(const decision::PodTurn& turn);
  [[nodiscard]] bool out_of_time() const { return measurement_.elapsed >= limit_; }

  const Workload& workload_;
  cluster::Cluster cluster_;
  engine::Dispatcher dispatcher_;
  std::size_t pods_made_ = 0;
  std::vector<bool> is_measured_;  // by pod
  Measurement measurement_;
  std::chrono::nanoseconds limit_ = std::chrono::nanoseconds::max();
};

}  // namespace loadline::bench
