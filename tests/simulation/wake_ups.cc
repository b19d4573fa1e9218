#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/decision/unit.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/group_preemption.h"
#include "brain/gang/place.h"
#include "brain/gang/planned_start.h"
#include "brain/placement/scheduler.h"
#include "hosts/operators/registry.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "simulation/drafts.h"
#include "simulation/settled.h"

namespace loadline::simulation {
namespace {

using cluster::PodId;
using decision::Unit;

/// The planned starts of units that wait, judged by a planner that knows the cluster as it is now. Who would move one
/// waits with good reason, although it fits: see engine::StartPromises. That time passes and nothing happens is no
/// event that could wake it, so a planned start that has become impossible meanwhile counts, too.
class PlannedStarts {
 public:
  /// Its arguments outlive it.
  PlannedStarts(cluster::Cluster& model, const engine::Dispatcher& dispatcher, placement::Scheduler& fresh, Instant now)
      : model_(model), dispatcher_(dispatcher), now_(now), planner_(model, fresh, now) {}

  /// Whether the unit moves one of them. REQUIRES: its pods that would start are on their places.
  [[nodiscard]] bool are_moved_by(Unit unit, std::span<const PodId> pods) {
    return std::ranges::any_of(before(unit, pods), [&](const Planned& planned) {
      return !planner_.holds(*planned.second, others_than(planned.first, unit));
    });
  }
  /// Whether one of them needs the node, so that the unit evicts nobody there.
  [[nodiscard]] bool need(cluster::NodeId node, Unit unit, std::span<const PodId> pods) const {
    return std::ranges::any_of(before(unit, pods), [node](const Planned& planned) {
      return std::ranges::find(planned.second->places, node, &gang::Place::node) != planned.second->places.end();
    });
  }

 private:
  using Planned = std::pair<Unit, const gang::PlannedStart*>;

  /// Those that the unit may not move: of its priority or higher, and it is not over by then.
  [[nodiscard]] std::vector<Planned> before(Unit unit, std::span<const PodId> pods) const {
    const std::int32_t priority = priority_of(unit, pods);
    const std::optional<Duration> run = gang::expected_run(model_, pods);
    std::vector<Planned> all = dispatcher_.promises().all();
    std::erase_if(all, [&](const Planned& planned) {
      return planned.first == unit || (run && now_ + *run <= planned.second->at) ||
             priority_of(planned.first, dispatcher_.units().pods(planned.first)) < priority;
    });
    return all;
  }
  /// Those that the planned start is planned around.
  [[nodiscard]] gang::StartPlanner::Others others_than(Unit planned, Unit present) const {
    const std::int32_t priority = priority_of(planned, dispatcher_.units().pods(planned));
    gang::StartPlanner::Others others;
    for (const auto& [other, start] : dispatcher_.promises().all()) {
      if (other == planned || other == present) continue;
      if (priority_of(other, dispatcher_.units().pods(other)) >= priority) others.push_back(start);
    }
    return others;
  }
  [[nodiscard]] std::int32_t priority_of(Unit unit, std::span<const PodId> pods) const {
    if (unit.is_group() && model_.group(unit.group).rules.priority) return *model_.group(unit.group).rules.priority;
    const auto priority = [this](PodId pod) { return model_.pod(pod).priority; };
    return priority(*std::ranges::max_element(pods, {}, priority));
  }

  cluster::Cluster& model_;
  const engine::Dispatcher& dispatcher_;
  Instant now_;
  gang::StartPlanner planner_;
};

/// Whom the recommended policy lets be evicted: a pod that is a victim by its own priority stays if the others of its
/// group could not go on without it, unless they all may leave. A fresh scheduler's decision knows nothing of that.
class GroupGuard {
 public:
  /// Its arguments outlive it.
  GroupGuard(cluster::Cluster& model, placement::Scheduler& fresh, Instant now)
      : model_(model), fresh_(fresh), now_(now) {}

  /// Where room can be made for the pod. REQUIRES: it fits nowhere.
  [[nodiscard]] cluster::NodeId room_for(PodId pod, const placement::Preemption& preemption) {
    const placement::Candidate* chosen = preemption.chosen();
    const gang::Preemptor preemptor = gang::preemptor_of(model_, pod);
    if (chosen == nullptr || gang::may_leave(model_, rules_for(preemptor), chosen->victims)) return preemption.node;
    const gang::TryPlace fits = [&] {
      const placement::Decision decision = fresh_.decide(pod, placement::Detail::kDecision, placement::Search::kNone);
      if (decision.attempt.scheduled()) gang::put(model_, fresh_, {pod, decision.attempt.node});
      return decision.attempt.scheduled();
    };
    const gang::GroupPreemption found = gang::preempt(model_, fresh_, preemptor, rules_for(preemptor), fits);
    return found.places.empty() ? cluster::NodeId{} : found.places.front().node;
  }
  /// Whether the victims that the members chose, each for itself, may leave, and do not all leave anyway: a group holds
  /// no room on a node for that alone, see gang::preempt().
  [[nodiscard]] bool lets_leave(const gang::Preemptor& preemptor, const gang::GroupAttempt& attempt) const {
    std::vector<PodId> victims;
    for (const gang::MemberAttempt& member : attempt.members) {
      const placement::Candidate* chosen = member.decision.preemption.chosen();
      if (chosen != nullptr) victims.insert(victims.end(), chosen->victims.begin(), chosen->victims.end());
    }
    const auto is_leaving = [this](PodId pod) { return model_.pod(pod).terminating; };
    if (!victims.empty() && std::ranges::all_of(victims, is_leaving)) return false;
    return gang::may_leave(model_, rules_for(preemptor), victims);
  }
  /// Where room can be made for a group by evictions of whole groups. REQUIRES: it does not fit.
  [[nodiscard]] std::vector<gang::Place> room_for(const gang::Preemptor& preemptor) {
    const gang::TryPlace fits = [&] {
      const gang::Effort effort{placement::Detail::kDecision, placement::Search::kNone};
      return gang::attempt(model_, fresh_, preemptor.group, preemptor.members, effort).verdict ==
             gang::Verdict::kStarts;
    };
    return gang::preempt(model_, fresh_, preemptor, rules_for(preemptor), fits).places;
  }

 private:
  [[nodiscard]] gang::EvictionRules rules_for(const gang::Preemptor& preemptor) const {
    gang::EvictionRules rules;
    rules.preemptor = preemptor.group;
    rules.priority = preemptor.priority;
    rules.now = now_;
    return rules;
  }

  cluster::Cluster& model_;
  placement::Scheduler& fresh_;
  Instant now_;
};

/// What a fresh scheduler does not know.
struct Limits {
  PlannedStarts starts;
  GroupGuard guard;
};

constexpr const char* kHeld = "units that wait for planned starts";
constexpr const char* kSpares = "units that would have to break up a group";

/// Whether the pod waits for the planned start of another unit, although the attempt found a node.
bool is_held(cluster::Cluster& model, placement::Scheduler& fresh, PlannedStarts& starts, PodId pod,
             const placement::Attempt& attempt) {
  if (attempt.consumes.valid() || attempt.by_nomination) return false;  // it has that room already
  const cluster::Transaction tentatively(model, cluster::Visibility::kSeen);
  gang::put(model, fresh, {pod, attempt.node});
  return starts.are_moved_by(Unit(pod), {&pod, 1});
}

void check_pod(cluster::Cluster& model, placement::Scheduler& fresh, Limits& limits, PodId pod, Observer& observer) {
  const placement::Decision decision = fresh.decide(pod);
  const bool is_nominated = model.pod(pod).nominated.valid();
  if (decision.attempt.scheduled()) {
    if (is_held(model, fresh, limits.starts, pod, decision.attempt)) return observer.note(kHeld);
    observer.report(
        fmt::format("{} was not woken: {} would take it", model.pod_text(pod), model.node_name(decision.attempt.node)));
  } else if (decision.preemption.node.valid() && !is_nominated) {
    const cluster::NodeId node = limits.guard.room_for(pod, decision.preemption);
    if (!node.valid()) return observer.note(kSpares);
    if (limits.starts.need(node, Unit(pod), {&pod, 1})) return observer.note(kHeld);
    observer.report(
        fmt::format("{} was not woken: it could make room on {}", model.pod_text(pod), model.node_name(node)));
  }
}

/// Whether it makes no difference where the first members go. Otherwise what is placed elsewhere may lead the group
/// another way, by chance; nothing is woken for that.
bool starts_in_any_order(const cluster::Cluster& model, const std::vector<PodId>& members) {
  const cluster::PodShape& first = model.shape_of(members.front());
  return std::ranges::all_of(members, [&](PodId pod) {
    const cluster::PodShape& shape = model.shape_of(pod);
    return shape.requests_list == first.requests_list && shape.required_affinity.empty() &&
           shape.required_anti_affinity.empty() && shape.spread.empty() && shape.host_ports.empty() &&
           shape.spec->volumes.empty();
  });
}

/// A group that has its minimum makes room for each of the others by that one's own priority: for the least important,
/// only what all of them may evict leaves.
gang::Preemptor preemptor_of(const cluster::Cluster& model, cluster::GroupId id, std::span<const PodId> members) {
  gang::Preemptor preemptor = gang::preemptor_of(model, id, members);
  const cluster::PodGroup& group = model.group(id);
  const bool has_minimum = static_cast<std::int64_t>(group.placed) >= group.min_count;
  if (!has_minimum || group.rules.priority) return preemptor;
  for (const PodId pod : members) preemptor.priority = std::min(preemptor.priority, model.pod(pod).priority);
  return preemptor;
}

/// The group's attempt found victims, and the cluster is as before it.
void check_room(cluster::Cluster& model, placement::Scheduler& fresh, Limits& limits, std::span<const PodId> members,
                const gang::GroupAttempt& attempt, Observer& observer) {
  const cluster::GroupId id = model.pod(members.front()).group;
  const gang::Preemptor preemptor = preemptor_of(model, id, members);
  std::vector<gang::Place> places;
  if (limits.guard.lets_leave(preemptor, attempt)) {
    if (!gang::starts_after_evictions(model, fresh, id, members, attempt)) return;
    for (const gang::MemberAttempt& member : attempt.members) {
      if (member.nominated.valid()) places.push_back({member.pod, member.nominated});
    }
  } else {
    places = limits.guard.room_for(preemptor);
    if (places.empty()) return observer.note(kSpares);
  }
  const bool takes_planned_places = std::ranges::any_of(
      places, [&](const gang::Place& place) { return limits.starts.need(place.node, Unit(id), members); });
  if (takes_planned_places) return observer.note(kHeld);
  const cluster::NodeId node = places.front().node;
  observer.report(
      fmt::format("group {} was not woken: it could make room on {}", model.group(id).name, model.node_name(node)));
}

/// `members` wait. What the attempt claims is taken back.
void check_group(cluster::Cluster& model, placement::Scheduler& fresh, Limits& limits,
                 const std::vector<PodId>& members, Observer& observer) {
  const cluster::GroupId id = model.pod(members.front()).group;
  const cluster::PodGroup& group = model.group(id);
  if (fresh.gate(members.front())) return observer.note("gangs that wait for members");
  observer.note("gangs that wait for room");
  if (!starts_in_any_order(model, members)) return observer.note("gangs that wait, and may start by chance");
  bool is_hopeful = false;
  for (const PodId pod : members) is_hopeful = is_hopeful || model.pod(pod).nominated.valid();
  cluster::Transaction tentatively(model, cluster::Visibility::kSeen);
  const gang::GroupAttempt attempt = gang::attempt(model, fresh, id, members);
  if (attempt.verdict == gang::Verdict::kStarts) {
    if (limits.starts.are_moved_by(Unit(id), members)) return observer.note(kHeld);
    observer.report(fmt::format("group {} was not woken: it would start", group.name));
  } else if (attempt.verdict == gang::Verdict::kWaitsForRoom && !is_hopeful) {
    tentatively.rollback();
    check_room(model, fresh, limits, members, attempt, observer);
  }
}

}  // namespace

void check_wake_ups(scheduler::LiveClusterModel& model, Instant now, Observer& observer) {
  kube::SchedulerConfiguration configuration;
  kube::SchedulerProfile second;  // its scores differ, and scores wake no pod
  second.scheduler_name = kProfile;
  configuration.profiles.push_back(std::move(second));
  for (const std::string_view name : operators::scheduler_names({})) kube::answer_to(name, configuration);
  Result<placement::Scheduler> fresh = placement::Scheduler::make(model.cluster(), engine::registry(), configuration);
  if (!fresh) return observer.report("a scheduler cannot be made");
  Limits limits{{model.cluster(), model.dispatcher(), *fresh, now}, {model.cluster(), *fresh, now}};
  std::map<cluster::GroupId, std::vector<PodId>> groups;
  for (const auto& [key, pod] : observer.pods()) {
    const scheduler::TrackedPod* tracked = model.find(pod.key());
    if (tracked == nullptr || !tracked->is_waiting) continue;
    observer.note("waiting pods");
    if (pod.view.spec->scheduler_name == kProfile) observer.note("waiting pods of the second scheduler");
    if (const cluster::GroupId group = model.cluster().pod(tracked->id).group; group.valid()) {
      groups[group].push_back(tracked->id);
    } else {
      check_pod(model.cluster(), *fresh, limits, tracked->id, observer);
    }
  }
  for (const auto& [group, members] : groups) check_group(model.cluster(), *fresh, limits, members, observer);
}

}  // namespace loadline::simulation
