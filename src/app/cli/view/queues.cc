#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/queues_document.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using simulator::PlannedQueue;
using simulator::PlannedQueuedWorkload;
using simulator::PlannedQuota;
using simulator::QueuedOutcome;

constexpr std::size_t kMostQueueRows = 40;

std::string unless_zero(const kube::Quantity& amount) { return amount.is_zero() ? std::string() : amount.to_string(); }

std::string share_text(const PlannedQueue& queue) {
  if (queue.parent.empty()) return {};
  return queue.share ? fmt::format("{:.0f}", std::ceil(*queue.share)) : std::string("infinite");
}

/// Of an overrun, more is used than there may be.
Line used(const PlannedQuota& quota) {
  const bool is_overrun = quota.most && *quota.most < quota.used;
  return {quota.used.to_string(), is_overrun ? Style::kBad : Style::kPlain};
}

Line name_of(const PlannedQueue& queue) {
  Line line(std::string(2 * queue.depth, ' '));
  if (queue.kind == "Cohort") line.add("Cohort ", Style::kDim);
  return line.add(queue.name);
}

std::vector<Line> row(const PlannedQueue& queue, const PlannedQuota* quota, bool is_first) {
  const bool is_queue = queue.kind == "ClusterQueue";
  const std::optional<int> percent = quota == nullptr ? std::nullopt : report::used_of_most(*quota);
  return {is_first ? name_of(queue) : Line(),
          Line(is_first && is_queue ? grouped_digits(queue.pending) : ""),
          Line(is_first && is_queue ? grouped_digits(queue.admitted) : ""),
          Line(quota == nullptr ? "" : quota->resource),
          Line(quota == nullptr ? "" : quota->flavor),
          quota == nullptr ? Line() : used(*quota),
          Line(quota == nullptr ? "" : quota->nominal.to_string()),
          Line(quota == nullptr ? "" : unless_zero(quota->borrowed)),
          Line(quota == nullptr ? "" : unless_zero(quota->lent)),
          Line(percent ? fmt::format("{}%", *percent) : ""),
          Line(is_first ? share_text(queue) : "")};
}

Lines table(const simulator::Plan& plan, Detail detail, const Terminal& terminal, std::size_t& left_out) {
  constexpr auto kRight = report::Alignment::kRight;
  Grid grid;
  grid.columns = {{"QUEUE", {}, 20}, {"PENDING", kRight}, {"ADMITTED", kRight}, {"RESOURCE"},
                  {"FLAVOR"},        {"USED", kRight},    {"NOMINAL", kRight},  {"BORROWED", kRight},
                  {"LENT", kRight},  {"OF MOST", kRight}, {"SHARE", kRight}};
  for (const PlannedQueue& queue : plan.queues) {
    if (detail == Detail::kBrief && grid.rows.size() >= kMostQueueRows) {
      ++left_out;
      continue;
    }
    if (queue.quotas.empty()) grid.rows.push_back(row(queue, nullptr, true));
    for (const PlannedQuota& quota : queue.quotas) {
      grid.rows.push_back(row(queue, &quota, &quota == &queue.quotas.front()));
    }
  }
  return lay_out(grid, terminal);
}

Line mark(const PlannedQueuedWorkload& workload, const Terminal& terminal) {
  const bool unicode = terminal.letters == Letters::kUnicode;
  if (workload.outcome == QueuedOutcome::kAdmitted) return {unicode ? "✓" : "ok", Style::kGood};
  if (workload.outcome == QueuedOutcome::kHeld) return {unicode ? "✗" : "!!", Style::kBad};
  return {"~", Style::kWarn};
}

std::string usage_text(const PlannedQueuedWorkload& workload) {
  std::vector<std::string> amounts;
  for (const auto& [resource, amount] : workload.usage) amounts.push_back(resource + " " + amount.to_string());
  return fmt::format("{}", fmt::join(amounts, ", "));
}

}  // namespace

Lines queues_section(const PlanView& view, Detail detail) {
  if (view.plan.queues.empty()) return {};
  Lines lines = {heading("QUEUES")};
  std::size_t left_out = 0;
  add_indented(lines, table(view.plan, detail, narrowed(view.terminal, 2), left_out), 2);
  if (left_out > 0) {
    lines.emplace_back(fmt::format("  {} and {} (loadline queues shows all)", ellipsis(view.terminal),
                                   counted(left_out, "more queue")),
                       Style::kDim);
  }
  for (const PlannedQueue& queue : view.plan.queues) {
    if (queue.inactive.empty()) continue;
    add_wrapped(lines, fmt::format("{} {} admits nothing: {}", queue.kind, queue.name, queue.inactive), 2,
                view.terminal, Style::kWarn);
  }
  return lines;
}

Lines queued_workloads_section(const PlanView& view) {
  Grid grid;
  grid.columns = {{""},      {"WORKLOAD", {}, 24}, {"QUEUE"}, {"PRIORITY", report::Alignment::kRight},
                  {"STATE"}, {"QUOTA", {}, 20}};
  std::vector<const PlannedQueuedWorkload*> shown;
  for (const PlannedQueuedWorkload& workload : view.plan.queued) {
    if (!view.scope.shows(workload.job)) continue;
    shown.push_back(&workload);
    std::string word(report::outcome_word(workload.outcome));
    word[0] = static_cast<char>(word[0] - 'A' + 'a');
    if (workload.position) word += fmt::format(", {} ahead", grouped_digits(*workload.position));
    const std::string& queue = workload.cluster_queue.empty() ? workload.local_queue : workload.cluster_queue;
    grid.rows.push_back({mark(workload, view.terminal), Line(report::workload_text(workload.job)), Line(queue),
                         Line(std::to_string(workload.priority)), Line(word), Line(usage_text(workload))});
  }
  if (shown.empty()) return {};
  const Lines laid_out = lay_out(grid, narrowed(view.terminal, 2));
  Lines lines = {heading("WORKLOADS IN QUEUES")};
  add_indented(lines, {laid_out.front()}, 2);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    add_indented(lines, {laid_out[i + 1]}, 2);
    if (!shown[i]->message.empty()) add_wrapped(lines, shown[i]->message, 6, view.terminal, Style::kPlain);
  }
  return lines;
}

}  // namespace loadline::cli
