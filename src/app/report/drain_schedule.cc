#include "app/report/drain_schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <utility>
#include <vector>

#include "app/report/amount.h"
#include "app/report/members.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::report {

using document::Array;
using document::Value;
using gang::LeaveReason;
using simulator::Comparison;
using simulator::GangAfterwards;
using simulator::LateNode;
using simulator::LeavingGang;
using simulator::PlannedGroup;

namespace {

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

Value afterwards_value(const GangAfterwards& then) {
  Members object;
  object.add("nodes", node_names_value(then.nodes));
  if (then.at) object.add("at", Value(format_rfc3339(*then.at)));
  if (then.kind == GangAfterwards::Kind::kIsHeld) object.add("heldByBudget", Value(true));
  if (then.kind == GangAfterwards::Kind::kNotBroughtBack) object.add("notBroughtBack", Value(true));
  return object.finish();
}

Value gang_value(const Comparison& comparison, const LeavingGang& gang, const GangAfterwards& then) {
  const PlannedGroup& group = comparison.before.groups[gang.group];
  Members object;
  object.add("namespace", Value(group.name_space));
  object.add("name", Value(group.name));
  object.add("leaves", Value(reason_word(gang.leaves.why)));
  object.add("at", Value(format_rfc3339(gang.leaves.at)));
  object.add("gpuSecondsLost", Value(gang.gpu_seconds));
  object.add("nodes", node_names_value(gang.nodes));
  object.add("pods", pod_names_value(gang.pods));
  if (gang.leaves.why != LeaveReason::kEndsByItself) object.add("then", afterwards_value(then));
  return object.finish();
}

}  // namespace

std::string leaving_text(const Comparison& comparison, const LeavingGang& gang) {
  if (gang.leaves.why == LeaveReason::kEndsByItself) {
    return fmt::format("is left alone: it is expected to end {}", moment_text(comparison, gang.leaves.at));
  }
  const std::string pods =
      gang.pods.size() == 1 ? "its only pod leaves" : fmt::format("all {} leave", counted(gang.pods.size(), "pod"));
  const std::string lost = gang.gpu_seconds > 0 ? gpu_hours_text(gang.gpu_seconds) + " are lost" : "nothing is lost";
  return fmt::format("{} {}{}; {}", pods, moment_text(comparison, gang.leaves.at), reason_text(comparison, gang), lost);
}

std::string afterwards_text(const Comparison& comparison, std::size_t gang) {
  if (comparison.drain_schedule->gangs[gang].leaves.why == LeaveReason::kEndsByItself) return "";
  const GangAfterwards& then = comparison.drain_outcome.gangs[gang];
  switch (then.kind) {
    case GangAfterwards::Kind::kGoesOn:
      return fmt::format("goes on {} on {}", moment_text(comparison, *then.at), fmt::join(then.nodes, ", "));
    case GangAfterwards::Kind::kIsHeld:
      return "a disruption budget keeps it where it is: see CANNOT BE DRAINED";
    case GangAfterwards::Kind::kNotBroughtBack:
      return "no controller brings it back";
    case GangAfterwards::Kind::kWaits:
      break;
  }
  return then.at ? fmt::format("then waits, and starts {}", moment_text(comparison, *then.at))
                 : "then waits, and nobody knows until when";
}

std::string late_node_text(const Comparison& comparison, const LateNode& node) {
  return fmt::format("{} is free {} only", node.node, moment_text(comparison, node.free_at));
}

Value drain_schedule_value(const Comparison& comparison) {
  const simulator::DrainSchedule& schedule = *comparison.drain_schedule;
  Array gangs;
  for (std::size_t i = 0; i < schedule.gangs.size(); ++i) {
    gangs.push_back(gang_value(comparison, schedule.gangs[i], comparison.drain_outcome.gangs[i]));
  }
  Array late;
  for (const LateNode& node : comparison.drain_outcome.late) {
    late.push_back(Members().add("node", Value(node.node)).add("freeAt", Value(format_rfc3339(node.free_at))).finish());
  }
  Members object;
  object.add("deadline", Value(format_rfc3339(schedule.deadline)));
  object.add_list("gangs", std::move(gangs));
  object.add("atOnce", pod_names_value(schedule.at_once));
  object.add_list("late", std::move(late));
  return object.finish();
}

}  // namespace loadline::report
