#include "app/cli/view/difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

#include "app/cli/terminal/grid.h"
#include "app/cli/view/drain.h"
#include "app/cli/view/section_text.h"
#include "app/report/amount.h"
#include "app/report/diff_document.h"
#include "app/report/free_resources.h"
#include "app/report/pod_groups.h"
#include "app/report/words.h"
#include "foundation/base/text.h"

namespace loadline::cli {
namespace {

using simulator::PlannedPod;
using simulator::PodChange;
using simulator::PodDifference;

constexpr std::size_t kMostLines = 30;    // lines of one section
constexpr std::size_t kMostReasons = 12;  // reasons of one section

/// Pods of one workload that fare alike.
struct Group {
  const PlannedPod* first = nullptr;  ///< as it was before, or, if it is new, as it is
  std::string from;
  std::string why;
  std::string message;
  std::size_t pods = 0;
  std::vector<report::NodeShare> to;
};

std::string without(std::string text, const std::string& part, std::string_view instead) {
  if (part.empty()) return text;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + instead.size())) {
    text.replace(at, part.size(), instead);
  }
  return text;
}

void count(std::vector<report::NodeShare>& shares, const std::string& node) {
  const auto found = std::ranges::find(shares, node, &report::NodeShare::node);
  if (found == shares.end()) {
    shares.push_back({node, 1});
  } else {
    ++found->pods;
  }
}

class DifferencePage {
 public:
  explicit DifferencePage(const DifferenceView& view)
      : view_(view),
        terminal_(view.terminal),
        difference_(view.comparison.difference),
        groups_(view.comparison.after) {}

  Lines run() {
    verdict();
    lost();
    waiting("PENDING that had a node", [](const PodDifference& entry) { return entry.change == PodChange::kUnplaced; });
    waiting("NEW and without a node", [&](const PodDifference& entry) {
      return entry.change == PodChange::kAppeared && !has_node(*after(entry));
    });
    pod_groups();
    add(disturbed_gangs_section(view_));
    add(drain_schedule_section(view_));
    refused();
    add(held_back_section(view_));
    moves();
    placed("PLACED that waited", [](const PodDifference& entry) { return entry.change == PodChange::kPlaced; });
    placed("NEW on a node",
           [&](const PodDifference& entry) { return entry.change == PodChange::kAppeared && has_node(*after(entry)); });
    gone();
    room();
    add(local_data_section(view_));
    free();
    return std::move(lines_);
  }

 private:
  using Filter = std::function<bool(const PodDifference&)>;

  // ---- reading an entry ---------------------------------------------------------------------------------------------

  [[nodiscard]] const PlannedPod& subject(const PodDifference& entry) const {
    return report::subject_of(view_.comparison, entry);
  }
  [[nodiscard]] const PlannedPod* after(const PodDifference& entry) const {
    return entry.after ? &view_.comparison.after.pods[*entry.after] : nullptr;
  }
  [[nodiscard]] std::string from(const PodDifference& entry) const {
    return entry.before && has_node(subject(entry)) ? subject(entry).node : "";
  }

  /// How it left, unless the change says so itself: "preempted by pod ml/train-0".
  [[nodiscard]] std::string why(const PodDifference& entry) const {
    const std::string node = from(entry);
    if (entry.why == "evicted by the drain of node " + node || entry.why == "node " + node + " is removed") return "";
    if (entry.left) {
      const PlannedPod& left = view_.comparison.after.pods[*entry.left];
      if (!left.preempted_by.empty()) return "preempted by pod " + left.preempted_by;
    }
    std::string text = without(entry.why, " of node " + node, "");
    const std::string workload = report::workload_text(subject(entry).workload) + " ";
    return text.starts_with(workload) ? text.substr(workload.size()) : text;
  }

  [[nodiscard]] std::vector<Group> groups(const Filter& wanted) const {
    std::vector<Group> result;
    std::map<std::tuple<simulator::WorkloadName, std::string, std::string, std::string>, std::size_t> index;
    for (const PodDifference& entry : difference_.pods) {
      if (!wanted(entry)) continue;
      const PlannedPod* const now = after(entry);
      std::string message = now != nullptr && !has_node(*now) ? now->message : "";
      if (now != nullptr && groups_.waited_for(*now) != nullptr) message = kWaitsWithGroup;
      const std::string shared = now == nullptr ? "" : without(message, now->name, "*");
      const auto [found, fresh] =
          index.try_emplace({subject(entry).workload, from(entry), why(entry), shared}, result.size());
      if (fresh) result.push_back({&subject(entry), from(entry), why(entry), std::move(message), 0, {}});
      Group& group = result[found->second];
      ++group.pods;
      if (now != nullptr && has_node(*now)) count(group.to, now->node);
    }
    return result;
  }

  // ---- sections -----------------------------------------------------------------------------------------------------

  void verdict() {
    const bool worse = simulator::got_worse(view_.comparison);
    const bool unicode = terminal_.letters == Letters::kUnicode;
    Line line;
    if (worse) {
      line.add(unicode ? "✗ " : "WORSE: ", Style::kBad);
    } else if (simulator::undecided(view_.comparison) > 0) {
      line.add(unicode ? "? " : "NOT DECIDED: ", Style::kWarn);
    } else {
      line.add(unicode ? "✓ " : "OK: ", Style::kGood);
    }
    line.add(view_.title + ": ").add(summary(), Style::kBold);
    lines_.push_back(std::move(line));
    if (const std::string rest = unaffected(); !rest.empty()) lines_.emplace_back("  " + rest, Style::kDim);
    if (const std::string start = settled(); !start.empty()) lines_.emplace_back("  " + start, Style::kDim);
    undecided();
  }

  /// A plan of the input shows what happened before the change; empty: nothing did.
  [[nodiscard]] std::string settled() const {
    const simulator::Settling& settling = view_.comparison.settling;
    if (settling.placed + settling.left == 0) return "";
    std::string text = "before the change, as plan alone shows: " + counted(settling.placed, "pod") + " placed";
    if (settling.left > 0) text += fmt::format(", {} preempted or evicted", grouped_digits(settling.left));
    return text;
  }

  /// Queues of other projects that have their say about pods that the change moves, places or makes.
  void undecided() {
    std::map<std::string, std::size_t> queues;
    for (const PodDifference& entry : difference_.pods) {
      if (entry.after && !after(entry)->undecided.empty()) ++queues[after(entry)->undecided];
    }
    for (const auto& [why, pods] : queues) {
      add_wrapped(lines_,
                  fmt::format("not decided for {}: {}, and whether and when it lets them start is not said here",
                              counted(pods, "pod"), why),
                  2, terminal_, Style::kWarn);
    }
  }

  /// "12 pods stay where they are; 1 pod waited before and still does".
  [[nodiscard]] std::string unaffected() const {
    std::string text;
    if (difference_.unchanged > 0) {
      const bool one = difference_.unchanged == 1;
      text = counted(difference_.unchanged, "pod") + (one ? " stays where it is" : " stay where they are");
    }
    if (difference_.waiting > 0) {
      if (!text.empty()) text += "; ";
      text += counted(difference_.waiting, "pod") + " waited before and still " +
              (difference_.waiting == 1 ? "does" : "do");
    }
    return text;
  }

  [[nodiscard]] std::string summary() const {
    std::vector<std::string> parts;
    const auto say = [&](std::size_t pods, std::string_view one, std::string_view many) {
      if (pods == 0) return;
      const std::string noun = parts.empty() ? counted(pods, "pod") : grouped_digits(pods);
      parts.push_back(fmt::format("{} {}", noun, pods == 1 ? one : many));
    };
    std::size_t lost = 0, gone = 0, fresh = 0, stuck = 0;
    for (const PodDifference& entry : difference_.pods) {
      if (entry.change == PodChange::kGone) ++(entry.intended ? gone : lost);
      if (entry.change == PodChange::kAppeared) ++(has_node(*after(entry)) ? fresh : stuck);
    }
    say(lost, "is lost", "are lost");
    say(difference_.count(PodChange::kUnplaced), "becomes pending", "become pending");
    say(stuck, "new without a node", "new without a node");
    say(view_.comparison.after.refused_evictions.size(), "cannot be evicted", "cannot be evicted");
    say(unmanaged_pods(view_.comparison), "has no controller and stays", "have no controller and stay");
    say(difference_.count(PodChange::kMoved), "moves", "move");
    say(difference_.count(PodChange::kPlaced), "that waited gets a node", "that waited get a node");
    say(fresh, "new on a node", "new on nodes");
    say(gone, "goes as wanted", "go as wanted");
    if (const std::size_t pods = lost_room(); pods > 0) {
      parts.push_back(fmt::format("room for {} is held no more", counted(pods, "pod")));
    }
    if (!difference_.refused.empty()) parts.push_back(counted(difference_.refused.size(), "object") + " rejected");
    if (const std::size_t late = view_.comparison.drain_outcome.late.size(); late > 0) {
      parts.push_back(fmt::format("{} {} free too late", counted(late, "node"), late == 1 ? "is" : "are"));
    }
    return parts.empty() ? "no pod is affected" : fmt::format("{}", fmt::join(parts, ", "));
  }

  /// For how many pods more room waits.
  [[nodiscard]] std::size_t lost_room() const {
    std::size_t pods = 0;
    for (const simulator::ReservationDifference& entry : difference_.reservations) {
      if (!entry.after) continue;
      const std::size_t waited = entry.before ? view_.comparison.before.reservations[*entry.before].waiting : 0;
      const std::size_t waits = view_.comparison.after.reservations[*entry.after].waiting;
      pods += waits - std::min(waits, waited);
    }
    return pods;
  }

  void add(const Lines& section) { lines_.insert(lines_.end(), section.begin(), section.end()); }

  [[nodiscard]] std::string name_text(const Group& group) const {
    return with_count(report::workload_text(group.first->workload), group.pods, terminal_);
  }

  void lost() {
    rows("LOST", Style::kBad,
         groups([](const PodDifference& entry) { return entry.change == PodChange::kGone && !entry.intended; }),
         [](Group& group) {
           const bool bare = group.first->workload.kind == "Pod";
           if (!group.why.empty() && bare) group.why += "; ";
           if (bare) group.why += "no controller brings it back";
         });
  }

  void moves() {
    rows("MOVES", Style::kWarn, groups([](const PodDifference& entry) { return entry.change == PodChange::kMoved; }),
         [](Group&) {});
  }

  void placed(std::string_view title, const Filter& wanted) {
    rows(title, Style::kGood, groups(wanted), [](Group&) {});
  }

  void gone() {
    rows("GONE as wanted", Style::kPlain,
         groups([](const PodDifference& entry) { return entry.change == PodChange::kGone && entry.intended; }),
         [](Group&) {});
  }

  /// One row a group: the pods, the node before, the node after, the reason.
  void rows(std::string_view title, Style style, std::vector<Group> all, const std::function<void(Group&)>& adjust) {
    if (all.empty()) return;
    begin_section(lines_, title, style);
    Grid grid;
    grid.columns = {{"", {}, 24}, {"", {}, 12}, {""}, {"", {}, 12}, {"", {}, 20}};
    const std::string arrow = terminal_.letters == Letters::kUnicode ? "→" : "->";
    std::size_t left = 0;
    for (Group& group : all) {
      if (grid.rows.size() == kMostLines) {
        ++left;
        continue;
      }
      adjust(group);
      grid.rows.push_back({Line(name_text(group), Style::kBold), Line(group.from),
                           group.to.empty() ? Line() : Line(arrow, Style::kDim),
                           Line(shares_text(group.to, 40, terminal_)), Line(group.why, Style::kDim)});
    }
    add_indented(lines_, lay_out(grid, narrowed(terminal_, 2)), 2);
    note_left_to_wide(lines_, left, "more line", terminal_);
  }

  /// Those without a node, those of one reason together.
  void waiting(std::string_view title, const Filter& wanted) {
    const std::vector<Group> all = groups(wanted);
    if (all.empty()) return;
    begin_section(lines_, title, Style::kBad);
    std::vector<std::string> reasons;
    for (const Group& group : all) {
      if (std::ranges::find(reasons, group.message) == reasons.end()) reasons.push_back(group.message);
    }
    for (std::size_t i = 0; i < std::min(reasons.size(), kMostReasons); ++i) {
      std::size_t shown = 0, left = 0;
      for (const Group& group : all) {
        if (group.message != reasons[i]) continue;
        if (shown++ < kMostReasons) {
          lines_.push_back(waiting_line(group));
        } else {
          ++left;
        }
      }
      note_left_to_wide(lines_, left, "more line", terminal_);
      add_wrapped(lines_, reasons[i].empty() ? "no reason given" : std::string(report::for_readers(reasons[i])), 6,
                  terminal_, Style::kPlain);
    }
    note_left_to_wide(lines_, reasons.size() - std::min(reasons.size(), kMostReasons), "more reason", terminal_);
  }

  [[nodiscard]] Line waiting_line(const Group& group) const {
    Line line("  ");
    line.add(name_text(group), Style::kBold);
    if (!group.from.empty()) line.add("  left " + group.from);
    if (!group.why.empty()) line.add(", " + group.why);
    return line.add(fmt::format("  priority {}", group.first->priority), Style::kDim);
  }

  /// Those that wait although they ran, or that are new; and those that start.
  void pod_groups() {
    if (difference_.groups.empty()) return;
    lines_.emplace_back();
    lines_.push_back(heading("POD GROUPS"));
    for (const simulator::GroupDifference& entry : difference_.groups) {
      add(pod_group_lines(view_.comparison.after.groups[entry.after], terminal_));
    }
  }

  void refused() {
    if (difference_.refused.empty()) return;
    begin_section(lines_, "REJECTED at admission", Style::kBad);
    for (const std::size_t index : difference_.refused) {
      const simulator::RefusedObject& entry = view_.comparison.after.refused[index];
      lines_.push_back(Line("  ").add(report::workload_text(entry.object), Style::kBold));
      add_wrapped(lines_, entry.message, 6, terminal_, Style::kPlain);
    }
  }

  /// Reservations: what is held where before, and after.
  void room() {
    if (difference_.reservations.empty()) return;
    lines_.emplace_back();
    lines_.push_back(heading("RESERVATIONS"));
    Grid grid;
    grid.columns = {{"", {}, 24}, {"", {}, 16}, {""}, {"", {}, 16}};
    const std::string arrow = terminal_.letters == Letters::kUnicode ? "→" : "->";
    for (const simulator::ReservationDifference& entry : difference_.reservations) {
      const auto* was = entry.before ? &view_.comparison.before.reservations[*entry.before] : nullptr;
      const auto* is = entry.after ? &view_.comparison.after.reservations[*entry.after] : nullptr;
      grid.rows.push_back({Line(report::reservation_key(is != nullptr ? *is : *was), Style::kBold),
                           was == nullptr ? Line("new", Style::kDim) : room_of(*was, terminal_),
                           Line(arrow, Style::kDim),
                           is == nullptr ? Line("gone", Style::kDim) : room_of(*is, terminal_)});
    }
    add_indented(lines_, lay_out(grid, narrowed(terminal_, 2)), 2);
  }

  void free() {
    const auto changes = report::free_changes(view_.comparison.before, view_.comparison.after);
    if (changes.empty()) return;
    constexpr auto kRight = report::Alignment::kRight;
    Grid grid;
    grid.columns = {{"", {}, 20},      {"BEFORE", kRight}, {"", kRight}, {"", kRight},
                    {"AFTER", kRight}, {"", kRight},       {"", kRight}, {"", kRight}};
    for (const report::FreeChange& change : changes) grid.rows.push_back(free_row(change));
    lines_.emplace_back();
    lines_.push_back(heading("FREE on nodes that are not cordoned"));
    add_indented(lines_, lay_out(grid, narrowed(terminal_, 2)), 2);
  }

  [[nodiscard]] std::vector<Line> free_row(const report::FreeChange& change) const {
    const auto text = [&](const kube::Quantity& amount) { return report::readable_amount(change.resource, amount); };
    const bool grew = change.before.free < change.after.free;
    const bool shrank = change.after.free < change.before.free;
    Line step;
    if (grew) step = Line("+" + text(change.after.free - change.before.free), Style::kGood);
    if (shrank) step = Line("-" + text(change.before.free - change.after.free), Style::kWarn);
    return {Line(change.resource),
            Line(text(change.before.free)),
            Line("of", Style::kDim),
            Line(text(change.before.allocatable)),
            Line(text(change.after.free)),
            Line("of", Style::kDim),
            Line(text(change.after.allocatable)),
            step};
  }

  const DifferenceView& view_;
  const Terminal& terminal_;
  const simulator::Difference& difference_;
  report::GroupsOfPods groups_;
  Lines lines_;
};

}  // namespace

Lines difference_page(const DifferenceView& view) { return DifferencePage(view).run(); }

}  // namespace loadline::cli
