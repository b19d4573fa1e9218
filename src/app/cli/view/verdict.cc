#include <fmt/format.h>

#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

/// "3 pending, 1 rejected": what keeps a plan from being whole.
std::string shortfall(const report::Summary& summary) {
  const report::Counts& counts = summary.counts;
  std::string text;
  const auto add = [&](std::size_t count, std::string_view word) {
    if (count == 0) return;
    if (!text.empty()) text += ", ";
    text += grouped_digits(count) + " " + std::string(word);
  };
  add(counts.pending, "pending");
  add(counts.rejected, "rejected");
  add(counts.failed, counts.failed == 1 ? "refused by its kubelet" : "refused by their kubelets");
  if (summary.refused > 0) add(summary.refused, summary.refused == 1 ? "object rejected" : "objects rejected");
  add(counts.ignored, "ignored by every scheduler");
  add(counts.queued, "waiting in queues");
  add(counts.not_created, "not created yet");
  add(counts.lost, "lost");
  add(summary.unreserved, summary.unreserved == 1 ? "pod's room not held" : "pods' room not held");
  add(counts.undecided, "not decided");
  if (summary.undecided > 0) {
    add(summary.undecided, summary.undecided == 1 ? "workload not decided" : "workloads not decided");
  }
  return text;
}

std::string nodes_share(std::size_t on_nodes, std::size_t wanted) {
  return fmt::format("{} of {} {} a node", grouped_digits(on_nodes), counted(wanted, "pod"),
                     wanted == 1 ? "has" : "have");
}

}  // namespace

Lines verdict_section(const PlanView& view) {
  const report::Counts& counts = view.summary.counts;
  const bool unicode = view.terminal.letters == Letters::kUnicode;
  const std::size_t on_nodes = counts.running + counts.placed;
  Line line;
  if (view.summary.all_placed()) {
    line.add(unicode ? "✓ " : "OK: ", Style::kGood);
    if (on_nodes == 0) {
      line.add("no pods to place", Style::kBold).add(": " + counted(view.summary.nodes, "node"));
    } else {
      line.add("every pod has a node", Style::kBold)
          .add(fmt::format(": {}, {}", counted(on_nodes, "pod"), counted(view.summary.nodes, "node")));
    }
    if (counts.gated > 0) line.add("; " + std::to_string(counts.gated) + " held back by scheduling gates");
    if (counts.preempted + counts.evicted > 0) {
      line.add("; " + counted(counts.preempted + counts.evicted, "pod") + " had to move", Style::kWarn);
    }
  } else if (view.summary.all_would_be_placed()) {
    line.add(unicode ? "? " : "NOT DECIDED: ", Style::kWarn).add(shortfall(view.summary), Style::kBold);
    line.add(": their queues are other projects'");
    if (on_nodes > 0) line.add(fmt::format("; {} would have a node", counted(on_nodes, "pod")));
  } else {
    line.add(unicode ? "✗ " : "NOT ALL PLACED: ", Style::kBad);
    line.add(shortfall(view.summary), Style::kBold);
    std::size_t wanted = 0;
    for (const report::WorkloadReport& workload : view.workloads) wanted += workload.wanted;
    if (wanted > 0) line.add("; " + nodes_share(on_nodes, wanted));
  }
  return {line};
}

}  // namespace loadline::cli
