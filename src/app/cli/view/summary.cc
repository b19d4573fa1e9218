#include <fmt/format.h>

#include <algorithm>

#include "app/cli/terminal/bar.h"
#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/amount.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using report::GpuFragmentation;

constexpr std::size_t kUtilisationCells = 20;

Line counts_line(const report::Summary& summary) {
  const report::Counts& counts = summary.counts;
  Line line;
  const auto add = [&](std::size_t count, std::string_view word, Style style) {
    if (count == 0) return;
    if (!line.empty()) line.add(", ");
    line.add(grouped_digits(count) + " " + std::string(word), style);
  };
  add(counts.placed, "placed", Style::kGood);
  add(counts.running, "already running", Style::kGood);
  add(counts.pending, "pending", Style::kBad);
  add(counts.rejected, "rejected", Style::kBad);
  add(summary.refused, summary.refused == 1 ? "object rejected" : "objects rejected", Style::kBad);
  add(counts.ignored, "ignored", Style::kBad);
  add(counts.failed, "failed", Style::kBad);
  add(counts.queued, "queued", Style::kWarn);
  add(counts.not_created, "not created yet", Style::kBad);
  add(counts.preempted, "preempted", Style::kWarn);
  add(counts.evicted, "evicted", Style::kWarn);
  add(counts.gated, "gated", Style::kWarn);
  add(counts.undecided, "not decided", Style::kWarn);
  return line.empty() ? Line("no pods") : line;
}

Lines utilisation_lines(const PlanView& view, const Terminal& terminal) {
  constexpr auto kRight = report::Alignment::kRight;
  Grid grid;
  grid.columns = {{"", {}, 20}, {""}, {"", kRight}, {"", kRight}, {""}, {"", kRight}};
  for (const report::Utilisation& entry : view.summary.resources) {
    grid.rows.push_back({Line(entry.resource), bar(entry.percent(), kUtilisationCells, terminal.letters),
                         report::percent_text(entry.requested, entry.allocatable),
                         report::readable_amount(entry.resource, entry.requested), Line("of"),
                         report::readable_amount(entry.resource, entry.allocatable)});
  }
  return lay_out(grid, terminal);
}

/// Nodes that are out of use for the same reason.
struct Cause {
  std::string text;
  std::int64_t gpus = 0;
  std::vector<report::NodeShare> nodes;
};

std::vector<Cause> causes(const GpuFragmentation& gpus) {
  std::vector<Cause> result;
  for (const report::UnusableGpus& entry : gpus.because) {
    const std::string text = report::unusable_text(entry);
    auto found = std::ranges::find(result, text, &Cause::text);
    if (found == result.end()) found = result.insert(result.end(), {text, 0, {}});
    found->gpus += entry.gpus;
    found->nodes.push_back({entry.node, 1});
  }
  std::ranges::stable_sort(result, std::ranges::greater{}, &Cause::gpus);
  return result;
}

void add_fragmentation(Lines& lines, const GpuFragmentation& gpus, const Terminal& terminal) {
  std::string text = fmt::format("{}: {} free", gpus.resource, grouped_digits(static_cast<std::size_t>(gpus.free)));
  if (gpus.free > 0) text += fmt::format(", at most {} on one node", gpus.largest_free);
  if (gpus.pending_pods > 0 && gpus.free > 0) {
    text += fmt::format("; {} of them usable by what is pending ({} for {})",
                        gpus.unusable == gpus.free ? "none" : std::to_string(gpus.free - gpus.unusable),
                        counted(gpus.pending_pods, "pod"), counted(static_cast<std::size_t>(gpus.wanted), "GPU"));
  }
  add_wrapped(lines, text, 2, terminal, gpus.unusable > 0 ? Style::kWarn : Style::kPlain);
  for (const Cause& cause : causes(gpus)) {
    add_wrapped(lines, fmt::format("{} on {}: {}", cause.gpus, shares_text(cause.nodes, 50, terminal), cause.text), 6,
                terminal, Style::kPlain);
  }
}

}  // namespace

Lines summary_section(const PlanView& view) {
  Lines lines;
  lines.push_back(heading("SUMMARY"));
  lines.push_back(Line("  ").append(counts_line(view.summary)));
  add_indented(lines, utilisation_lines(view, narrowed(view.terminal, 2)), 2);
  for (const GpuFragmentation& gpus : view.summary.gpus) add_fragmentation(lines, gpus, view.terminal);
  return lines;
}

}  // namespace loadline::cli
