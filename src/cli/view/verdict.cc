#include "cli/view/section_text.h"
#include "cli/view/sections.h"
#include "report/words.h"

namespace loadline::cli {
namespace {

using report::counted;

/// "3 pending, 1 rejected": what keeps a plan from being whole.
std::string shortfall(const report::Counts& counts) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view word) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += report::grouped_digits(count) + " " + std::string(word);
  };
  add(counts.pending, "pending");
  add(counts.rejected, "rejected");
  add(counts.ignored, "ignored by every scheduler");
  add(counts.lost, "lost");
  return text;
}

}  // namespace

Lines verdict_section(const PlanView& view) {
  const report::Counts& counts = view.summary.counts;
  const bool unicode = view.terminal.letters == Letters::kUnicode;
  const std::size_t on_nodes = counts.running + counts.placed;
  const std::string nodes = counted(view.summary.nodes, "node");
  Line line;
  if (view.summary.all_placed()) {
    line.add(unicode ? "✓ " : "OK: ", Style::kGood);
    line.add(counted(on_nodes, "pod") + " placed on " + nodes, Style::kBold);
    if (counts.gated > 0) line.add("; " + std::to_string(counts.gated) + " held back by scheduling gates");
    if (counts.preempted + counts.evicted > 0) {
      line.add("; " + counted(counts.preempted + counts.evicted, "pod") + " had to move", Style::kWarn);
    }
  } else {
    line.add(unicode ? "✗ " : "NOT ALL PLACED: ", Style::kBad);
    line.add(shortfall(counts), Style::kBold);
    line.add("; " + counted(on_nodes, "pod") + " placed on " + nodes);
  }
  return {line};
}

}  // namespace loadline::cli
