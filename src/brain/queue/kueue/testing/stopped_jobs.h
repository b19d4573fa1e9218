#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue::testing {

/// Rounds over jobs that stop when they are asked to, and queue again. Nothing else happens but what the test does.
class StoppedJobs {
 public:
  explicit StoppedJobs(Settings settings, RepeatedPreemption repeated) : world(with(std::move(settings), repeated)) {}

  WorkloadId submit(const kube::KueueWorkload& job) {
    const WorkloadId id = world.submit(job);
    objects_.insert_or_assign(id, job);
    preemptions.clear();
    return id;
  }
  /// Whether rounds end before there were that many preemptions. Those who leave do so one after another, the next one
  /// once there is nothing to decide.
  bool settles(std::size_t most) {
    for (;;) {
      while (world.scheduler.is_due(world.now)) {
        decide();
        if (preemptions.size() > most) return false;
      }
      if (!leaving_.empty()) {
        stop_next();
      } else if (world.scheduler.due_at()) {
        world.pass(1);
      } else {
        return true;
      }
    }
  }
  /// A round, and as many of those who leave stop after it.
  void decide_and_stop(std::size_t stops) {
    decide();
    for (; stops > 0 && !leaving_.empty(); --stops) stop_next();
    world.pass(1);
  }
  /// Its pods have ended.
  void finish(WorkloadId job) {
    world.scheduler.remove(job, world.now);
    objects_.erase(job);
    std::erase(leaving_, job);
    preemptions.clear();
  }
  [[nodiscard]] bool is_there(WorkloadId job) const { return objects_.contains(job); }

  World world;
  /// Victims and for whom, since the test last did something, in order.
  std::vector<std::pair<WorkloadId, WorkloadId>> preemptions = {};
  /// The last decision about each, by name: see World::say().
  std::map<std::string, std::string> said = {};

 private:
  static Settings with(Settings settings, RepeatedPreemption repeated) {
    settings.repeated_preemption = repeated;
    return settings;
  }
  void decide() {
    for (const Decision& decision : world.round().decisions) {
      said[world.name(decision.workload)] = world.say(decision);
      for (const Victim& victim : decision.evicted) {
        preemptions.emplace_back(victim.workload, decision.workload);
        leaving_.push_back(victim.workload);
      }
    }
  }
  void stop_next() {
    const WorkloadId job = leaving_.front();
    leaving_.pop_front();
    world.submit(objects_.at(job));
  }

  std::map<WorkloadId, kube::KueueWorkload> objects_;
  std::deque<WorkloadId> leaving_;
};

}  // namespace loadline::queue::kueue::testing
