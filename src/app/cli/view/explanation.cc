#include "app/cli/view/explanation.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/cli/terminal/grid.h"
#include "app/cli/terminal/text.h"
#include "app/cli/view/section_text.h"
#include "app/report/edit_text.h"
#include "app/report/group_obstacle_text.h"
#include "app/report/starts.h"
#include "app/report/suggestion_text.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using advice::Explanation;
using advice::NodeGroup;
using simulator::PodOutcome;

constexpr std::size_t kMostGroups = 8;
constexpr std::size_t kNodeNames = 30;  // columns

std::string replacement(const Explanation& it) {
  return it.pod.replaced_by.empty() ? "" : "; pod " + it.pod.replaced_by + " replaces it";
}

std::string standing(const Explanation& it) {
  switch (it.pod.outcome) {
    case PodOutcome::kRunning:
      return "runs on " + it.pod.node;
    case PodOutcome::kPlaced:
      return "goes to " + it.pod.node;
    case PodOutcome::kPending:
      return it.pod.nominated_node.empty() ? "is pending"
                                           : "is pending, with room being made on " + it.pod.nominated_node;
    case PodOutcome::kGated:
      return "is held back by its scheduling gates";
    case PodOutcome::kRejected:
      return "is rejected at admission";
    case PodOutcome::kPreempted:
      return fmt::format("was preempted by {}, and left {}{}", it.pod.preempted_by, it.pod.node, replacement(it));
    case PodOutcome::kEvicted:
      return (it.pod.node.empty() ? std::string("was deleted before it had a node")
                                  : "was evicted from " + it.pod.node) +
             (it.pod.preempted_by.empty() ? "" : ", preempted by " + it.pod.preempted_by) + replacement(it);
    case PodOutcome::kIgnored:
      return "is ignored: no scheduler answers to its schedulerName";
    case PodOutcome::kEnded:
      return "has ended on " + it.pod.node;
    case PodOutcome::kFailed:
      return "names node " + it.pod.node + " in spec.nodeName, and fails there";
    case PodOutcome::kNotCreated:
      return "is not created yet";
    case PodOutcome::kQueued:
      return "is not created: its queue holds the workload back";
  }
  return "";
}

std::string family_text(const Explanation& it) {
  if (it.pod.workload.kind == "Pod") return "";
  if (it.siblings == 1) return "the only pod of " + report::workload_text(it.pod.workload);
  std::string text = fmt::format("{} of {} of {} {} a node", it.placed_siblings, counted(it.siblings, "pod"),
                                 report::workload_text(it.pod.workload), it.placed_siblings == 1 ? "has" : "have");
  if (!has_node(it.pod) && it.alike > 1) text += fmt::format("; {} wait for this reason", it.alike);
  return text;
}

/// "a100-a, a100-b, … 3 more".
std::string node_names(const std::vector<std::string>& nodes, const Terminal& terminal) {
  std::string text;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (i > 0 && display_width(text) + display_width(nodes[i]) > kNodeNames) {
      return fmt::format("{}, {} {} more", text, ellipsis(terminal), grouped_digits(nodes.size() - i));
    }
    text += (i > 0 ? ", " : "") + nodes[i];
  }
  return text;
}

/// Pods of one workload that keep apart are refused by their own rule and by that of those that are there.
bool is_told_by_another(const advice::GroupObstacle& obstacle, const NodeGroup& group) {
  using placement::ReasonKind;
  if (obstacle.kind != ReasonKind::kExistingAntiAffinity) return false;
  return std::ranges::any_of(group.obstacles, [&](const advice::GroupObstacle& other) {
    return other.kind == ReasonKind::kPodAntiAffinity && other.subject == obstacle.subject;
  });
}

/// Groups as rows; what does not fit beside the names goes on below.
void add_group(const NodeGroup& group, const Terminal& terminal, Lines& lines) {
  Line line("  ");
  line.add(counted(group.nodes.size(), "node"), Style::kBold)
      .add("  " + node_names(group.nodes, terminal), Style::kDim);
  lines.push_back(std::move(line));
  for (const advice::GroupObstacle& each : group.obstacles) {
    if (is_told_by_another(each, group)) continue;
    add_wrapped(lines, report::group_obstacle_text(each, group.nodes.size()), 6, terminal, Style::kPlain);
  }
}

void add_groups(const Explanation& it, const Terminal& terminal, Lines& lines) {
  for (std::size_t i = 0; i < it.groups.size() && i < kMostGroups; ++i) add_group(it.groups[i], terminal, lines);
  if (it.groups.size() <= kMostGroups) return;
  std::size_t nodes = 0;
  for (std::size_t i = kMostGroups; i < it.groups.size(); ++i) nodes += it.groups[i].nodes.size();
  lines.emplace_back(
      fmt::format("  {} and {} for {} (-o json has all)", ellipsis(terminal), counted(nodes, "more node"),
                  counted(it.groups.size() - kMostGroups, "other set") + " of reasons"),
      Style::kDim);
}

constexpr std::size_t kMostPassed = 4;

/// The planned starts that the pod or its group was let pass, a sentence each.
void add_passed(const std::vector<simulator::PassedStart>& passed, std::size_t indent, const Terminal& terminal,
                Lines& lines) {
  const std::size_t shown = std::min(passed.size(), kMostPassed);
  for (std::size_t i = 0; i < shown; ++i) {
    add_wrapped(lines, report::passed_text(passed[i]), indent, terminal, Style::kPlain);
  }
  if (shown == passed.size()) return;
  lines.emplace_back(std::string(indent, ' ') + fmt::format("{} and {} (-o json has all)", ellipsis(terminal),
                                                            counted(passed.size() - shown, "more planned start")),
                     Style::kDim);
}

/// Who holds the pod, or its group, that fits; empty: it is not held.
std::string holder_of(const Explanation& it) {
  if (!it.pod.held_by.empty() || !it.pod_group) return it.pod.held_by;
  return it.pod.outcome == PodOutcome::kPending ? it.pod_group->held_by : "";
}

/// Why there is room, and the pod waits all the same; and who is waited for in turn.
void add_holder(const Explanation& it, const Terminal& terminal, Lines& lines) {
  const bool is_alone = !it.pod.held_by.empty();
  add_wrapped(lines,
              fmt::format("There is room for {}, but it {}: it does not say that it ends before that, and the places "
                          "are needed then.",
                          is_alone ? "it" : "its pod group", it.pod.message),
              2, terminal, Style::kPlain);
  if (!it.holding_start) return;
  std::string holder = holder_of(it);
  holder.front() = 'P';  // of "pod" and "pod group"
  add_wrapped(lines, holder + " " + report::start_text(*it.holding_start) + ".", 2, terminal, Style::kPlain);
}

}  // namespace

Lines standing_section(const Explanation& it, const Terminal& terminal) {
  const bool unicode = terminal.letters == Letters::kUnicode;
  Line line;
  if (!it.pod.undecided.empty()) {
    line.add(unicode ? "? " : "NOT DECIDED: ", Style::kWarn);
  } else if (has_node(it.pod)) {
    line.add(unicode ? "✓ " : "OK: ", Style::kGood);
  } else {
    line.add(unicode ? "✗ " : "NO: ", Style::kBad);
  }
  line.add("Pod " + report::pod_key(it.pod), Style::kBold).add(" " + standing(it));
  if (!it.pod.undecided.empty()) line.add(" if its queue lets it start");
  Lines lines = {line};
  if (!it.pod.undecided.empty()) {
    add_wrapped(lines, "not decided: " + it.pod.undecided + "; whether and when that lets it start is not said here", 2,
                terminal, Style::kWarn);
  }
  if (const std::string family = family_text(it); !family.empty()) lines.emplace_back("  " + family);
  const std::string requests = report::requests_text(it.pod);
  lines.emplace_back(
      fmt::format("  asks for {}; priority {}", requests.empty() ? "nothing" : requests, it.pod.priority), Style::kDim);
  add_passed(it.pod.passed, 2, terminal, lines);
  return lines;
}

Lines pod_group_section(const Explanation& it, const Terminal& terminal) {
  if (!it.pod_group) return {};
  Lines lines = {heading("POD GROUP")};
  // WHY says it node by node.
  const GroupReason reason = it.groups.empty() ? GroupReason::kInFull : GroupReason::kLeftOut;
  const Lines group = pod_group_lines(*it.pod_group, terminal, reason);
  lines.insert(lines.end(), group.begin(), group.end());
  add_passed(it.pod_group->passed, 6, terminal, lines);
  if (it.fits_with_group && !it.groups.empty()) {
    add_wrapped(lines, "This pod is one of those that fit; the reasons are those of one that does not.", 6, terminal,
                Style::kPlain);
  }
  return lines;
}

Lines obstacles_section(const Explanation& it, const Terminal& terminal) {
  Lines lines;
  if (has_node(it.pod)) {
    if (it.groups.empty()) return lines;
    lines.push_back(heading("WHY NOT ELSEWHERE"));
    add_groups(it, terminal, lines);
    return lines;
  }
  lines.push_back(heading("WHY"));
  if (!holder_of(it).empty()) {
    add_holder(it, terminal, lines);
    return lines;
  }
  if (it.pod.start) {
    add_wrapped(lines,
                "A pod group waits behind it, so its start is planned: it " + report::start_text(*it.pod.start) +
                    ", unless it fits before.",
                2, terminal, Style::kPlain);
  }
  if (!it.groups.empty()) {
    add_groups(it, terminal, lines);
    if (it.not_considered > 0) {
      const bool daemon = it.pod.workload.kind == "DaemonSet";
      lines.emplace_back(fmt::format("  {} not considered: {}", counted(it.not_considered, "other node"),
                                     daemon ? "each pod of a DaemonSet is for one node" : "the pod names its nodes"));
    }
  } else {
    const std::string message(it.as_a_whole ? it.as_a_whole->message : report::for_readers(it.pod.message));
    add_wrapped(lines, message.empty() ? "no reason given" : message, 2, terminal, Style::kPlain);
    if (const std::string text = report::unclassed_text(it); !text.empty()) {
      add_wrapped(lines, text, 2, terminal, Style::kPlain);
    }
  }
  if (const std::string spares = report::spares_text(it.spares); !spares.empty()) {
    add_wrapped(lines, spares, 2, terminal, Style::kPlain);
  }
  if (const std::string preemption = report::preemption_text(it); !preemption.empty()) {
    add_wrapped(lines, preemption, 2, terminal, Style::kPlain);
  }
  return lines;
}

Lines scores_section(const Explanation& it, const Terminal& terminal) {
  if (!it.scores) return {};
  const advice::ScoreTable& table = *it.scores;
  Lines lines = {heading("SCORES")};
  if (table.feasible == 1) {
    lines.emplace_back(fmt::format("  {} of {} would do: {}", 1, counted(it.nodes, "node"), table.best.front().node));
    return lines;
  }
  const bool stays = table.best.front().node == it.pod.node;
  lines.emplace_back(
      fmt::format("  {} of {} would do; {} {} first{}", table.feasible, counted(it.nodes, "node"),
                  table.best.front().node, stays ? "came" : "would come now",
                  table.tied > 1 ? fmt::format(" in order, of {} with the best score", table.tied) : ""));
  Grid grid;
  grid.columns = {{"NODE"}, {"TOTAL", report::Alignment::kRight}};
  for (const std::string& plugin : table.plugins) grid.columns.push_back({plugin, report::Alignment::kRight});
  if (table.alike != 0) grid.columns.push_back({"OTHERS", report::Alignment::kRight});
  for (const advice::ScoredNode& row : table.best) {
    std::vector<Line> cells = {Line(row.node), Line(std::to_string(row.total), Style::kBold)};
    for (const std::int64_t score : row.scores) cells.emplace_back(std::to_string(score));
    if (table.alike != 0) cells.emplace_back(std::to_string(table.alike));
    grid.rows.push_back(std::move(cells));
  }
  add_indented(lines, lay_out(grid, narrowed(terminal, 2)), 2);
  if (table.feasible > table.best.size()) {
    lines.emplace_back(
        fmt::format("  {} and {}", ellipsis(terminal), counted(table.feasible - table.best.size(), "more node")),
        Style::kDim);
  }
  return lines;
}

Lines suggestions_section(const Explanation& it, const Terminal& terminal) {
  if (has_node(it.pod) || it.pod.outcome == PodOutcome::kPreempted || it.pod.outcome == PodOutcome::kEvicted) return {};
  Lines lines = {heading("WHAT WOULD HELP")};
  if (it.pod.outcome == PodOutcome::kFailed) {
    add_wrapped(lines,
                fmt::format("A scheduler that looks for room: none is asked about a pod that names its node. Leave out "
                            "spec.nodeName, or write nodeSelector: {{kubernetes.io/hostname: {}}} in its place. (This "
                            "was not tried.)",
                            it.pod.node),
                2, terminal, Style::kPlain);
    return lines;
  }
  if (const std::string text = report::not_tried_text(it); !text.empty()) {
    add_wrapped(lines, text, 2, terminal, Style::kPlain);
    return lines;
  }
  if (it.suggestions.empty()) {
    lines.emplace_back("  Nothing that was tried: no small change to the pod, to a node or to other workloads.");
    return lines;
  }
  std::size_t number = 0;
  for (const advice::Suggestion& suggestion : it.suggestions) {
    std::string headline;
    for (const advice::Edit& edit : suggestion.remedy) {
      std::string text = report::edit_text(edit).headline;
      if (!headline.empty()) text.front() = static_cast<char>(text.front() - 'A' + 'a');  // they all begin with a verb
      headline += (headline.empty() ? "" : ", and ") + text;
    }
    const Lines wrapped = [&] {
      Lines all;
      add_wrapped(all, headline, 0, narrowed(terminal, 5), Style::kBold);
      return all;
    }();
    ++number;
    for (std::size_t i = 0; i < wrapped.size(); ++i) {
      lines.push_back(Line(i == 0 ? fmt::format("  {}. ", number) : "     ").append(wrapped[i]));
    }
    add_wrapped(lines, report::outcome_text(suggestion, it), 5, terminal, Style::kPlain);
    for (const advice::Edit& edit : suggestion.remedy) {
      const report::EditText text = report::edit_text(edit);
      if (!text.command.empty()) lines.emplace_back("       " + text.command, Style::kDim);
      for (const std::string& patch : text.patch) lines.emplace_back("       " + patch, Style::kDim);
    }
  }
  add_wrapped(lines, "(" + report::trial_text(it.suggestions) + ")", 2, terminal, Style::kDim);
  return lines;
}

}  // namespace loadline::cli
