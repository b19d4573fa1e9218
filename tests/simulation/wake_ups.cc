#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "brain/cluster/transaction.h"
#include "brain/engine/registry.h"
#include "brain/gang/group_attempt.h"
#include "brain/placement/scheduler.h"
#include "hosts/operators/registry.h"
#include "objects/kube/config/scheduler_configuration.h"
#include "simulation/drafts.h"
#include "simulation/settled.h"

namespace loadline::simulation {
namespace {

using cluster::PodId;

void check_pod(cluster::Cluster& model, placement::Scheduler& fresh, PodId pod, Observer& observer) {
  const placement::Decision decision = fresh.decide(pod);
  const bool is_nominated = model.pod(pod).nominated.valid();
  if (decision.attempt.scheduled()) {
    observer.report(
        fmt::format("{} was not woken: {} would take it", model.pod_text(pod), model.node_name(decision.attempt.node)));
  } else if (decision.preemption.node.valid() && !is_nominated) {
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
void check_group(cluster::Cluster& model, placement::Scheduler& fresh, const std::vector<PodId>& members,
                 Observer& observer) {
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
    observer.report(fmt::format("group {} was not woken: it would start", group.name));
  } else if (attempt.verdict == gang::Verdict::kWaitsForRoom && !is_hopeful) {
    tentatively.rollback();
    if (!gang::starts_after_evictions(model, fresh, id, members, attempt)) return;
    observer.report(fmt::format("group {} was not woken: it could make room", group.name));
  }
}

}  // namespace

void check_wake_ups(control::LiveClusterModel& model, Observer& observer) {
  kube::SchedulerConfiguration configuration;
  kube::SchedulerProfile second;  // its scores differ, and scores wake no pod
  second.scheduler_name = kProfile;
  configuration.profiles.push_back(std::move(second));
  for (const std::string_view name : operators::scheduler_names({})) kube::answer_to(name, configuration);
  Result<placement::Scheduler> fresh = placement::Scheduler::make(model.cluster(), engine::registry(), configuration);
  if (!fresh) return observer.report("a scheduler cannot be made");
  std::map<cluster::GroupId, std::vector<PodId>> groups;
  for (const auto& [key, pod] : observer.pods()) {
    const control::TrackedPod* tracked = model.find(pod.key());
    if (tracked == nullptr || !tracked->is_waiting) continue;
    observer.note("waiting pods");
    if (pod.view.spec->scheduler_name == kProfile) observer.note("waiting pods of the second scheduler");
    if (const cluster::GroupId group = model.cluster().pod(tracked->id).group; group.valid()) {
      groups[group].push_back(tracked->id);
    } else {
      check_pod(model.cluster(), *fresh, tracked->id, observer);
    }
  }
  for (const auto& [group, members] : groups) check_group(model.cluster(), *fresh, members, observer);
}

}  // namespace loadline::simulation
