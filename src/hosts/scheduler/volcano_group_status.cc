#include "hosts/scheduler/volcano_group_status.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "foundation/document/at.h"
#include "hosts/watching/identity.h"
#include "objects/kube/encoder.h"
#include "objects/kube/volcano/pod_group_schema.h"

namespace loadline::scheduler {
namespace {

using document::Object;
using document::Value;

std::int64_t ready(const TaskCounts& tasks) {
  return tasks[TaskStatus::kBinding] + tasks[TaskStatus::kBound] + tasks[TaskStatus::kRunning] +
         tasks[TaskStatus::kSucceeded];
}

/// "1 Schedulable, 2 Unschedulable": in the order of the texts, as Volcano has it.
std::string sorted_list(std::vector<std::string> parts) {
  std::ranges::sort(parts);
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string histogram(const TaskCounts& tasks, std::int32_t min_member) {
  std::vector<std::string> parts{fmt::format("{} minAvailable", min_member)};
  for (std::size_t i = 0; i < tasks.counts.size(); ++i) {
    if (tasks.counts[i] > 0) parts.push_back(fmt::format("{} {}", tasks.counts[i], kTaskStatusNames[i]));
  }
  return sorted_list(std::move(parts));
}

/// "pod group is not ready, 3 Pending, 3 minAvailable; Pending: 1 Unschedulable, 2 Schedulable. Origin reason is p2:
/// …".
std::string fit_error(const VolcanoGroupFacts& facts, std::int64_t schedulable, std::int32_t min_member) {
  std::string text = "pod group is not ready, " + histogram(facts.tasks, min_member);
  const std::int64_t pending = facts.tasks[TaskStatus::kPending];
  std::vector<std::string> reasons;
  if (schedulable > 0) reasons.push_back(fmt::format("{} Schedulable", schedulable));
  if (pending > schedulable) reasons.push_back(fmt::format("{} Unschedulable", pending - schedulable));
  if (!reasons.empty()) text += "; Pending: " + sorted_list(std::move(reasons));
  if (!facts.origin.empty()) text += ". Origin reason is" + facts.origin;
  return text;
}

kube::VolcanoGroupCondition unschedulable(const VolcanoGroupFacts& facts, std::int32_t min_member) {
  const std::int64_t schedulable = std::min(facts.fits, facts.tasks[TaskStatus::kPending]);
  kube::VolcanoGroupCondition condition;
  condition.type = "Unschedulable";
  condition.reason = "NotEnoughResources";
  condition.message =
      fmt::format("{}/{} tasks in gang unschedulable: {}", min_member - ready(facts.tasks) - schedulable,
                  facts.tasks.all(), fit_error(facts, schedulable, min_member));
  return condition;
}

kube::VolcanoGroupCondition scheduled() {
  kube::VolcanoGroupCondition condition;
  condition.type = "Scheduled";
  condition.reason = "tasks in gang are ready to be scheduled";
  return condition;
}

/// A session is all that is looked at in one instant: a UUID of version 7, with nanoseconds in place of random bits.
std::string session_id(Instant now) {
  const auto milliseconds = static_cast<std::uint64_t>(now.nanoseconds / 1'000'000);
  const auto rest = static_cast<std::uint64_t>(now.nanoseconds % 1'000'000);
  return fmt::format("{:08x}-{:04x}-7{:03x}-8000-{:012x}", milliseconds >> 16, milliseconds & 0xffff, rest >> 8,
                     rest & 0xff);
}

void set_condition(kube::VolcanoGroupStatus& status, kube::VolcanoGroupCondition condition, Instant now) {
  condition.status = "True";
  condition.transition_id = session_id(now);
  condition.last_transition_time = now;
  const auto found = std::ranges::find(status.conditions, condition.type, &kube::VolcanoGroupCondition::type);
  if (found == status.conditions.end()) {
    status.conditions.push_back(std::move(condition));
  } else {
    *found = std::move(condition);
  }
}

const char* phase_of(const TaskCounts& tasks, std::int32_t min_member, bool is_ready) {
  if (tasks[TaskStatus::kRunning] > 0 && !is_ready) return "Unknown";
  const std::int64_t completed = tasks[TaskStatus::kSucceeded] + tasks[TaskStatus::kFailed];
  const std::int64_t scheduled = tasks[TaskStatus::kRunning] + tasks[TaskStatus::kBound] + completed;
  if (scheduled < std::max(min_member, 1)) return "Inqueue";
  return scheduled == completed ? "Completed" : "Running";
}

bool is_same_condition(const kube::VolcanoGroupCondition& a, const kube::VolcanoGroupCondition& b) {
  return a.type == b.type && a.status == b.status && a.reason == b.reason && a.message == b.message;
}

bool is_same_status(const kube::VolcanoGroupStatus& a, const kube::VolcanoGroupStatus& b) {
  return a.phase == b.phase && a.running == b.running && a.succeeded == b.succeeded && a.failed == b.failed &&
         std::ranges::equal(a.conditions, b.conditions, is_same_condition);
}

}  // namespace

kube::VolcanoGroupStatus status_of(const kube::VolcanoPodGroup& group, const VolcanoGroupFacts& facts, Instant now) {
  const TaskCounts& tasks = facts.tasks;
  const bool is_ready = ready(tasks) >= group.min_member;
  kube::VolcanoGroupStatus status = group.status;
  if (tasks.all() > 0) set_condition(status, is_ready ? scheduled() : unschedulable(facts, group.min_member), now);
  status.phase = phase_of(tasks, group.min_member, is_ready);
  status.running = static_cast<std::int32_t>(tasks[TaskStatus::kRunning]);
  status.succeeded = static_cast<std::int32_t>(tasks[TaskStatus::kSucceeded]);
  status.failed = static_cast<std::int32_t>(tasks[TaskStatus::kFailed]);
  return status;
}

std::vector<watching::Action> say_group_status(const watching::Observed<kube::VolcanoPodGroup>& group,
                                               const VolcanoGroupFacts& facts, Instant now) {
  kube::VolcanoPodGroup wanted = group.view;
  wanted.status = status_of(group.view, facts, now);
  if (is_same_status(wanted.status, group.view.status)) return {};
  Value status = document::value_at(kube::encode_object(kube::kVolcanoPodGroupSchema, &wanted), {"status"});
  for (const char* count : {"running", "succeeded", "failed"}) {
    if (status.find(count) == nullptr) status = std::move(status).with(count, Value());  // a patch takes it away
  }
  Value guard(watching::identity(group));
  return {watching::patch(watching::kind_name<kube::VolcanoPodGroup>(), group.key(), kube::PatchType::kMerge,
                          Value(Object{{"metadata", std::move(guard), {}}, {"status", std::move(status), {}}}))};
}

}  // namespace loadline::scheduler
