// The part of Simulation that creates pods once others of their workload have nodes, and tells of what that leads to.
#include <utility>
#include <vector>

#include "hosts/simulator/simulation.h"

namespace loadline::simulator {

/// Controllers create what waited for pods that have nodes by now. False: there is none of it.
bool Simulation::create_awaited() {
  std::vector<Arrival> due = awaited_.take_due();
  for (Arrival& arrival : due) {
    room_.comes(arrival.pod);
    create(admitted(std::move(arrival.pod), arrival.workload, admission_), 0);
  }
  return !due.empty();
}

/// Pods that no controller has created to the end are told of, too.
void Simulation::tell_uncreated() {
  for (AwaitedPods::Uncreated& each : awaited_.take_rest()) {
    SimulatedPod& subject = pods_.add();
    subject.workload = std::move(each.arrival.workload);
    subject.pod = std::move(each.arrival.pod);
    subject.outcome = PodOutcome::kNotCreated;
    subject.message = std::move(each.message);
    subject.decided = now_;
  }
}

/// Workloads that hold room which they cannot use, and that the policy keeps.
void Simulation::tell_kept(const std::vector<decision::Eviction>& kept_in_vain) {
  for (const decision::Eviction& kept : kept_in_vain) {
    Diagnostic diagnostic{Severity::kWarning, {}, title(decision::Unit(kept.group)), "", "", ""};
    diagnostic.message = decision::release_text(kept, cluster_) + "; the policy's brokenGroups keeps them there";
    diagnostic.hint = "brokenGroups: ReleasedForOthers has one give way";
    notes_.push_back(std::move(diagnostic));
  }
}

}  // namespace loadline::simulator
