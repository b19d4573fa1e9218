#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "brain/cluster/transaction.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "brain/engine/unit.h"
#include "brain/gang/group_attempt.h"
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
using engine::Unit;

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
             priority_of(planned.first, dispatcher_.pods_of(planned.first)) < priority;
    });
    return all;
  }
  /// Those that the planned start is planned around.
  [[nodiscard]] gang::StartPlanner::Others others_than(Unit planned, Unit present) const {
    const std::int32_t priority = priority_of(planned, dispatcher_.pods_of(planned));
    gang::StartPlanner::Others others;
    for (const auto& [other, start] : dispatcher_.promises().all()) {
      if (other == planned || other == present) continue;
      if (priority_of(other, dispatcher_.pods_of(other)) >= priority) others.push_back(start);
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

constexpr const char* kHeld = "units that wait for planned starts";

/// Whether the pod waits for the planned start of another unit, although the attempt found a node.
bool is_held(cluster::Cluster& model, placement::Scheduler& fresh, PlannedStarts& starts, PodId pod,
             const placement::Attempt& attempt) {
  if (attempt.consumes.valid() || attempt.by_nomination) return false;  // it has that room already
  const cluster::Transaction tentatively(model, cluster::Visibility::kSeen);
  gang::put(model, fresh, {pod, attempt.node});
  return starts.are_moved_by(Unit(pod), {&pod, 1});
}

void check_pod(cluster::Cluster& model, placement::Scheduler& fresh, PlannedStarts& starts, PodId pod,
               Observer& observer) {
  const placement::Decision decision = fresh.decide(pod);
  const bool is_nominated = model.pod(pod).nominated.valid();
  if (decision.attempt.scheduled()) {
    if (is_held(model, fresh, starts, pod, decision.attempt)) return observer.note(kHeld);
    observer.report(
        fmt::format("{} was not woken: {} would take it", model.pod_text(pod), model.node_name(decision.attempt.node)));
  } else if (decision.preemption.node.valid() && !is_nominated) {
    if (starts.need(decision.preemption.node, Unit(pod), {&pod, 1})) return observer.note(kHeld);
    observer.report(fmt::format("{} was not woken: it could make room on {}", model.pod_text(pod),
                                model.node_name(decision.preemption.node)));
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

/// `members` wait. What the attempt claims is taken back.
void check_group(cluster::Cluster& model, placement::Scheduler& fresh, PlannedStarts& starts,
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
    if (starts.are_moved_by(Unit(id), members)) return observer.note(kHeld);
    observer.report(fmt::format("group {} was not woken: it would start", group.name));
  } else if (attempt.verdict == gang::Verdict::kWaitsForRoom && !is_hopeful) {
    tentatively.rollback();
    const bool takes_planned_places = std::ranges::any_of(attempt.members, [&](const gang::MemberAttempt& member) {
      return member.nominated.valid() && starts.need(member.nominated, Unit(id), members);
    });
    if (takes_planned_places) return observer.note(kHeld);
    if (!gang::starts_after_evictions(model, fresh, id, members, attempt)) return;
    observer.report(fmt::format("group {} was not woken: it could make room", group.name));
  }
}

}  // namespace

void check_wake_ups(control::LiveClusterModel& model, Instant now, Observer& observer) {
  kube::SchedulerConfiguration configuration;
  kube::SchedulerProfile second;  // its scores differ, and scores wake no pod
  second.scheduler_name = kProfile;
  configuration.profiles.push_back(std::move(second));
  for (const std::string_view name : operators::scheduler_names({})) kube::answer_to(name, configuration);
  Result<placement::Scheduler> fresh = placement::Scheduler::make(model.cluster(), engine::registry(), configuration);
  if (!fresh) return observer.report("a scheduler cannot be made");
  PlannedStarts starts(model.cluster(), model.dispatcher(), *fresh, now);
  std::map<cluster::GroupId, std::vector<PodId>> groups;
  for (const auto& [key, pod] : observer.pods()) {
    const control::TrackedPod* tracked = model.find(pod.key());
    if (tracked == nullptr || !tracked->is_waiting) continue;
    observer.note("waiting pods");
    if (pod.view.spec->scheduler_name == kProfile) observer.note("waiting pods of the second scheduler");
    if (const cluster::GroupId group = model.cluster().pod(tracked->id).group; group.valid()) {
      groups[group].push_back(tracked->id);
    } else {
      check_pod(model.cluster(), *fresh, starts, tracked->id, observer);
    }
  }
  for (const auto& [group, members] : groups) check_group(model.cluster(), *fresh, starts, members, observer);
}

}  // namespace loadline::simulation
