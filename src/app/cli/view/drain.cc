#include "app/cli/view/drain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/view/section_text.h"
#include "app/report/disturbance.h"
#include "app/report/drain_schedule.h"
#include "app/report/pod_groups.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using simulator::PlannedPod;

constexpr std::size_t kMostRows = 12;  // of one section

/// Whether a pod of a node that is drained is not evicted.
bool is_held_back(const simulator::Comparison& comparison) {
  return !comparison.after.refused_evictions.empty() || unmanaged_pods(comparison) > 0;
}

void add_late_nodes(Lines& lines, const DifferenceView& view) {
  const std::vector<simulator::LateNode>& late = view.comparison.drain_outcome.late;
  const std::size_t shown = std::min(late.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) {
    lines.emplace_back("  " + report::late_node_text(view.comparison, late[i]), Style::kBad);
  }
  note_left_out(lines, late.size() - shown, "more node", view.terminal);
}

void add_leaving_gang(Lines& lines, const DifferenceView& view, std::size_t index) {
  const simulator::LeavingGang& gang = view.comparison.drain_schedule->gangs[index];
  lines.push_back(Line("  ").add(report::group_key(view.comparison.before.groups[gang.group]), Style::kBold));
  add_wrapped(lines, report::leaving_text(view.comparison, gang), 6, view.terminal, Style::kPlain);
  const std::string then = report::afterwards_text(view.comparison, index);
  if (!then.empty()) add_wrapped(lines, then, 6, view.terminal, Style::kDim);
}

/// Those of one reason together; members that a gang has on other nodes, too.
void add_held_by_budgets(Lines& lines, const DifferenceView& view) {
  std::map<std::string, std::map<std::pair<std::string, simulator::WorkloadName>, std::size_t>> reasons;
  for (const simulator::RefusedEviction& entry : view.comparison.after.refused_evictions) {
    const PlannedPod& pod = view.comparison.after.pods[entry.pod];
    ++reasons[entry.message][{pod.node, pod.workload}];
  }
  for (const auto& [reason, pods] : reasons) {
    std::size_t shown = 0;
    for (const auto& [key, count] : pods) {
      if (shown++ == kMostRows) break;
      const std::string name = with_count(report::workload_text(key.second), count, view.terminal);
      lines.push_back(Line("  ").add(name, Style::kBold).add("  on " + key.first));
    }
    note_left_out(lines, pods.size() - std::min(pods.size(), kMostRows), "more line", view.terminal);
    add_wrapped(lines, reason, 6, view.terminal, Style::kPlain);
  }
}

}  // namespace

Lines disturbed_gangs_section(const DifferenceView& view) {
  Lines lines;
  const simulator::Disturbance& disturbance = view.comparison.disturbance;
  if (disturbance.gangs.empty()) return lines;
  begin_section(lines, "GANGS that lose pods", Style::kWarn);
  std::size_t shown = 0;
  for (const simulator::DisturbedGang& gang : disturbance.gangs) {
    if (shown++ == kMostRows) break;
    const std::string name = report::group_key(view.comparison.before.groups[gang.group]);
    lines.push_back(Line("  ").add(name, Style::kBold).add("  " + report::disturbance_text(gang)));
  }
  note_left_to_wide(lines, disturbance.gangs.size() - std::min(disturbance.gangs.size(), kMostRows), "more gang",
                    view.terminal);
  const std::string later = report::cheapest_moment_text(view.comparison);
  if (!later.empty()) lines.emplace_back("  " + later, Style::kDim);
  return lines;
}

Lines drain_schedule_section(const DifferenceView& view) {
  Lines lines;
  if (!view.comparison.drain_schedule) return lines;
  const simulator::DrainSchedule& schedule = *view.comparison.drain_schedule;
  const bool in_time = view.comparison.drain_outcome.late.empty() && !is_held_back(view.comparison);
  begin_section(lines,
                fmt::format("{} by {} (in {})", in_time ? "DRAINED" : "NOT DRAINED", format_rfc3339(schedule.deadline),
                            report::span_text(schedule.deadline - view.comparison.now)),
                in_time ? Style::kWarn : Style::kBad);
  add_late_nodes(lines, view);
  if (!schedule.at_once.empty()) {
    const bool one = schedule.at_once.size() == 1;
    lines.emplace_back(fmt::format("  {} that no gang needs {} at once", counted(schedule.at_once.size(), "pod"),
                                   one ? "leaves" : "leave"));
  } else if (schedule.gangs.empty() && !is_held_back(view.comparison)) {
    lines.emplace_back("  nothing has to leave");
  }
  const std::size_t shown = std::min(schedule.gangs.size(), kMostRows);
  for (std::size_t i = 0; i < shown; ++i) add_leaving_gang(lines, view, i);
  note_left_to_wide(lines, schedule.gangs.size() - shown, "more gang", view.terminal);
  return lines;
}

Lines held_back_section(const DifferenceView& view) {
  Lines lines;
  if (!is_held_back(view.comparison)) return lines;
  begin_section(lines, "CANNOT BE DRAINED", Style::kBad);
  add_held_by_budgets(lines, view);
  for (const simulator::DrainedNode& node : view.comparison.change.drains) {
    for (const simulator::PodName& pod : node.unmanaged) {
      lines.push_back(Line("  ").add("Pod " + pod.name_space + "/" + pod.name, Style::kBold).add("  on " + node.node));
      add_wrapped(lines, "no controller would bring it back: kubectl drain refuses; --force evicts it for good", 6,
                  view.terminal, Style::kPlain);
    }
  }
  return lines;
}

Lines local_data_section(const DifferenceView& view) {
  Lines lines;
  std::vector<std::string> pods;
  for (const simulator::DrainedNode& node : view.comparison.change.drains) {
    for (const simulator::PodName& pod : node.local_data) pods.push_back(pod.name_space + "/" + pod.name);
  }
  if (pods.empty()) return lines;
  begin_section(lines, "LOCAL DATA", Style::kWarn);
  const std::size_t shown = std::min(pods.size(), kMostRows);
  std::string text = fmt::format("{} with an emptyDir, which kubectl drain evicts only with --delete-emptydir-data: {}",
                                 counted(pods.size(), "pod"),
                                 fmt::join(pods.begin(), pods.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  if (shown < pods.size()) text += fmt::format(", {} {} more", ellipsis(view.terminal), pods.size() - shown);
  add_wrapped(lines, text, 2, view.terminal, Style::kPlain);
  return lines;
}

std::size_t unmanaged_pods(const simulator::Comparison& comparison) {
  std::size_t pods = 0;
  for (const simulator::DrainedNode& node : comparison.change.drains) pods += node.unmanaged.size();
  return pods;
}

}  // namespace loadline::cli
