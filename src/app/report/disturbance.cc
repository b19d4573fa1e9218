#include "app/report/disturbance.h"

#include <fmt/format.h>

#include <utility>

#include "app/report/amount.h"
#include "app/report/members.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::report {

using document::Array;
using document::Value;
using simulator::Disturbance;
using simulator::DisturbedGang;

namespace {

Value gang_value(const simulator::Comparison& comparison, const DisturbedGang& gang) {
  const simulator::PlannedGroup& group = comparison.before.groups[gang.group];
  Members object;
  object.add("namespace", Value(group.name_space));
  object.add("name", Value(group.name));
  object.add("leaving", number(gang.leaving));
  object.add("members", number(gang.members));
  object.add("losesRun", Value(gang.loses_run));
  object.add("gpuSecondsLost", Value(gang.gpu_seconds));
  if (gang.ends) object.add("expectedEnd", Value(format_rfc3339(*gang.ends)));
  return object.finish();
}

}  // namespace

std::string disturbance_text(const DisturbedGang& gang) {
  const std::size_t staying = gang.members - gang.leaving;
  std::string text;
  if (staying == 0) {
    text = gang.members == 1 ? "its only pod leaves" : fmt::format("all {} leave", counted(gang.members, "pod"));
  } else {
    const std::string_view verb = gang.leaving == 1 ? "leaves" : "leave";
    text = fmt::format("{} of {} {}; ", gang.leaving, counted(gang.members, "pod"), verb);
    const std::string rest = staying == 1 ? "the other one" : fmt::format("the other {}", staying);
    text += rest + (gang.loses_run ? " cannot go on" : staying == 1 ? " goes on" : " go on");
  }
  if (gang.gpu_seconds > 0) text += fmt::format(": {} are lost", gpu_hours_text(gang.gpu_seconds));
  return text;
}

std::string cheapest_moment_text(const simulator::Comparison& comparison) {
  const std::optional<Disturbance::Moment>& later = comparison.disturbance.later;
  if (!later) return {};
  const std::string cost =
      later->gangs == 0 ? std::string("no gang is disturbed then")
                        : fmt::format("{}, {} lost", counted(later->gangs, "gang"), gpu_hours_text(later->gpu_seconds));
  return fmt::format("cheapest at {} (in {}): {}", format_rfc3339(later->at), span_text(later->at - comparison.now),
                     cost);
}

Value disturbance_value(const simulator::Comparison& comparison) {
  const Disturbance& disturbance = comparison.disturbance;
  if (disturbance.gangs.empty()) return {};
  Array gangs;
  for (const DisturbedGang& gang : disturbance.gangs) gangs.push_back(gang_value(comparison, gang));
  Members object;
  object.add("gpuSecondsLost", Value(disturbance.gpu_seconds));
  object.add_list("gangs", std::move(gangs));
  if (disturbance.later) {
    object.add("later", Members()
                            .add("at", Value(format_rfc3339(disturbance.later->at)))
                            .add("gpuSecondsLost", Value(disturbance.later->gpu_seconds))
                            .add("gangs", number(disturbance.later->gangs))
                            .finish());
  }
  return object.finish();
}

}  // namespace loadline::report
