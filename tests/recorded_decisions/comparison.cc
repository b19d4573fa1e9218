#include "recorded_decisions/comparison.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "foundation/base/text.h"

namespace loadline::recorded_decisions {

using cluster::NodeId;
using cluster::PodId;

namespace {

std::string_view code_name(placement::Code code) {
  switch (code) {
    case placement::Code::kUnschedulable:
      return "Unschedulable";
    case placement::Code::kUnresolvable:
      return "UnschedulableAndUnresolvable";
    case placement::Code::kError:
      break;
  }
  return "Error";
}

std::string_view result_of(const placement::Attempt& attempt) {
  if (attempt.scheduled()) return "scheduled";
  return attempt.error.empty() ? "unschedulable" : "error";
}

/// "NodeResourcesFit Unschedulable [Insufficient cpu]".
std::string describe(std::string_view plugin, std::string_view code, std::vector<std::string> reasons) {
  std::sort(reasons.begin(), reasons.end());
  return std::string(plugin) + ' ' + std::string(code) + " [" + joined(reasons, ", ") + ']';
}

std::string describe(const RecordedRefusal& refusal) { return describe(refusal.plugin, refusal.code, refusal.reasons); }

std::string describe(const placement::Rejection& rejection) {
  std::vector<std::string> reasons;
  for (const placement::Reason& reason : rejection.reasons) reasons.push_back(reason.text());
  return describe(rejection.plugin, code_name(rejection.code), std::move(reasons));
}

/// Plugins that the real scheduler lists as skipping and that we do not have: they take no part in these recordings.
bool is_absent(std::string_view plugin) { return plugin == "NodeDeclaredFeatures"; }

template <class Names>
std::string present_plugins(const Names& names) {
  std::set<std::string> kept;
  for (const std::string_view name : names) {
    if (!is_absent(name)) kept.emplace(name);
  }
  return joined(kept, ", ");
}

template <class Items, class Item>
bool contains(const Items& items, const Item& item) {
  return std::find(items.begin(), items.end(), item) != items.end();
}

}  // namespace

std::string with_sorted_errors(const std::string& message) {
  constexpr std::string_view kBegin = "preemption: [";
  const std::size_t begin = message.find(kBegin);
  const std::size_t end = message.rfind(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return message;
  const std::size_t first = begin + kBegin.size();
  std::vector<std::string> errors;
  for (std::size_t at = first; at <= end;) {
    const std::size_t comma = std::min(message.find(", ", at), end);
    errors.push_back(message.substr(at, comma - at));
    at = comma == end ? end + 1 : comma + 2;
  }
  std::sort(errors.begin(), errors.end());
  return message.substr(0, first) + joined(errors, ", ") + message.substr(end);
}

std::string Divergence::to_string() const {
  return case_name + " attempt " + std::to_string(attempt) + " (" + pod + "): " + what + "\n  expected: " + expected +
         "\n  actual:   " + actual + '\n';
}

void Comparison::expect(const std::string& what, const std::string& expected, const std::string& actual) {
  if (expected == actual) return;
  divergences_.push_back({recorded_.name, attempt_.sequence, attempt_.pod, what, expected, actual});
}

// ---- the full decision ----------------------------------------------------------------------------------------------

void Comparison::compare_in_full(const placement::Decision& decision, const placement::RejectionTable& rejections) {
  const placement::Attempt& attempt = decision.attempt;
  expect("result", attempt_.result, std::string(result_of(attempt)));
  // How far the search got before an error is no part of the decision; without nodes there is none.
  if ((attempt_.result == "error" && !attempt.error.empty()) || cluster_.node_count() == 0) {
    compare_failure("", decision);
    return;
  }
  if (attempt.scheduled() && !attempt.error.empty()) {  // met among the nodes that a nomination spares us
    compare_choice("choice", attempt.node);
    return;
  }
  expect("refusal of the pod as a whole", attempt_.pre_filter ? recorded_decisions::describe(*attempt_.pre_filter) : "",
         attempt.pre_filter ? recorded_decisions::describe(*attempt.pre_filter) : "");
  expect("feasible nodes", names(attempt_.feasible), names(attempt.feasible));
  compare_refusals(attempt, rejections);
  compare_skips(attempt);
  if (attempt.scheduled()) {
    compare_scores(attempt);
    return;
  }
  compare_failure("", decision);
  if (attempt_.preemption) compare_preemption(decision.preemption);
}

void Comparison::compare_refusals(const placement::Attempt& attempt, const placement::RejectionTable& rejections) {
  std::map<std::string, std::pair<std::string, std::string>> by_node;  // expected, actual
  for (const RecordedRefusal& refusal : attempt_.infeasible) {
    const std::string text = recorded_decisions::describe(refusal);
    for (const int index : refusal.nodes) by_node[name(index)].first = text;
  }
  for (std::size_t i = 0; i < attempt.rejection_by_node.size(); ++i) {
    const placement::RejectionId rejection = attempt.rejection_by_node[i];
    if (!rejection.valid() || rejection == placement::kPassed) continue;
    by_node[name(NodeId{i})].second = recorded_decisions::describe(rejections.at(rejection));
  }
  // A nominated node is tried even where PreFilter names others; recordings of refusals keep to those.
  if (attempt_.pre_filter_nodes && by_node[attempt_.nominated_before].first.empty()) {
    by_node.erase(attempt_.nominated_before);
  }
  for (const auto& [node, texts] : by_node) expect("refusal by " + node, texts.first, texts.second);
}

void Comparison::compare_skips(const placement::Attempt& attempt) {
  expect("skipped filters", present_plugins(attempt_.skipped_filter), present_plugins(attempt.skipped_filters));
  if (!attempt.scheduled()) return;
  // A recording also names plugins that configuration lets prepare scores and not give them.
  std::vector<std::string_view> skipped, recorded;
  for (const placement::ScoreColumn& column : attempt.columns) {
    if (column.skipped) skipped.push_back(column.plugin);
    if (contains(attempt_.skipped_score, column.plugin)) recorded.push_back(column.plugin);
  }
  expect("skipped scores", joined(std::set(recorded.begin(), recorded.end()), ", "),
         joined(std::set(skipped.begin(), skipped.end()), ", "));
}

void Comparison::compare_scores(const placement::Attempt& attempt) {
  for (const RecordedScores& row : attempt_.scores) {
    const auto found = std::find(attempt.feasible.begin(), attempt.feasible.end(), node(row.node));
    if (found == attempt.feasible.end()) continue;  // reported with the feasible nodes
    compare_row(row, attempt, static_cast<std::size_t>(found - attempt.feasible.begin()));
  }
  expect("highest score", std::to_string(attempt_.max_score), std::to_string(attempt.best_score));
  expect("best nodes", names(attempt_.max_nodes), names(attempt.best));
  compare_choice("choice", attempt.node);
}

/// A plugin that only one side has must have scored nothing.
void Comparison::compare_row(const RecordedScores& row, const placement::Attempt& attempt, std::size_t position) {
  std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> by_plugin;  // expected, actual
  for (std::size_t i = 0; i < row.by_plugin.size(); ++i) {
    by_plugin[recorded_.score_plugins[i]].first = row.by_plugin[i];
  }
  for (const placement::ScoreColumn& column : attempt.columns) {
    by_plugin[column.plugin].second = column.scores[position];
  }
  for (const auto& [plugin, scores] : by_plugin) {
    expect("score of " + std::string(plugin) + " for " + name(row.node), std::to_string(scores.first),
           std::to_string(scores.second));
  }
}

/// The real scheduler breaks ties by chance, except that a nominated node that fits is taken at once.
void Comparison::compare_choice(const std::string& what, NodeId chosen) {
  if (!attempt_.node) return;  // reported as the result
  const std::vector<int> allowed = attempt_.chosen_is_max ? attempt_.max_nodes : std::vector<int>{*attempt_.node};
  const bool among = std::any_of(allowed.begin(), allowed.end(), [&](int index) { return node(index) == chosen; });
  if (!among) expect(what, "one of " + names(allowed), chosen.valid() ? name(chosen) : "none");
}

namespace {

std::string why_not(const placement::Preemption& preemption) {
  return preemption.ineligible ? std::string(text(*preemption.ineligible)) : std::string();
}

}  // namespace

void Comparison::compare_failure(const std::string& prefix, const placement::Decision& decision) {
  expect(prefix + "message", with_sorted_errors(attempt_.message), with_sorted_errors(text(decision)));
  if (attempt_.result == "error") return;  // which names no plugins
  expect(prefix + "unschedulable plugins", joined(attempt_.unschedulable_plugins, ", "),
         joined(decision.attempt.rejecting_plugins, ", "));
}

void Comparison::compare_preemption(const placement::Preemption& actual) {
  const RecordedPreemption& expected = *attempt_.preemption;
  expect("preemption: eligible", expected.eligible ? "yes" : "no", actual.ineligible ? "no" : "yes");
  expect("preemption: why not", expected.why, why_not(actual));
  std::set<std::string> wanted, got;
  for (const RecordedCandidate& candidate : expected.candidates) wanted.insert(describe(candidate));
  for (const placement::Candidate& candidate : actual.candidates) got.insert(describe(candidate));
  expect("preemption: candidates", joined(wanted, "; "), joined(got, "; "));
  expect("preemption: best nodes", names(expected.best), names(actual.best));
}

// ---- the ordinary decision ------------------------------------------------------------------------------------------

void Comparison::compare_ordinary(const placement::Decision& ordinary, const placement::Decision& full,
                                  bool preemption_may_stop) {
  const placement::Attempt& attempt = ordinary.attempt;
  expect("ordinary decision: result", attempt_.result, std::string(result_of(attempt)));
  if (attempt.scheduled()) {
    compare_choice("ordinary decision: choice", attempt.node);
    // A search among a few named nodes begins where the one before ended, so a tie may go to another of them.
    const bool tie_may_differ = attempt_.pre_filter_nodes.has_value() && contains(full.attempt.best, attempt.node);
    if (full.attempt.scheduled() && !tie_may_differ) {
      expect("ordinary decision: choice of the full one", name(full.attempt.node), name(attempt.node));
    }
    return;
  }
  compare_failure("ordinary decision: ", ordinary);
  expect("ordinary decision: message of the full one", text(full), text(ordinary));
  if (attempt_.preemption) compare_ordinary_preemption(ordinary.preemption, full.preemption, preemption_may_stop);
}

void Comparison::compare_ordinary_preemption(const placement::Preemption& ordinary, const placement::Preemption& full,
                                             bool may_stop) {
  const std::string prefix = "ordinary decision: preemption: ";
  const RecordedPreemption& expected = *attempt_.preemption;
  expect(prefix + "eligible", expected.eligible ? "yes" : "no", ordinary.ineligible ? "no" : "yes");
  expect(prefix + "why not", expected.why, why_not(ordinary));
  const placement::Candidate* chosen = ordinary.chosen();
  if (chosen == nullptr) {
    expect(prefix + "node", expected.best.empty() ? "none" : "one of " + names(expected.best), "none");
    return;
  }
  std::set<std::string> allowed;
  for (const RecordedCandidate& candidate : expected.candidates) {
    if (may_stop || contains(expected.best, candidate.node)) allowed.insert(describe(candidate));
  }
  const std::string got = describe(*chosen);
  if (!allowed.contains(got)) expect(prefix + "outcome", "one of " + joined(allowed, "; "), got);
  if (!may_stop && full.node.valid()) expect(prefix + "node of the full one", name(full.node), name(ordinary.node));
}

// ---- names ----------------------------------------------------------------------------------------------------------

NodeId Comparison::node(int index) const { return cluster_.find_node(name(index)); }

std::string Comparison::name(int index) const { return recorded_.node_names[static_cast<std::size_t>(index)]; }

std::string Comparison::name(NodeId node) const { return std::string(cluster_.node_name(node)); }

std::string Comparison::names(const std::vector<int>& nodes) const {
  std::set<std::string> sorted;
  for (const int index : nodes) sorted.insert(name(index));
  return joined(sorted, " ");
}

std::string Comparison::names(const std::vector<NodeId>& nodes) const {
  std::set<std::string> sorted;
  for (const NodeId id : nodes) sorted.insert(name(id));
  return joined(sorted, " ");
}

namespace {

std::string candidate_text(const std::string& node, const std::vector<std::string>& victims, std::int64_t violations) {
  return node + " victims [" + joined(victims, ", ") + "] violations " + std::to_string(violations);
}

}  // namespace

std::string Comparison::describe(const RecordedCandidate& candidate) const {
  return candidate_text(name(candidate.node), candidate.victims, candidate.budget_violations);
}

std::string Comparison::describe(const placement::Candidate& candidate) const {
  std::vector<std::string> victims;
  for (const PodId pod : candidate.victims) victims.push_back(cluster_.pod_text(pod));
  return candidate_text(name(candidate.node), victims, candidate.budget_violations);
}

}  // namespace loadline::recorded_decisions
