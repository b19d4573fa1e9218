#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "app/cli/terminal/text.h"
#include "app/cli/view/section_text.h"
#include "app/cli/view/sections.h"
#include "app/report/pod_groups.h"
#include "app/report/words.h"
#include "foundation/base/text.h"
#include "hosts/simulator/plan_difference.h"

namespace loadline::cli {
namespace {

using report::PodGroup;
using report::WorkloadReport;
using simulator::PlannedPod;
using simulator::PodOutcome;

constexpr std::size_t kMostBlocks = 12;   // reasons shown in one brief section
constexpr std::size_t kMostRefused = 12;  // refused objects shown when brief
constexpr std::string_view kRejected = "REJECTED at admission";
constexpr std::size_t kMostWorkloads = 6;  // workloads named above one reason when brief

/// Pods of one workload that are kept from running, or made to leave, by one thing.
struct Part {
  const WorkloadReport* workload = nullptr;
  std::vector<std::size_t> pods;
};

/// All pods with the same problem.
struct Block {
  std::string reason;
  std::int32_t priority = 0;  ///< highest of its pods
  std::size_t pods = 0;
  std::vector<Part> parts;
  bool varied = false;  ///< `reason` is that of the first pod; the others' differ only in numbers of nodes
};

/// The kinds of refusal behind a pod's message, without how many nodes each keeps it from.
std::string refusals(const PlannedPod& pod) {
  std::vector<std::string> texts;
  texts.reserve(pod.reasons.size());
  for (const simulator::NodeReason& reason : pod.reasons) texts.push_back(reason.text);
  std::ranges::sort(texts);
  return fmt::format("{}", fmt::join(texts, "; "));
}

/// The blocks of one outcome: highest priority first, then in order of their first pod.
class Blocks {
 public:
  explicit Blocks(const simulator::Plan& plan) : plan_(plan), groups_(plan) {
    for (const PlannedPod& pod : plan.pods) by_key_[report::pod_key(pod)] = &pod;
  }

  std::vector<Block> collect(const std::vector<WorkloadReport>& workloads, PodOutcome outcome) {
    blocks_.clear();
    block_index_.clear();
    for (const WorkloadReport& workload : workloads) {
      for (const PodGroup& group : workload.groups) {
        if (group.outcome != outcome) continue;
        for (const std::size_t pod : group.pods) add(workload, pod, reason(group, plan_.pods[pod]));
      }
    }
    std::ranges::stable_sort(blocks_, std::ranges::greater{}, &Block::priority);
    return std::move(blocks_);
  }

  /// By "namespace/name"; of a StatefulSet's pods, which keep it, the last one. Null: there is none of that name.
  [[nodiscard]] const PlannedPod* find(const std::string& key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

  /// Fewer blocks: those whose pods are refused for the same kinds of reasons become one.
  [[nodiscard]] std::vector<Block> merged(const std::vector<Block>& blocks) const {
    std::vector<Block> result;
    std::map<std::string, std::size_t> index;
    for (const Block& block : blocks) {
      const PlannedPod& first = plan_.pods[block.parts.front().pods.front()];
      const std::string kinds = groups_.waited_for(first) != nullptr ? "" : refusals(first);
      const auto [found, fresh] = index.try_emplace(kinds.empty() ? block.reason : kinds, result.size());
      if (fresh) {
        result.push_back(block);
        continue;
      }
      Block& target = result[found->second];
      target.varied = true;
      target.pods += block.pods;
      target.parts.insert(target.parts.end(), block.parts.begin(), block.parts.end());
    }
    return result;
  }

 private:
  std::string reason(const PodGroup& group, const PlannedPod& pod) const {
    if (groups_.waited_for(pod) != nullptr) return std::string(kWaitsWithGroup);
    if (pod.outcome == PodOutcome::kPreempted) return preemption(pod);
    if (pod.outcome == PodOutcome::kEvicted) return group.message + ", after " + report::span_text(pod.after);
    if (pod.outcome == PodOutcome::kIgnored && group.message.empty()) return "schedulerName: " + pod.scheduler_name;
    if (pod.nominated_node.empty()) {
      const std::string spares = report::spares_text(pod.spares);
      return std::string(report::for_readers(group.message)) + (spares.empty() ? "" : ' ' + spares);
    }
    return group.message + " Room is being made on " + pod.nominated_node + ".";
  }

  /// The victor by its workload, so that one gang of preemptors reads as one.
  std::string preemption(const PlannedPod& pod) const {
    const PlannedPod* victor = find(pod.preempted_by);
    if (victor == nullptr) return pod.message;
    return fmt::format("for {} (priority {} over {})", report::workload_text(victor->workload), priority_of(*victor),
                       priority_of(pod));
  }

  std::int32_t priority_of(const PlannedPod& pod) const {
    const simulator::PlannedGroup* group = groups_.of(pod);
    return group != nullptr ? group->priority.value_or(pod.priority) : pod.priority;
  }

  void add(const WorkloadReport& workload, std::size_t pod, const std::string& reason) {
    const auto [found, fresh] = block_index_.try_emplace(reason, blocks_.size());
    if (fresh) blocks_.push_back({reason, plan_.pods[pod].priority, 0, {}});
    Block& block = blocks_[found->second];
    block.priority = std::max(block.priority, plan_.pods[pod].priority);
    ++block.pods;
    if (block.parts.empty() || block.parts.back().workload != &workload) block.parts.push_back({&workload, {}});
    block.parts.back().pods.push_back(pod);
  }

  const simulator::Plan& plan_;
  report::GroupsOfPods groups_;
  std::map<std::string, const PlannedPod*> by_key_;
  std::vector<Block> blocks_;
  std::map<std::string, std::size_t> block_index_;
};

class ProblemsSection {
 public:
  ProblemsSection(const PlanView& view, Detail detail) : view_(view), detail_(detail), blocks_(view.plan) {}

  Lines run() {
    section("PENDING", PodOutcome::kPending, Style::kBad);
    section(kRejected, PodOutcome::kRejected, Style::kBad);
    refused_objects();
    section("IGNORED, no profile answers to their schedulerName", PodOutcome::kIgnored, Style::kBad);
    section("FAILED, refused by the node that they name", PodOutcome::kFailed, Style::kBad);
    undecided();
    section("PREEMPTED", PodOutcome::kPreempted, Style::kWarn);
    section("EVICTED", PodOutcome::kEvicted, Style::kWarn);
    section("GATED", PodOutcome::kGated, Style::kWarn);
    section("QUEUED, held back by their queues", PodOutcome::kQueued, Style::kWarn);
    section("NOT CREATED YET", PodOutcome::kNotCreated, Style::kWarn);
    return std::move(lines_);
  }

 private:
  void begin(std::string_view title, Style style) {
    if (!lines_.empty()) lines_.emplace_back();
    lines_.emplace_back(std::string(title), style);
  }

  /// What queues of other projects decide about, by queue.
  void undecided() {
    std::map<std::string, std::vector<report::UndecidedWork>> by_queue;
    for (report::UndecidedWork& work : report::undecided_work(view_.plan, view_.scope)) {
      by_queue[work.why].push_back(std::move(work));
    }
    if (by_queue.empty()) return;
    begin("NOT DECIDED", Style::kWarn);
    for (const auto& [why, works] : by_queue) {
      const std::size_t shown = detail_ == Detail::kFull ? works.size() : std::min(works.size(), kMostWorkloads);
      for (std::size_t i = 0; i < shown; ++i) {
        const std::string pods = works[i].pods == 0 ? "no pods yet" : counted(works[i].pods, "pod");
        lines_.push_back(Line("  ").add(report::workload_text(works[i].workload), Style::kBold).add("  " + pods));
      }
      if (shown < works.size()) {
        lines_.emplace_back(
            fmt::format("  {} and {}", ellipsis(view_.terminal), counted(works.size() - shown, "more workload")));
      }
      add_wrapped(lines_,
                  why +
                      ": whether and when it lets them start is not decided here; the places are those that they "
                      "would get if it did now",
                  6, view_.terminal, Style::kPlain);
    }
  }

  /// Objects other than pods, below the rejected pods.
  void refused_objects() {
    if (view_.summary.refused == 0) return;
    if (view_.summary.counts.rejected == 0) begin(kRejected, Style::kBad);
    std::size_t shown = 0;
    for (const simulator::RefusedObject& entry : view_.plan.refused) {
      if (!view_.scope.shows(entry.object)) continue;
      if (detail_ == Detail::kBrief && shown == kMostRefused) break;
      ++shown;
      lines_.push_back(Line("  ").add(report::workload_text(entry.object), Style::kBold));
      add_wrapped(lines_, entry.message, 6, view_.terminal, Style::kPlain);
    }
    if (shown == view_.summary.refused) return;
    lines_.emplace_back(fmt::format("  {} and {} (-o wide shows every one)", ellipsis(view_.terminal),
                                    counted(view_.summary.refused - shown, "more object")),
                        Style::kDim);
  }

  void section(std::string_view title, PodOutcome outcome, Style style) {
    std::vector<Block> blocks = blocks_.collect(view_.workloads, outcome);
    if (detail_ == Detail::kBrief && blocks.size() > kMostBlocks) blocks = blocks_.merged(blocks);
    if (blocks.empty()) return;
    begin(title, style);
    const std::size_t shown = detail_ == Detail::kFull ? blocks.size() : std::min(blocks.size(), kMostBlocks);
    std::size_t pods_left = 0;
    for (std::size_t i = shown; i < blocks.size(); ++i) pods_left += blocks[i].pods;
    for (std::size_t i = 0; i < shown; ++i) add_block(blocks[i]);
    if (pods_left > 0) {
      lines_.emplace_back(fmt::format("  {} and {} for {} (-o wide shows every pod)", ellipsis(view_.terminal),
                                      counted(pods_left, "more pod"), counted(blocks.size() - shown, "more reason")),
                          Style::kDim);
    }
  }

  void add_block(const Block& block) {
    const std::size_t shown =
        detail_ == Detail::kFull || block.parts.size() <= kMostWorkloads ? block.parts.size() : kMostWorkloads - 1;
    std::size_t pods_left = block.pods;
    for (std::size_t i = 0; i < shown; ++i) {
      lines_.push_back(part_line(block.parts[i]));
      pods_left -= block.parts[i].pods.size();
    }
    if (pods_left > 0) {
      const auto rest = block.parts.begin() + static_cast<std::ptrdiff_t>(shown);
      const bool bare = std::all_of(rest, block.parts.end(), [](const Part& part) { return is_bare(part); });
      std::string text = fmt::format("  {} and {}", ellipsis(view_.terminal), counted(pods_left, "more pod"));
      if (!bare) text += " of " + counted(block.parts.size() - shown, "more workload");
      lines_.emplace_back(text);
    }
    add_wrapped(lines_, block.reason.empty() ? "no reason given" : block.reason, 6, view_.terminal, Style::kPlain);
    if (block.varied) {
      add_wrapped(lines_,
                  "(so the first of them; the others are refused for the same reasons, each by other numbers of nodes)",
                  6, view_.terminal, Style::kDim);
    }
  }

  static bool is_bare(const Part& part) { return part.workload->name.kind == "Pod"; }

  Line part_line(const Part& part) const {
    const WorkloadReport& workload = *part.workload;
    const PlannedPod& first = view_.plan.pods[part.pods.front()];
    Line line("  ");
    line.add(report::workload_text(workload.name), Style::kBold);
    if (!is_bare(part)) {
      line.add(fmt::format("  {} of {}", part.pods.size(), counted(workload.wanted, "pod")));
    }
    if (first.outcome == PodOutcome::kPreempted || first.outcome == PodOutcome::kEvicted) {
      line.add(first.node.empty() ? std::string("  before it had a node")
                                  : "  left " + shares_text(left_nodes(part), 60, view_.terminal));
      line.add(report::is_lost(first) ? ", and no controller brings it back" : replacements_text(part));
    } else {
      line.add(fmt::format("  priority {}", first.priority), Style::kDim);
    }
    return line;
  }

  static void count(std::vector<report::NodeShare>& shares, const std::string& node) {
    const auto found = std::ranges::find(shares, node, &report::NodeShare::node);
    if (found == shares.end()) {
      shares.push_back({node, 1});
    } else {
      ++found->pods;
    }
  }

  std::vector<report::NodeShare> left_nodes(const Part& part) const {
    std::vector<report::NodeShare> shares;
    for (const std::size_t pod : part.pods) count(shares, view_.plan.pods[pod].node);
    return shares;
  }

  /// Where those are that the controllers made instead; nothing if they left in their turn, which is told of them.
  std::string replacements_text(const Part& part) const {
    std::vector<report::NodeShare> shares;
    std::size_t placed = 0;
    std::size_t waiting = 0;
    for (const std::size_t pod : part.pods) {
      const PlannedPod* replacement = blocks_.find(view_.plan.pods[pod].replaced_by);
      if (replacement == nullptr) continue;
      if (replacement->outcome == PodOutcome::kPlaced) {
        ++placed;
        count(shares, replacement->node);
      } else if (simulator::waits_in_vain(*replacement)) {
        ++waiting;
      }
    }
    const std::string missing = waiting == 0   ? ""
                                : waiting == 1 ? "; a replacement has no node"
                                               : fmt::format("; {} replacements have no node", waiting);
    if (placed == 0) return missing;
    const std::string nodes = shares_text(shares, 60, view_.terminal);
    return (waiting == 0 ? "; replaced on " : fmt::format("; {} replaced on ", placed)) + nodes + missing;
  }

  const PlanView& view_;
  Detail detail_;
  Blocks blocks_;
  Lines lines_;
};

}  // namespace

Lines problems_section(const PlanView& view, Detail detail) { return ProblemsSection(view, detail).run(); }

}  // namespace loadline::cli
