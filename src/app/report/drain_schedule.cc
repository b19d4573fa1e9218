#include "app/report/drain_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "app/report/amount.h"
#include "app/report/members.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::report {

using document::Array;
using document::Value;
using gang::LeaveReason;
using simulator::Comparison;
using simulator::LeavingGang;
using simulator::PlannedGroup;
using simulator::PlannedPod;
using simulator::PodOutcome;

namespace {

const PlannedGroup& group_of(const Comparison& comparison, const LeavingGang& gang) {
  return comparison.before.groups[gang.group];
}

bool is_member(const PlannedPod& pod, const PlannedGroup& group) {
  return pod.pod_group == group.name && pod.name_space == group.name_space && pod.pod_group_spelling == group.spelling;
}

std::string moment_text(const Comparison& comparison, Instant at) {
  if (at <= comparison.now) return "at once";
  return fmt::format("at {} (in {})", format_rfc3339(at), span_text(at - comparison.now));
}

std::string_view reason_word(LeaveReason reason) {
  switch (reason) {
    case LeaveReason::kNotStarted:
      return "NotStarted";
    case LeaveReason::kEndsByItself:
      return "EndsByItself";
    case LeaveReason::kAfterCheckpoint:
      return "AfterCheckpoint";
    case LeaveReason::kNoCheckpointInTime:
      return "NoCheckpointInTime";
    case LeaveReason::kAtTheLatest:
      return "AtTheLatest";
  }
  return "";
}

std::string reason_text(const Comparison& comparison, const LeavingGang& gang) {
  switch (gang.leaves.why) {
    case LeaveReason::kNotStarted:
      return ", for it does not run yet";
    case LeaveReason::kAfterCheckpoint:
      return gang.leaves.at > comparison.now ? ", right after the checkpoint that is due then"
                                             : ", for its work is saved";
    case LeaveReason::kNoCheckpointInTime:
      return ", for its next checkpoint is due too late";
    case LeaveReason::kAtTheLatest:
      return ", as late as its grace period allows: when it saves its work next is not known";
    case LeaveReason::kEndsByItself:
      break;
  }
  return "";
}

bool is_held(const Comparison& comparison, const LeavingGang& gang) {
  return std::ranges::any_of(comparison.after.refused_evictions, [&](const simulator::RefusedEviction& refused) {
    const PlannedPod& pod = comparison.after.pods[refused.pod];
    return std::ranges::find(gang.pods, simulator::PodName{pod.name_space, pod.name}) != gang.pods.end();
  });
}

Value pod_names_value(const std::vector<simulator::PodName>& pods) {
  Array array;
  for (const simulator::PodName& pod : pods) array.emplace_back(pod.name_space + '/' + pod.name);
  return Value(std::move(array));
}

Value node_names_value(const std::vector<std::string>& texts) {
  Array array;
  for (const std::string& text : texts) array.emplace_back(text);
  return Value(std::move(array));
}

Value gang_value(const Comparison& comparison, const LeavingGang& gang) {
  const PlannedGroup& group = group_of(comparison, gang);
  Members object;
  object.add("namespace", Value(group.name_space));
  object.add("name", Value(group.name));
  object.add("leaves", Value(reason_word(gang.leaves.why)));
  object.add("at", Value(format_rfc3339(gang.leaves.at)));
  object.add("gpuSecondsLost", Value(gang.gpu_seconds));
  object.add("nodes", node_names_value(gang.nodes));
  object.add("pods", pod_names_value(gang.pods));
  if (gang.leaves.why == LeaveReason::kEndsByItself) return object.finish();
  const GangAfterwards then = afterwards(comparison, gang);
  Members afterwards;
  afterwards.add("nodes", node_names_value(then.nodes));
  if (then.at) afterwards.add("at", Value(format_rfc3339(*then.at)));
  if (then.is_held) afterwards.add("heldByBudget", Value(true));
  object.add("then", afterwards.finish());
  return object.finish();
}

}  // namespace

GangAfterwards afterwards(const Comparison& comparison, const LeavingGang& gang) {
  const PlannedGroup& group = group_of(comparison, gang);
  GangAfterwards result;
  result.is_held = is_held(comparison, gang);
  if (result.is_held) return result;
  std::set<std::string> nodes;
  bool waits = false;
  for (const PlannedPod& pod : comparison.after.pods) {
    if (!is_member(pod, group)) continue;
    if (pod.outcome == PodOutcome::kPending) waits = true;
    if (pod.outcome != PodOutcome::kPlaced) continue;
    nodes.insert(pod.node);
    const Instant at = comparison.now + pod.after;
    result.at = result.at ? std::max(*result.at, at) : at;
  }
  if (!waits) {
    result.nodes.assign(nodes.begin(), nodes.end());
    return result;
  }
  result.at.reset();
  for (const PlannedGroup& after : comparison.after.groups) {
    const bool is_it =
        after.name == group.name && after.name_space == group.name_space && after.spelling == group.spelling;
    if (is_it && after.start) result.at = after.start->at;
  }
  return result;
}

std::string leaving_text(const Comparison& comparison, const LeavingGang& gang) {
  if (gang.leaves.why == LeaveReason::kEndsByItself) {
    return fmt::format("is left alone: it is expected to end {}", moment_text(comparison, gang.leaves.at));
  }
  const std::string pods =
      gang.pods.size() == 1 ? "its only pod leaves" : fmt::format("all {} leave", counted(gang.pods.size(), "pod"));
  const std::string lost = gang.gpu_seconds > 0 ? gpu_hours_text(gang.gpu_seconds) + " are lost" : "nothing is lost";
  return fmt::format("{} {}{}; {}", pods, moment_text(comparison, gang.leaves.at), reason_text(comparison, gang), lost);
}

std::string afterwards_text(const Comparison& comparison, const LeavingGang& gang) {
  if (gang.leaves.why == LeaveReason::kEndsByItself) return "";
  const GangAfterwards then = afterwards(comparison, gang);
  if (then.is_held) return "a disruption budget keeps it where it is: see CANNOT BE DRAINED";
  if (!then.nodes.empty()) {
    return fmt::format("goes on {} on {}", moment_text(comparison, *then.at), fmt::join(then.nodes, ", "));
  }
  return then.at ? fmt::format("then waits, and starts {}", moment_text(comparison, *then.at))
                 : "then waits, and nobody knows until when";
}

Value drain_schedule_value(const Comparison& comparison) {
  const simulator::DrainSchedule& schedule = *comparison.drain_schedule;
  Array gangs;
  for (const LeavingGang& gang : schedule.gangs) gangs.push_back(gang_value(comparison, gang));
  Members object;
  object.add("deadline", Value(format_rfc3339(schedule.deadline)));
  object.add_list("gangs", std::move(gangs));
  object.add("atOnce", pod_names_value(schedule.at_once));
  return object.finish();
}

}  // namespace loadline::report
