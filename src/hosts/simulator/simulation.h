#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "brain/admission/admission.h"
#include "brain/cluster/cluster.h"
#include "brain/decision/eviction_text.h"
#include "brain/decision/why_text.h"
#include "brain/engine/admitted_room.h"
#include "brain/engine/dispatcher.h"
#include "brain/workloads/expected_runs.h"
#include "hosts/simulator/awaited_pods.h"
#include "hosts/simulator/disruption.h"
#include "hosts/simulator/extender_notes.h"
#include "hosts/simulator/intake.h"
#include "hosts/simulator/lost_pods.h"
#include "hosts/simulator/plan.h"
#include "hosts/simulator/queued_jobs.h"
#include "hosts/simulator/reserved_room.h"
#include "hosts/simulator/simulated_pods.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// The decision about the pod that PlanOptions::watch names, in full, as it was made.
struct WatchedDecision {
  std::size_t subject = 0;
  placement::Decision decision;
  std::vector<std::vector<placement::Obstacle>> obstacles;  ///< by node, see placement::Examination
};

/// Why there is no room for a pod that is created later.
struct StoppedRoom {
  std::string message;
  std::vector<NodeReason> reasons;  ///< the same, most nodes first
};

/// What was decided about a pod group when it last had a turn.
struct GroupTurn {
  gang::Verdict verdict = gang::Verdict::kStarts;
  std::string message;
  std::size_t fits = 0;
  std::size_t hopeful = 0;
  std::optional<std::size_t> stopped_by;  ///< index into SimulatedPods
  /// What a placeholder was told, if that is what stopped it: room for a pod that is created later.
  std::optional<StoppedRoom> stopped_by_room;
  decision::Unit held_by;  ///< as of SimulatedPod
  std::optional<gang::SearchReport> search;
};

/// The cluster's life in virtual time: the scheduler's queue is worked off, then the clock jumps to the next thing that
/// happens (a victim's grace period ends, a toleration runs out), until nothing happens any more and the pods
/// that are left fail again.
///
/// Invariant: a SimulatedPod with a node is placed on it in the cluster, and the other way round.
class Simulation {
 public:
  /// `made`: what controllers made on the way to pods, and make. `queued`: jobs that queues decide about; null: there
  /// are none. All but the scheduler outlive this.
  Simulation(const kube::Objects& objects, kube::Objects& made, cluster::Cluster& cluster,
             placement::Scheduler scheduler, admission::Admission& admission, SimulatedPods& pods,
             const PlanOptions& options, QueuedJobs* queued);

  /// Runs to the end. Call once.
  void run(Intake intake);

  [[nodiscard]] placement::Scheduler& scheduler() { return dispatcher_.scheduler(); }
  [[nodiscard]] engine::Dispatcher& dispatcher() { return dispatcher_; }
  /// The last decision about the pod that PlanOptions::watch names; nothing if none was made.
  [[nodiscard]] const std::optional<WatchedDecision>& watched() const { return watched_; }
  /// Null: the group had no turn.
  [[nodiscard]] const GroupTurn* last_turn(cluster::GroupId group) const;
  /// Who was evicted for the group as a whole, in words.
  [[nodiscard]] std::vector<EvictedUnit> evicted_for(cluster::GroupId group) const;
  /// Which planned starts the group was let pass when it started.
  [[nodiscard]] std::vector<PassedStart> passed_by(cluster::GroupId group) const;
  /// The planned start of the unit; null: it has none.
  [[nodiscard]] const gang::PlannedStart* planned_start(const decision::Unit& unit) const {
    return dispatcher_.promises().of(unit);
  }
  /// Whose pods have to leave before it, in order of their ends.
  [[nodiscard]] std::vector<cluster::PodId> awaited(const gang::PlannedStart& start) const {
    return dispatcher_.promises().awaited(start);
  }
  [[nodiscard]] Instant began() const { return options_.now; }
  /// "pod group ml/train", "pod ml/dev"; empty: there is no unit.
  [[nodiscard]] std::string title(const decision::Unit& unit) const { return decision::text_of(unit, cluster_); }
  /// Whether the pod waits because its group may not have a turn; its message says why.
  [[nodiscard]] bool is_held_by_group(std::size_t subject) const { return held_by_group_.contains(subject); }
  [[nodiscard]] const std::vector<PlannedEvent>& events() const { return events_; }
  [[nodiscard]] const Diagnostics& notes() const { return notes_; }
  [[nodiscard]] std::size_t cycles() const { return cycles_; }
  [[nodiscard]] const std::vector<RefusedEviction>& refused_evictions() const { return refused_evictions_; }
  [[nodiscard]] const ReservedRoom& room() const { return room_; }
  /// How many replacements were given names, those of PlanOptions::replacements among them.
  [[nodiscard]] std::uint64_t replacements() const { return lost_pods_.replacements(); }

 private:
  enum class EventKind : std::uint8_t { kPodGone, kTolerationEnds, kPodEnds, kEvictionDue };
  /// When, order of making, what, and the subject: a pod, or of kEvictionDue one of PlanOptions::later_evictions.
  using ScheduledEvent = std::tuple<Instant, std::uint64_t, EventKind, std::size_t>;
  /// A replacement that admission has refused so far.
  struct Postponed {
    Arrival arrival;
    std::uint64_t generation;
  };

  [[nodiscard]] std::optional<Instant> next_time() const;
  void open_room_for_queues();
  [[nodiscard]] const kube::OwnerReference* controller_of(const kube::KueueWorkload& workload) const;
  void begin_queues();
  bool follow_queues();
  void carry_out(const QueuedJobs::Orders& orders);
  void start_job(std::size_t job);
  void release_pods(std::size_t job);
  void stop_job(std::size_t job);
  void stop_pod(std::size_t subject, const std::string& why);
  void tell_queued();
  void note_successors(const workloads::WorkloadReference& job, std::size_t first);
  void adopt(Arrival&& arrival, PodOutcome outcome, std::uint64_t generation);
  void start_where_it_says(Arrival&& arrival, PodOutcome outcome, std::uint64_t generation);
  void create(Arrival&& arrival, std::uint64_t generation);
  void enter(std::size_t subject);
  void note_expected_run(const SimulatedPod& subject);
  void find_evictions();
  void find_ends();
  void end(std::size_t subject);
  void happen(EventKind what, std::size_t subject);
  void evict_for_drain(std::span<const std::size_t> unit);
  bool evict_next_together();
  void work_off_queue();
  bool create_awaited();
  void tell_uncreated();
  bool evict_next();
  void refuse_evictions();
  void explain_held_groups();
  void advance();
  bool flush_unschedulable();
  bool release_partial_starts();
  void note_earlier_starts();
  void tell_kept(const std::vector<decision::Eviction>& kept_in_vain);
  void schedule(const decision::Unit& unit);
  void note_turn(const decision::Turn& turn);
  void place(std::size_t subject, cluster::NodeId node);
  void fail(std::size_t subject, const decision::PodTurn& turn);
  void preempt(const decision::PodTurn& turn);
  void evict(cluster::PodId pod);
  void gone(std::size_t subject);
  void tell_for_whom(std::size_t subject);
  void leave_model(std::size_t subject);
  void evict_for_taints(std::size_t subject);
  void replace(std::size_t subject);
  void create_postponed();
  void retry_rejected();
  void reject_postponed();
  [[nodiscard]] bool is_watched(const SimulatedPod& subject) const;
  void add_missing_claims(std::vector<kube::PersistentVolumeClaim> claims);
  void schedule_event(Instant at, EventKind what, std::size_t subject);
  void record(std::size_t subject, std::string_view reason, std::string message);
  void report_progress() const;
  [[nodiscard]] std::string title(std::size_t subject) const;
  [[nodiscard]] std::vector<PassedStart> told(const std::vector<decision::Passing>& passed) const;

  const kube::Objects& objects_;
  kube::Objects& made_;
  cluster::Cluster& cluster_;
  engine::Dispatcher dispatcher_;
  admission::Admission& admission_;
  const PlanOptions& options_;
  DisruptionController disruption_;

  Instant now_;
  SimulatedPods& pods_;
  QueuedJobs* queued_;
  std::optional<engine::AdmittedRoom> admitted_room_;
  LostPods lost_pods_;
  ReservedRoom room_;
  std::optional<WatchedDecision> watched_;
  decision::WhyWords words_{cluster_};
  decision::Turn turn_;  // the last one; its memory is used again
  std::map<cluster::GroupId, GroupTurn> group_turns_;
  std::map<cluster::GroupId, std::vector<EvictedUnit>> evicted_for_;
  std::map<cluster::GroupId, std::vector<PassedStart>> passed_by_;
  std::set<std::size_t> held_by_group_;
  std::set<ScheduledEvent> calendar_;
  std::uint64_t events_scheduled_ = 0;
  std::vector<Postponed> postponed_;
  std::vector<std::size_t> rejected_;  // pods that their controllers try to create again
  AwaitedPods awaited_;
  std::vector<std::size_t> to_evict_;                        // pods that wait for their disruption budgets
  std::vector<std::vector<std::size_t>> together_;           // by PlanOptions::later_evictions
  std::vector<std::vector<std::size_t>> to_evict_together_;  // those of them whose time has come
  std::vector<RefusedEviction> refused_evictions_;
  std::vector<PlannedEvent> events_;
  ExtenderNotes extender_notes_;
  Diagnostics notes_;
  std::size_t cycles_ = 0;
  std::optional<workloads::ExpectedRuns> expected_runs_;  // read on first use
};

}  // namespace loadline::simulator
