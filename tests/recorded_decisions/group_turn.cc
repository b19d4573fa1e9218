#include "recorded_decisions/group_turn.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/group_attempt.h"
#include "brain/gang/refusal_text.h"
#include "brain/gang/topology/scored_domains.h"

namespace loadline::recorded_decisions {
namespace {

using cluster::NodeId;
using cluster::PodId;

std::string_view outcome_of(gang::Verdict verdict) {
  switch (verdict) {
    case gang::Verdict::kStarts:
      return "scheduled";
    case gang::Verdict::kWaitsForRoom:
      return "waiting for preemption";
    case gang::Verdict::kDoesNotFit:
      return "unschedulable";
    case gang::Verdict::kFailed:
      break;
  }
  return "error";
}

class TurnComparison {
 public:
  TurnComparison(const std::string& case_name, const RecordedTurn& recorded, ReplayedCluster& state,
                 std::vector<Divergence>& divergences)
      : case_name_(case_name), recorded_(recorded), state_(state), divergences_(divergences) {}

  bool compare(placement::Scheduler& scheduler) {
    std::vector<PodId> members;
    for (const RecordedMember& member : recorded_.cycle.members) {
      const Result<PodId> pod = state_.pod(member.pod);
      if (!pod) return false;
      members.push_back(*pod);
    }
    if (!may_compare(members)) return false;
    cluster::Cluster& cluster = state_.cluster();
    const cluster::GroupId group = cluster.pod(members.front()).group;
    if (is_constrained()) return compare_domains(scheduler, group, members);
    cluster::Transaction tentatively(cluster, cluster::Visibility::kSeen);
    const gang::GroupAttempt ours = gang::attempt(cluster, scheduler, group, members);
    tentatively.rollback();
    static_cast<void>(cluster.volumes().take_choices());
    if (!is_same_way(ours, recorded_.attempts)) return false;
    compare_outcome(ours);
    return true;
  }

 private:
  [[nodiscard]] bool may_compare(const std::vector<PodId>& members) const {
    if (members.empty() || recorded_.cycle.is_gone) return false;
    const cluster::GroupId group = state_.cluster().pod(members.front()).group;
    if (!group.valid()) return false;
    const auto placed = static_cast<std::size_t>(recorded_.cycle.scheduled_before);
    return state_.cluster().group(group).placed == placed &&
           std::none_of(recorded_.attempts.begin(), recorded_.attempts.end(), [](const RecordedAttempt& attempt) {
             return !attempt.nominated_node.empty() || !attempt.nominated_before.empty();
           });
  }

  [[nodiscard]] bool is_constrained() const {
    return recorded_.cycle.topology && !recorded_.cycle.topology->key.empty();
  }

  /// Whether chance has led both the same way, as far as both went.
  [[nodiscard]] bool is_same_way(const gang::GroupAttempt& ours, std::span<const RecordedAttempt> attempts) const {
    const std::size_t both = std::min(ours.members.size(), attempts.size());
    for (std::size_t i = 0; i < both; ++i) {
      const RecordedAttempt& attempt = attempts[i];
      if (name(ours.members[i].pod) != attempt.pod) return false;
      const NodeId node = ours.members[i].node;
      const bool is_tie = attempt.node && attempt.max_nodes.size() > 1;
      if (is_tie && node.valid() && !is_theirs(node, attempt)) return false;
    }
    return true;
  }

  [[nodiscard]] std::string name_of_node(const RecordedAttempt& attempt) const {
    return attempt.node ? state_.recorded().node_names[static_cast<std::size_t>(*attempt.node)] : "none";
  }
  [[nodiscard]] bool is_theirs(NodeId node, const RecordedAttempt& attempt) const {
    return state_.cluster().node_name(node) == name_of_node(attempt);
  }

  /// False: there are no domains, or chance has led another way in one of them.
  bool compare_domains(placement::Scheduler& scheduler, cluster::GroupId group, const std::vector<PodId>& members) {
    gang::DomainTrees trees(state_.cluster());
    const std::vector<RecordedPlacement>& placements = recorded_.cycle.topology->placements;
    const bool is_heeded = placements.size() != 1 || !placements.front().name.empty();
    if (placements.empty() || !is_heeded) return false;
    const gang::DomainChoice ours = gang::score_domains(state_.cluster(), scheduler, trees, group, members);
    static_cast<void>(state_.cluster().volumes().take_choices());
    expect(recorded_.cycle.pod_group, "domains", std::to_string(placements.size()),
           std::to_string(ours.domains.size()));
    std::span<const RecordedAttempt> left = recorded_.attempts;
    std::vector<std::span<const RecordedAttempt>> attempts;
    for (std::size_t i = 0; i < std::min(placements.size(), ours.domains.size()); ++i) {
      attempts.push_back(left.first(placements[i].attempts));
      left = left.subspan(placements[i].attempts);
      if (!is_same_way(ours.domains[i].attempt, attempts[i])) return false;
    }
    for (std::size_t i = 0; i < attempts.size(); ++i) {
      const gang::ScoredDomain& domain = ours.domains[i];
      expect(recorded_.cycle.pod_group, "domain", placements[i].name, domain.name);
      compare_nodes(domain.attempt, attempts[i]);
      if (!placements[i].score) continue;
      expect(recorded_.cycle.pod_group, "score of " + domain.name, std::to_string(*placements[i].score),
             std::to_string(domain.score));
    }
    return true;
  }

  void compare_outcome(const gang::GroupAttempt& ours) {
    const RecordedGroupCycle& cycle = recorded_.cycle;
    expect(cycle.pod_group, "outcome", cycle.outcome, std::string(outcome_of(ours.verdict)));
    compare_nodes(ours, recorded_.attempts);
    if (const std::optional<std::string> told = told_as_group())
      expect(cycle.pod_group, "message", *told, gang::text(state_.cluster(), ours.refusal));
  }

  void compare_nodes(const gang::GroupAttempt& ours, std::span<const RecordedAttempt> attempts) {
    expect(recorded_.cycle.pod_group, "members tried", std::to_string(attempts.size()),
           std::to_string(ours.members.size()));
    for (std::size_t i = 0; i < std::min(ours.members.size(), attempts.size()); ++i) {
      const RecordedAttempt& attempt = attempts[i];
      const NodeId node = ours.members[i].node;
      expect(attempt.pod, "node", name_of_node(attempt),
             node.valid() ? std::string(state_.cluster().node_name(node)) : "none");
    }
  }

  /// What a member was told that did not fail by itself; nullopt: there is none.
  [[nodiscard]] std::optional<std::string> told_as_group() const {
    const RecordedGroupCycle& cycle = recorded_.cycle;
    for (std::size_t i = 0; i < cycle.members.size(); ++i) {
      const bool is_untried = i >= recorded_.attempts.size();
      const bool is_placed = !is_untried && recorded_.attempts[i].node.has_value();
      if (!cycle.members[i].node && (is_untried || is_placed)) return cycle.members[i].message;
    }
    return std::nullopt;
  }

  void expect(const std::string& pod, const std::string& what, const std::string& expected, const std::string& actual) {
    if (expected == actual) return;
    divergences_.push_back({case_name_, recorded_.cycle.first_attempt, pod, "turn: " + what, expected, actual});
  }

  [[nodiscard]] std::string name(PodId pod) const { return state_.cluster().pod_text(pod); }

  const std::string& case_name_;
  const RecordedTurn& recorded_;
  ReplayedCluster& state_;
  std::vector<Divergence>& divergences_;
};

}  // namespace

std::string contradiction(const RecordedGroupCycle& cycle, ReplayedCluster& state, placement::Scheduler& scheduler) {
  if (cycle.is_gone) {
    const std::string name = cycle.pod_group.substr(cycle.pod_group.find('/') + 1);
    return "podgroup.scheduling.k8s.io \"" + name + "\" not found";
  }
  std::vector<PodId> members;
  for (const RecordedMember& member : cycle.members) {
    if (const Result<PodId> pod = state.pod(member.pod)) members.push_back(*pod);
  }
  gang::DomainTrees trees(state.cluster());
  const cluster::GroupId group = state.cluster().pod(members.front()).group;
  const gang::DomainChoice choice = gang::score_domains(state.cluster(), scheduler, trees, group, members);
  static_cast<void>(state.cluster().volumes().take_choices());
  return gang::text(state.cluster(), choice.error);
}

bool compare_group_turn(const std::string& case_name, const RecordedTurn& recorded, ReplayedCluster& state,
                        placement::Scheduler& scheduler, std::vector<Divergence>& divergences) {
  return TurnComparison(case_name, recorded, state, divergences).compare(scheduler);
}

}  // namespace loadline::recorded_decisions
