#include "hosts/advice/explain.h"

#include "brain/cluster/spellings/membership.h"
#include "brain/gang/held_room.h"
#include "hosts/advice/grouping.h"
#include "hosts/advice/scores.h"
#include "hosts/advice/suggestions.h"
#include "hosts/advice/unclassed_claims.h"
#include "hosts/advice/untried_remedy.h"
#include "hosts/advice/volume_ties.h"
#include "hosts/advice/waiting_group.h"
#include "hosts/simulator/held_spares.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using simulator::PodOutcome;
using simulator::SimulatedPod;

constexpr std::size_t kMostPodsToPlanAnew = 3000;
constexpr std::size_t kShownNodes = 5;

class Explainer {
 public:
  Explainer(simulator::Planning& planning, std::size_t subject, Trying trying)
      : planning_(planning), index_(subject), trying_(trying) {}

  Explanation run() {
    explanation_.pod = planning_.planned(index_);
    explanation_.nodes = planning_.cluster().node_count();
    explanation_.pod_group = group_of(planning_, index_);
    explanation_.holding_start = planning_.holding_start(index_);
    const SimulatedPod& subject = planning_.pods()[index_];
    const simulator::PlannedPod& pod = explanation_.pod;
    target_ = {{pod.name_space, pod.name}, pod.workload, pod.priority, pod.role};
    count_siblings(subject);
    if (subject.outcome == PodOutcome::kPending && subject.id.valid()) {
      const bool waits_with_group = explanation_.pod_group && holds_its_pods(*explanation_.pod_group);
      waits_with_group ? waiting_with_group(subject) : waiting(subject);
      note_spares(waits_with_group);
    } else if (subject.on_a_node() && subject.node.valid()) {
      on_node();
    } else if (subject.outcome == PodOutcome::kNotCreated) {
      explanation_.not_tried = NotTried::kNotCreated;
    } else {
      const std::vector<UntriedRemedy> candidates = candidates_before_scheduling(planning_, index_, target_);
      explanation_.suggestions = suggest(planning_, index_, target_, candidates, trying_);
    }
    return std::move(explanation_);
  }

 private:
  void count_siblings(const SimulatedPod& subject) {
    for (const SimulatedPod& other : planning_.pods().list()) {
      if (other.workload != subject.workload) continue;
      if (other.replaced_by.empty()) ++explanation_.siblings;
      if (other.on_a_node()) ++explanation_.placed_siblings;
      if (other.outcome == subject.outcome && waits_alike(subject, other)) ++explanation_.alike;
    }
  }

  /// Pods of a group that waits do so for one reason.
  [[nodiscard]] bool waits_alike(const SimulatedPod& subject, const SimulatedPod& other) const {
    if (other.message == subject.message) return true;
    return explanation_.pod_group && holds_its_pods(*explanation_.pod_group) &&
           cluster::spellings::group_of(other.pod) == cluster::spellings::group_of(subject.pod);
  }

  /// Of a group, whose members have no reasons of their own, those of the one that stops it count.
  void note_spares(bool waits_with_group) {
    const auto& stopped = explanation_.pod_group ? explanation_.pod_group->stopped_by : std::nullopt;
    const std::vector<simulator::NodeReason>& reasons =
        waits_with_group && stopped ? stopped->reasons : explanation_.pod.reasons;
    explanation_.spares = simulator::spares_for(reasons, planning_.room().describe());
  }

  void waiting(const SimulatedPod& subject) {
    const placement::Examination examination = planning_.examine(index_);
    show_obstacles(subject, examination);
    suggest_against(examination);
  }

  void waiting_with_group(const SimulatedPod& subject) {
    const simulator::GroupOutcome outcome = explanation_.pod_group->outcome;
    explanation_.not_tried = NotTried::kGroupIsHeld;
    if (outcome == simulator::GroupOutcome::kFailed) {
      explanation_.not_tried = NotTried::kGroupIsWrong;
    } else if (outcome == simulator::GroupOutcome::kHeld) {
      const placement::Examination alone = planning_.examine(index_);
      if (!alone.decision.attempt.scheduled()) show_obstacles(subject, alone);
    } else {
      const decision::Examined group = examine_group(planning_, index_);
      explanation_.fits_with_group = group.has_place;
      if (group.stopped.valid()) {
        // Of room for a pod that is created later the pod tells that was asked about.
        const bool is_room = gang::is_placeholder(planning_.cluster(), group.stopped);
        stopped_by(planning_.pods()[is_room ? index_ : planning_.pods().index_of(group.stopped)], group.examination);
      }
    }
  }

  void stopped_by(const SimulatedPod& stopped, const placement::Examination& examination) {
    show_obstacles(stopped, examination);
    if (simulator::name_of(stopped.workload) != target_.workload) {
      explanation_.not_tried = NotTried::kAnotherMember;
    } else if (trying_ == Trying::kByScheduler) {
      explanation_.not_tried = NotTried::kGroupIsLarge;
    } else {
      explanation_.not_tried = NotTried::kNothing;
      suggest_against(examination);
    }
  }

  void suggest_against(const placement::Examination& examination) {
    const std::vector<UntriedRemedy> untried = candidates(planning_, index_, target_, examination);
    explanation_.suggestions = suggest(planning_, index_, target_, untried, trying_);
  }

  void show_obstacles(const SimulatedPod& subject, const placement::Examination& examination) {
    const placement::Attempt& attempt = examination.decision.attempt;
    if (attempt.pre_filter) {
      for (const Obstacle& obstacle : placement::obstacles_of(*attempt.pre_filter)) {
        if (!explanation_.as_a_whole) explanation_.as_a_whole = summary_of(obstacle);
      }
    }
    explanation_.unclassed = claims_without_class(planning_.cluster().volumes(), subject.pod);
    explanation_.groups = group_nodes(examination.obstacles, planning_.cluster());
    name_tied_volumes(planning_.objects(), subject.pod, explanation_.groups);
    if (attempt.absent.valid() && !attempt.pre_filter) {
      for (const placement::RejectionId rejection : attempt.rejection_by_node) {
        if (!rejection.valid()) ++explanation_.not_considered;
      }
    }
    count_preemptable(subject);
  }

  void count_preemptable(const SimulatedPod& subject) {
    const cluster::Cluster& cluster = planning_.cluster();
    const cluster::PodRecord& record = cluster.pod(subject.id);
    explanation_.may_preempt = record.preemption_policy != kube::PreemptionPolicy::kNever;
    for (std::size_t i = 0; i < cluster.node_count(); ++i) {
      for (const cluster::PodId pod : cluster.pods_on(cluster::NodeId{i})) {
        if (cluster.pod(pod).priority < record.priority && !cluster.pod(pod).reservation.valid())
          ++explanation_.preemptable;
      }
    }
  }

  /// Of a pod that the plan placed, the decision as it was made; of one that was there, where it would go today.
  void on_node() {
    const simulator::WatchedDecision* watched = planning_.watched();
    if (watched != nullptr && watched->subject == index_ && watched->decision.attempt.scheduled()) {
      show(watched->decision.attempt, watched->obstacles);
    } else {
      const placement::Examination examination = planning_.examine(index_);
      show(examination.decision.attempt, examination.obstacles);
    }
  }

  void show(const placement::Attempt& attempt, const std::vector<std::vector<Obstacle>>& obstacles) {
    if (attempt.scheduled() && !attempt.feasible.empty()) {
      explanation_.scores = score_table(attempt, planning_.cluster(), kShownNodes);
    }
    explanation_.groups = group_nodes(obstacles, planning_.cluster());
  }

  simulator::Planning& planning_;
  std::size_t index_;
  Trying trying_;
  Target target_;
  Explanation explanation_;
};

}  // namespace

Trying trying_for(std::size_t pods) { return pods <= kMostPodsToPlanAnew ? Trying::kByPlan : Trying::kByScheduler; }

Explanation explain(simulator::Planning& planning, std::size_t subject, Trying trying) {
  return Explainer(planning, subject, trying).run();
}

}  // namespace loadline::advice
