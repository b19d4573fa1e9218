#include "conformance/replay.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "placement/scheduler.h"

namespace loadline::conformance {
namespace {

using cluster::NodeId;
using cluster::PodId;

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

/// One line a node group: "NodeResourcesFit Unschedulable [Insufficient cpu]".
std::string describe(const placement::Rejection& rejection) {
  std::vector<std::string> reasons;
  for (const placement::Reason& reason : rejection.reasons) reasons.push_back(reason.text());
  std::sort(reasons.begin(), reasons.end());
  return std::string(rejection.plugin) + ' ' + std::string(code_name(rejection.code)) + " [" + joined(reasons, ", ") +
         ']';
}

std::string describe(const RecordedRefusal& refusal) {
  std::vector<std::string> reasons = refusal.reasons;
  std::sort(reasons.begin(), reasons.end());
  return refusal.plugin + ' ' + refusal.code + " [" + joined(reasons, ", ") + ']';
}

/// Plugins that the real scheduler lists as skipping and that we do not have: they take no part in these recordings.
bool is_absent(std::string_view plugin) { return plugin == "NodeDeclaredFeatures"; }

class Replayer {
 public:
  explicit Replayer(const RecordedCase& recorded) : recorded_(recorded) {}

  Result<Replay> run() {
    load();
    auto scheduler =
        placement::Scheduler::make(cluster_, recorded_.configuration.value_or(kube::SchedulerConfiguration{}));
    if (!scheduler) return tl::unexpected(scheduler.error());
    for (const RecordedAttempt& attempt : recorded_.attempts) {
      const auto pod = pods_.find(attempt.pod);
      if (pod == pods_.end()) return failure(recorded_.name + ": attempt of unknown pod " + attempt.pod);
      current_ = &attempt;
      restore_nominations(attempt, pod->second);
      const placement::Decision decision =
          scheduler->decide(pod->second, placement::Detail::kFull, placement::Search::kEveryNode);
      compare(decision, scheduler->rejections());
      apply(attempt, pod->second);
      ++replay_.attempts;
    }
    return std::move(replay_);
  }

 private:
  void load() {
    for (const kube::Namespace& name_space : recorded_.cluster.namespaces) {
      cluster_.set_namespace(name_space.metadata.name, name_space.metadata.labels);
    }
    for (const kube::Node& node : recorded_.cluster.nodes) cluster_.add_node(node);
    for (const kube::Service& service : recorded_.cluster.services) cluster_.change_belonging().add_service(service);
    std::vector<cluster::DisruptionBudget> budgets;
    for (const kube::PodDisruptionBudget& budget : recorded_.cluster.pod_disruption_budgets) {
      budgets.push_back(cluster::compile_budget(budget, budget.disruptions_allowed.value_or(0), cluster_.symbols()));
    }
    cluster_.change_belonging().set_budgets(std::move(budgets));
    for (const kube::Pod& pod : recorded_.cluster.pods) {
      const PodId id = add(pod);
      cluster_.place(id, cluster_.find_node(pod.spec->node_name));
    }
    for (const kube::Pod& pod : recorded_.pending) add(pod);
  }

  PodId add(const kube::Pod& pod) {
    const PodId id = cluster_.add_pod(pod);
    pods_[pod.metadata.namespace_ + '/' + pod.metadata.name] = id;
    return id;
  }

  void restore_nominations(const RecordedAttempt& attempt, PodId pod) {
    for (const auto& [name, id] : pods_) cluster_.nominate(id, NodeId{});
    if (!attempt.nominated_before.empty()) cluster_.nominate(pod, cluster_.find_node(attempt.nominated_before));
    for (const std::string& other : attempt.other_nominated) {
      const std::size_t at = other.rfind('@');
      cluster_.nominate(pods_.at(other.substr(0, at)), cluster_.find_node(std::string_view(other).substr(at + 1)));
    }
  }

  void apply(const RecordedAttempt& attempt, PodId pod) {
    if (attempt.node) {
      constexpr std::int64_t kFirstBinding = 1767225600;  // 2026-01-01T00:00:00Z
      cluster_.nominate(pod, NodeId{});
      cluster_.place(pod, node(*attempt.node));
      cluster_.set_started(pod, Instant{(kFirstBinding + ++bindings_) * 1'000'000'000});
    }
    for (const std::string& victim : attempt.victims) cluster_.remove_pod(pods_.at(victim));
  }

  [[nodiscard]] NodeId node(int index) const {
    return cluster_.find_node(recorded_.node_names[static_cast<std::size_t>(index)]);
  }
  [[nodiscard]] std::string names(const std::vector<int>& nodes) const {
    std::set<std::string> sorted;
    for (const int index : nodes) sorted.insert(recorded_.node_names[static_cast<std::size_t>(index)]);
    return joined(sorted, " ");
  }
  [[nodiscard]] std::string names(const std::vector<NodeId>& nodes) const {
    std::set<std::string> sorted;
    for (const NodeId id : nodes) sorted.insert(std::string(cluster_.node_name(id)));
    return joined(sorted, " ");
  }
  [[nodiscard]] std::string pod_name(PodId pod) const {
    const cluster::PodRecord& record = cluster_.pod(pod);
    return std::string(cluster_.symbols().text(record.name_space)) + '/' +
           std::string(cluster_.symbols().text(record.name));
  }

  void expect(const std::string& what, const std::string& expected, const std::string& actual) {
    if (expected == actual) return;
    replay_.divergences.push_back({recorded_.name, current_->sequence, current_->pod, what, expected, actual});
  }

  void compare(const placement::Decision& decision, const placement::RejectionTable& rejections) {
    const placement::Attempt& attempt = decision.attempt;
    expect("result", current_->result, attempt.scheduled() ? "scheduled" : "unschedulable");
    expect("feasible nodes", names(current_->feasible), names(attempt.feasible));
    compare_refusals(attempt, rejections);
    compare_skips(attempt);
    if (attempt.scheduled()) {
      compare_scores(attempt);
      return;
    }
    expect("message", current_->message, decision.message);
    std::vector<std::string> plugins(attempt.rejecting_plugins.begin(), attempt.rejecting_plugins.end());
    expect("unschedulable plugins", joined(current_->unschedulable_plugins, ", "), joined(plugins, ", "));
    if (current_->preemption) compare_preemption(*current_->preemption, decision.preemption);
  }

  void compare_refusals(const placement::Attempt& attempt, const placement::RejectionTable& rejections) {
    std::map<std::string, std::string> expected, actual;
    for (const RecordedRefusal& refusal : current_->infeasible) {
      for (const int index : refusal.nodes) expected[names(std::vector<int>{index})] = describe(refusal);
    }
    for (std::size_t i = 0; i < attempt.verdicts.size(); ++i) {
      const placement::RejectionId verdict = attempt.verdicts[i];
      if (!verdict.valid() || verdict == placement::kPassed) continue;
      actual[std::string(cluster_.node_name(NodeId{i}))] = describe(rejections.at(verdict));
    }
    std::set<std::string> nodes;
    for (const auto& [name, text] : expected) nodes.insert(name);
    for (const auto& [name, text] : actual) nodes.insert(name);
    for (const std::string& name : nodes) expect("refusal by " + name, expected[name], actual[name]);
  }

  void compare_skips(const placement::Attempt& attempt) {
    const auto known = [](const std::vector<std::string>& names) {
      std::set<std::string> kept;
      for (const std::string& name : names) {
        if (!is_absent(name)) kept.insert(name);
      }
      return joined(kept, ", ");
    };
    expect("skipped filters", known(current_->skipped_filter),
           known({attempt.skipped_filters.begin(), attempt.skipped_filters.end()}));
    std::vector<std::string> skipped;
    for (const placement::ScoreColumn& column : attempt.columns) {
      if (column.skipped) skipped.emplace_back(column.plugin);
    }
    if (attempt.scheduled()) expect("skipped scores", known(current_->skipped_score), known(skipped));
  }

  void compare_scores(const placement::Attempt& attempt) {
    for (const RecordedScores& row : current_->scores) {
      const auto found = std::find(attempt.feasible.begin(), attempt.feasible.end(), node(row.node));
      if (found == attempt.feasible.end()) continue;  // reported with the feasible nodes
      const auto position = static_cast<std::size_t>(found - attempt.feasible.begin());
      for (std::size_t p = 0; p < recorded_.score_plugins.size(); ++p) {
        for (const placement::ScoreColumn& column : attempt.columns) {
          if (column.plugin != recorded_.score_plugins[p]) continue;
          expect("score of " + recorded_.score_plugins[p] + " for " + names(std::vector<int>{row.node}),
                 std::to_string(row.by_plugin[p]), std::to_string(column.scores[position]));
        }
      }
    }
    expect("highest score", std::to_string(current_->max_score), std::to_string(attempt.best_score));
    expect("best nodes", names(current_->max_nodes), names(attempt.best));
    if (current_->chosen_is_max) {
      const bool among = std::find(attempt.best.begin(), attempt.best.end(), attempt.node) != attempt.best.end();
      expect("choice", "one of " + names(current_->max_nodes),
             among ? "one of " + names(current_->max_nodes) : names(std::vector<NodeId>{attempt.node}));
    } else {
      expect("choice", names(std::vector<int>{*current_->node}), names(std::vector<NodeId>{attempt.node}));
    }
  }

  void compare_preemption(const RecordedPreemption& expected, const placement::Preemption& actual) {
    expect("preemption: eligible", expected.eligible ? "yes" : "no", actual.eligible ? "yes" : "no");
    expect("preemption: why not", expected.why, actual.why_not);
    const auto line = [](const std::string& node, const std::vector<std::string>& victims, std::int64_t violations) {
      return node + " victims [" + joined(victims, ", ") + "] violations " + std::to_string(violations);
    };
    std::set<std::string> wanted, got;
    for (const RecordedCandidate& candidate : expected.candidates) {
      wanted.insert(line(names(std::vector<int>{candidate.node}), candidate.victims, candidate.budget_violations));
    }
    for (const placement::Candidate& candidate : actual.candidates) {
      std::vector<std::string> victims;
      for (const PodId pod : candidate.victims) victims.push_back(pod_name(pod));
      got.insert(line(names(std::vector<NodeId>{candidate.node}), victims, candidate.budget_violations));
    }
    expect("preemption: candidates", joined(wanted, "; "), joined(got, "; "));
    expect("preemption: best nodes", names(expected.best), names(actual.best));
  }

  const RecordedCase& recorded_;
  cluster::Cluster cluster_;
  std::map<std::string, PodId> pods_;
  const RecordedAttempt* current_ = nullptr;
  std::int64_t bindings_ = 0;
  Replay replay_;
};

}  // namespace

std::string Divergence::to_string() const {
  return case_name + " attempt " + std::to_string(attempt) + " (" + pod + "): " + what + "\n  expected: " + expected +
         "\n  actual:   " + actual + '\n';
}

Result<Replay> replay(const RecordedCase& recorded) { return Replayer(recorded).run(); }

}  // namespace loadline::conformance
