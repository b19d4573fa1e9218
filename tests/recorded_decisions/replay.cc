#include "recorded_decisions/replay.h"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "brain/engine/registry.h"
#include "brain/placement/scheduler.h"
#include "recorded_decisions/chance_extender.h"
#include "recorded_decisions/comparison.h"
#include "recorded_decisions/drift.h"
#include "recorded_decisions/group_comparison.h"
#include "recorded_decisions/group_turn.h"
#include "recorded_decisions/replayed_cluster.h"
#include "recorded_decisions/topology_comparison.h"

namespace loadline::recorded_decisions {
namespace {

using cluster::PodId;

/// Nodes of a cluster whose counts are recomputed after every attempt, which takes time.
constexpr std::size_t kSmallCluster = 64;

/// A pointer that does not own. REQUIRES: the owner outlives the scheduler.
template <class Objects>
std::shared_ptr<const Objects> borrowed(const Objects& objects) {
  return {std::shared_ptr<const Objects>(), &objects};
}

class Replayer {
 public:
  explicit Replayer(const RecordedCase& recorded) : recorded_(recorded), state_(recorded) {}

  Result<Replay> run() {
    if (const Result<void> filled = state_.fill(); !filled) return failed("input", filled.error());
    placement::Extensions extensions;
    extensions.extenders = std::make_shared<ChanceExtenders>();
    extensions.pods = borrowed<placement::PodObjects>(state_);
    extensions.nodes = borrowed<placement::NodeObjects>(state_);
    auto scheduler =
        placement::Scheduler::make(state_.cluster(), engine::registry(),
                                   recorded_.configuration.value_or(kube::SchedulerConfiguration{}), extensions);
    if (!scheduler) return failed("configuration", scheduler.error());
    if (const Result<void> done = replay_all(*scheduler); !done) return tl::unexpected(done.error());
    if (!recorded_.attempts.empty()) look_for_drift(recorded_.attempts.back());
    return std::move(replay_);
  }

 private:
  Result<void> replay_all(placement::Scheduler& scheduler) {
    std::span<const RecordedAttempt> left = recorded_.attempts;
    for (std::size_t i = 0; i < recorded_.group_cycles.size(); ++i) {
      const RecordedGroupCycle& cycle = recorded_.group_cycles[i];
      for (; !left.empty() && left[0].sequence < cycle.first_attempt; left = left.subspan(1)) {
        if (const Result<void> done = replay_alone(left[0], scheduler); !done) return done;
      }
      const auto end = std::find_if(left.begin(), left.end(), [i](const RecordedAttempt& attempt) {
        return attempt.group_cycle != static_cast<int>(i);
      });
      const auto count = static_cast<std::size_t>(end - left.begin());
      if (const Result<void> done = replay_group(cycle, left.first(count), scheduler); !done) {
        return failed("cycle of " + cycle.pod_group, done.error());
      }
      left = left.subspan(count);
    }
    for (const RecordedAttempt& attempt : left) {
      if (const Result<void> done = replay_alone(attempt, scheduler); !done) return done;
    }
    return {};
  }

  [[nodiscard]] static std::string at(const RecordedAttempt& attempt) {
    return "attempt " + std::to_string(attempt.sequence) + " (" + attempt.pod + ")";
  }

  Result<void> replay_alone(const RecordedAttempt& attempt, placement::Scheduler& scheduler) {
    if (const Result<void> done = replay_attempt(attempt, scheduler); !done) return failed(at(attempt), done.error());
    look_for_drift_after(attempt);
    return {};
  }

  Result<void> replay_attempt(const RecordedAttempt& attempt, placement::Scheduler& scheduler) {
    if (attempt.group_cycle) return failure("it is part of a group's cycle that is not there");
    if (const Result<void> done = state_.advance_to(attempt.sequence); !done) return done;
    const Result<placement::Decision> decided = decide(attempt, scheduler);
    if (!decided) return tl::unexpected(decided.error());
    return state_.carry_out(attempt);
  }

  /// Compares both decisions about a pod, and returns the ordinary one.
  /// `within`: the nodes of the placement that the attempt is part of; empty: there is none.
  Result<placement::Decision> decide(const RecordedAttempt& attempt, placement::Scheduler& scheduler,
                                     const std::vector<cluster::NodeId>& within = {}) {
    const Result<PodId> pod = waiting_pod(attempt.pod, scheduler);
    if (!pod) return tl::unexpected(pod.error());
    if (const Result<void> done = state_.set_nominations(attempt); !done) return tl::unexpected(done.error());

    placement::Decision ordinary, full;
    if (within.empty()) {
      ordinary = scheduler.decide(*pod);
      full = scheduler.decide(*pod, placement::Detail::kFull, placement::Search::kEveryNode);
    } else {
      scheduler.decide_within(*pod, within, placement::Detail::kDecision, placement::Search::kAsConfigured, ordinary);
      scheduler.decide_within(*pod, within, placement::Detail::kFull, placement::Search::kAsConfigured, full);
    }
    Comparison comparison(recorded_, attempt, state_.cluster(), replay_.divergences);
    comparison.compare_in_full(full, scheduler.rejections());
    comparison.compare_ordinary(ordinary, full, preemption_may_stop(attempt, *pod, scheduler));
    ++replay_.attempts;
    return ordinary;
  }

  /// Each member is decided where the real scheduler has put those before it; then none of it happened.
  Result<void> replay_group(const RecordedGroupCycle& cycle, std::span<const RecordedAttempt> attempts,
                            placement::Scheduler& scheduler) {
    if (const Result<void> done = state_.advance_to(cycle.first_attempt); !done) return done;
    if (!attempts.empty()) {
      if (const Result<void> done = state_.set_nominations(attempts[0]); !done) return done;
    }
    const bool is_comparable =
        compare_group_turn(recorded_.name, {cycle, attempts}, state_, scheduler, replay_.divergences);
    if (is_comparable) ++replay_.group_turns;
    GroupComparison comparison(recorded_.name, cycle, replay_.divergences);
    if (const Result<void> done = try_placements(cycle, attempts, scheduler, comparison); !done) return done;
    std::vector<std::string> schedulers;
    for (const RecordedMember& member : cycle.members) {
      const Result<PodId> pod = state_.pod(member.pod);
      if (!pod) return tl::unexpected(pod.error());
      schedulers.emplace_back(scheduler_name(*pod));
    }
    if (cycle.topology) {
      compare_placement_scores(recorded_.name, cycle, attempts, state_, scheduler, replay_.divergences);
    }
    const bool is_untried = cycle.topology && cycle.topology->placements.empty();
    if (is_untried && !refused_for_schedulers(schedulers)) {
      const std::string error = contradiction(cycle, state_, scheduler);
      const bool is_ambiguous = std::ranges::find(recorded_.events, cycle.first_attempt,
                                                  &RecordedEvent::before_attempt) != recorded_.events.end();
      comparison.compare_untried(error.empty() ? "no feasible placements found" : error, !error.empty(), is_ambiguous,
                                 conditions_);
    } else {
      comparison.compare(schedulers, conditions_);
    }
    const Result<void> done = state_.carry_out(cycle, attempts);
    if (!attempts.empty()) look_for_drift_after(attempts.back());
    return done;
  }

  /// The members' turns in one placement after another, none of which sees what was tried in those before it.
  Result<void> try_placements(const RecordedGroupCycle& cycle, std::span<const RecordedAttempt> attempts,
                              placement::Scheduler& scheduler, GroupComparison& comparison) {
    const bool is_constrained = cycle.topology && !cycle.topology->key.empty();
    const bool has_placements = is_constrained && !cycle.topology->placements.empty();
    const std::size_t count = has_placements ? cycle.topology->placements.size() : 1;
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<cluster::NodeId> within;
      std::size_t size = attempts.size();
      if (has_placements) {
        within = nodes_of(cycle.topology->placements[i], state_);
        size = std::min(size, cycle.topology->placements[i].attempts);
      }
      comparison.begin_placement();
      state_.begin_group_cycle();
      for (const RecordedAttempt& attempt : attempts.first(size)) {
        const Result<placement::Decision> decided = decide(attempt, scheduler, within);
        if (!decided) return failure(at(attempt) + ": " + decided.error().message);
        comparison.add_turn(attempt, *decided);
        if (const Result<void> done = state_.assume(attempt, scheduler); !done) return done;
        look_for_drift_after(attempt);
      }
      state_.end_group_cycle();
      attempts = attempts.subspan(size);
    }
    return {};
  }

  [[nodiscard]] Result<PodId> waiting_pod(const std::string& name, const placement::Scheduler& scheduler) const {
    const Result<PodId> pod = state_.pod(name);
    if (!pod) return pod;
    if (state_.cluster().pod(*pod).node.valid()) return failure("the pod is on a node already");
    if (profile_of(*pod, scheduler) == nullptr) {
      return failure("no profile answers to schedulerName \"" + std::string(scheduler_name(*pod)) + '"');
    }
    return pod;
  }

  [[nodiscard]] std::string_view scheduler_name(PodId pod) const {
    return state_.cluster().symbols().text(state_.cluster().shape_of(pod).scheduler_name);
  }
  [[nodiscard]] const placement::Profile* profile_of(PodId pod, const placement::Scheduler& scheduler) const {
    return scheduler.profile(scheduler_name(pod));
  }

  /// Recordings hold the candidates of every node; as configured, the search ends once it has enough of them.
  [[nodiscard]] bool preemption_may_stop(const RecordedAttempt& attempt, PodId pod,
                                         const placement::Scheduler& scheduler) const {
    if (!attempt.preemption) return false;
    std::size_t resolvable = 0;
    for (const RecordedRefusal& refusal : attempt.infeasible) {
      if (refusal.code == "Unschedulable") resolvable += refusal.nodes.size();
    }
    const kube::DefaultPreemptionArgs& args = profile_of(pod, scheduler)->preemption();
    const std::size_t share = resolvable * static_cast<std::size_t>(args.min_candidate_nodes_percentage) / 100;
    return std::max(share, static_cast<std::size_t>(args.min_candidate_nodes_absolute)) <
           attempt.preemption->candidates.size();
  }

  void look_for_drift_after(const RecordedAttempt& attempt) {
    if (state_.cluster().node_count() <= kSmallCluster) look_for_drift(attempt);
  }

  void look_for_drift(const RecordedAttempt& attempt) {
    Comparison comparison(recorded_, attempt, state_.cluster(), replay_.divergences);
    for (const Drift& drift : find_drift(state_.cluster())) {
      comparison.expect(drift.what, drift.recomputed, drift.kept);
    }
  }

  [[nodiscard]] tl::unexpected<Error> failed(const std::string& where, const Error& error) const {
    return failure(recorded_.name + ": " + where + ": " + error.message);
  }

  const RecordedCase& recorded_;
  ReplayedCluster state_;
  GroupConditions conditions_;
  Replay replay_;
};

}  // namespace

Result<Replay> replay(const RecordedCase& recorded) { return Replayer(recorded).run(); }

}  // namespace loadline::recorded_decisions
