#include "app/report/pod_groups.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using simulator::GroupOutcome;
using simulator::PlannedGroup;

constexpr std::size_t kMostPodGroups = 20;  // shown when brief
constexpr std::size_t kMostDomains = 8;     // of a group

Line mark(const PlannedGroup& group, const Terminal& terminal) {
  const bool unicode = terminal.letters == Letters::kUnicode;
  if (group.outcome == GroupOutcome::kStarted) return {unicode ? "✓ " : "ok ", Style::kGood};
  const bool only_waits_for_its_author = group.outcome == GroupOutcome::kHeld && group.members == group.gated;
  if (only_waits_for_its_author) return {unicode ? "~ " : "~  ", Style::kWarn};
  return {unicode ? "✗ " : "!! ", Style::kBad};
}

}  // namespace

Lines pod_group_lines(const PlannedGroup& group, const Terminal& terminal, GroupReason reason) {
  const report::GroupText text = report::group_text(group);
  const bool has_more = reason == GroupReason::kInFull && !text.reason.empty();
  Lines lines = {Line("  ").append(mark(group, terminal)).add(report::group_key(group), Style::kBold)};
  lines.front().add("  " + text.headline + (has_more ? ":" : ""));
  if (has_more) add_wrapped(lines, text.reason, 6, terminal, Style::kPlain);
  const std::vector<std::string> map = report::group_map(group);
  const std::size_t shown = reason == GroupReason::kInFull ? std::min(map.size(), kMostDomains) : 0;
  for (std::size_t i = 0; i < shown; ++i) lines.emplace_back("      " + map[i], Style::kDim);
  if (shown < map.size() && shown > 0) {
    lines.emplace_back(fmt::format("      {} {}", ellipsis(terminal), counted(map.size() - shown, "more domain")),
                       Style::kDim);
  }
  return lines;
}

Lines pod_groups_section(const PlanView& view, Detail detail) {
  std::vector<const PlannedGroup*> groups;
  for (const PlannedGroup& group : view.plan.groups) {
    if (view.scope.shows(group)) groups.push_back(&group);
  }
  if (groups.empty()) return {};
  std::ranges::stable_sort(groups, {},
                           [](const PlannedGroup* group) { return group->outcome == GroupOutcome::kStarted; });
  const std::size_t shown = detail == Detail::kFull ? groups.size() : std::min(groups.size(), kMostPodGroups);
  Lines lines = {heading("POD GROUPS")};
  for (std::size_t i = 0; i < shown; ++i) {
    const Lines more = pod_group_lines(*groups[i], view.terminal);
    lines.insert(lines.end(), more.begin(), more.end());
  }
  if (shown < groups.size()) {
    const auto waiting = std::count_if(groups.begin() + static_cast<std::ptrdiff_t>(shown), groups.end(),
                                       [](const auto* group) { return group->outcome != GroupOutcome::kStarted; });
    lines.emplace_back(fmt::format("  {} and {}, {} of them waiting (-o wide shows every one)", ellipsis(view.terminal),
                                   counted(groups.size() - shown, "more group"), waiting),
                       Style::kDim);
  }
  return lines;
}

}  // namespace loadline::cli
