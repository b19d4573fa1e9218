#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using report::WorkloadReport;
using simulator::PodOutcome;

constexpr std::size_t kMostWorkloadRows = 40;

Line mark(const simulator::Plan& plan, const WorkloadReport& workload, const Terminal& terminal) {
  const bool unicode = terminal.letters == Letters::kUnicode;
  const bool is_undecided =
      std::ranges::any_of(workload.pods, [&](std::size_t pod) { return !plan.pods[pod].undecided.empty(); }) ||
      std::ranges::any_of(plan.undecided, [&](const auto& each) { return each.workload == workload.name; });
  if (is_undecided && workload.complete()) return {"?", Style::kWarn};
  if (workload.complete()) return {unicode ? "✓" : "ok", Style::kGood};
  const bool only_gated =
      std::ranges::all_of(workload.groups, [](const auto& group) { return group.outcome == PodOutcome::kGated; });
  if (only_gated) return {"~", Style::kWarn};
  return {unicode ? "✗" : "!!", Style::kBad};
}

/// "running", "placed after 30s", or every outcome with its count if they differ.
Line state(const simulator::Plan& plan, const WorkloadReport& workload) {
  constexpr std::array kOrder = {PodOutcome::kRunning,   PodOutcome::kPlaced,    PodOutcome::kPending,
                                 PodOutcome::kRejected,  PodOutcome::kIgnored,   PodOutcome::kFailed,
                                 PodOutcome::kPreempted, PodOutcome::kEvicted,   PodOutcome::kGated,
                                 PodOutcome::kQueued,    PodOutcome::kNotCreated};
  if (workload.pods.empty()) return {"wants no pods", Style::kDim};
  std::array<std::size_t, kOrder.size()> counts{};
  for (const std::size_t pod : workload.pods) {
    const auto at = std::ranges::find(kOrder, plan.pods[pod].outcome);
    ++counts[static_cast<std::size_t>(at - kOrder.begin())];
  }
  Line line;
  for (std::size_t i = 0; i < kOrder.size(); ++i) {
    if (counts[i] == 0) continue;
    std::string word(report::outcome_word(kOrder[i]));
    word[0] = static_cast<char>(word[0] - 'A' + 'a');
    if (kOrder[i] == PodOutcome::kNotCreated) word = "not created yet";
    const Style style = i < 2 ? Style::kPlain : i < 6 ? Style::kBad : Style::kWarn;
    if (!line.empty()) line.add(", ");
    line.add(counts[i] == workload.pods.size() ? word : grouped_digits(counts[i]) + " " + word, style);
    if (kOrder[i] == PodOutcome::kPlaced && workload.longest_wait > Duration{}) {
      line.add(" after " + report::span_text(workload.longest_wait), Style::kDim);
    }
  }
  return line;
}

std::string where(const PlanView& view, const WorkloadReport& workload, std::size_t width) {
  const std::size_t nodes = workload.nodes.size();
  if (nodes > 3 && nodes == view.plan.nodes.size() && nodes == workload.on_nodes) {
    return fmt::format("one on each of the {} nodes", grouped_digits(nodes));
  }
  return shares_text(workload.nodes, width, view.terminal);
}

bool is_bare_pod(const WorkloadReport& workload) { return workload.name.kind == "Pod"; }

/// The rows of the section before any is left out. Many bare pods would fill the screen, each saying the same.
std::vector<WorkloadReport> all_rows(const PlanView& view, Detail detail) {
  const auto bare = static_cast<std::size_t>(std::ranges::count_if(view.workloads, is_bare_pod));
  if (detail == Detail::kFull || bare <= kMostWorkloadRows) return view.workloads;
  return report::with_bare_pods_together(view.plan, view.workloads);
}

/// "default/web", or for bare pods that share a row "default/* ×7188".
std::string name_text(const WorkloadReport& workload, const Terminal& terminal) {
  const std::string name = workload.name.name_space + "/" + workload.name.name;
  return is_bare_pod(workload) ? with_count(name, workload.pods.size(), terminal) : name;
}

/// The workloads to show: all, or, when that is too much, those in trouble first.
std::vector<const WorkloadReport*> selected(const std::vector<WorkloadReport>& all, Detail detail) {
  std::vector<const WorkloadReport*> rows;
  rows.reserve(all.size());
  for (const WorkloadReport& workload : all) rows.push_back(&workload);
  if (detail == Detail::kFull || rows.size() <= kMostWorkloadRows) return rows;
  std::ranges::stable_sort(
      rows, {}, [](const WorkloadReport* workload) { return std::pair(workload->complete(), is_bare_pod(*workload)); });
  rows.resize(kMostWorkloadRows);
  return rows;
}

}  // namespace

Lines workloads_section(const PlanView& view, Detail detail) {
  const Terminal terminal = narrowed(view.terminal, 2);
  Grid grid;
  grid.columns = {{""}, {"WORKLOAD", {}, 24}, {"PODS", report::Alignment::kRight}, {"STATE"}, {"WHERE", {}, 20}};
  const std::vector<WorkloadReport> all = all_rows(view, detail);
  if (all.empty()) return {};
  const std::vector<const WorkloadReport*> rows = selected(all, detail);
  std::size_t widest = 0;
  for (const WorkloadReport* workload : rows) {
    widest = std::max(widest, report::workload_text(workload->name).size());
  }
  const std::size_t room = std::max<std::size_t>(40, terminal.width - std::min(terminal.width, widest + 28));
  const auto add_row = [&](const WorkloadReport& row, Line mark, Line name) {
    grid.rows.push_back({std::move(mark), std::move(name),
                         grouped_digits(row.on_nodes) + "/" + grouped_digits(row.wanted), state(view.plan, row),
                         where(view, row, room)});
  };
  for (const WorkloadReport* workload : rows) {
    add_row(*workload, mark(view.plan, *workload, terminal),
            Line(workload->name.kind + " ", Style::kDim).add(name_text(*workload, terminal)));
    for (const WorkloadReport& role : workload->roles) add_row(role, {}, {"  " + role.name.name});
  }
  Lines lines;
  lines.push_back(heading("WORKLOADS"));
  add_indented(lines, lay_out(grid, terminal), 2);
  if (rows.size() < all.size()) {
    const std::size_t left = all.size() - rows.size();
    const auto complete = std::ranges::count_if(all, &WorkloadReport::complete);
    const std::size_t shown_complete =
        static_cast<std::size_t>(std::ranges::count_if(rows, [](const auto* row) { return row->complete(); }));
    lines.emplace_back(fmt::format("  {} and {}, {} of them complete (-o wide shows every pod)", ellipsis(terminal),
                                   counted(left, "more workload"),
                                   grouped_digits(static_cast<std::size_t>(complete) - shown_complete)),
                       Style::kDim);
  }
  return lines;
}

Lines idle_section(const PlanView& view) {
  Lines lines;
  for (const WorkloadReport& workload : view.workloads) {
    if (!workload.pods.empty()) continue;
    if (lines.empty()) lines.push_back(heading("WITHOUT PODS"));
    lines.emplace_back("  " + report::workload_text(workload.name));
  }
  return lines;
}

}  // namespace loadline::cli
