#include "brain/placement/extender_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "brain/placement/cycle.h"
#include "brain/placement/dry_run.h"
#include "brain/placement/profile.h"

namespace loadline::placement {

using cluster::NodeId;
using cluster::PodId;

namespace {

constexpr std::int64_t kMaxExtenderScore = 10;

/// As Go multiplies and adds: modulo 2^64.
std::int64_t scaled(std::int64_t score, std::int64_t weight) {
  constexpr std::int64_t kScale = kMaxNodeScore / kMaxExtenderScore;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(score) * static_cast<std::uint64_t>(weight) *
                                   static_cast<std::uint64_t>(kScale));
}
void add(std::int64_t& sum, std::int64_t score) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) + static_cast<std::uint64_t>(score));
}

}  // namespace

/// `call` returns false to end the round.
template <class Call>
void ExtenderCalls::each_interested(Call&& call) {
  for (const std::unique_ptr<Extender>& extender : profile_.extenders()) {
    if (!interested(extender->settings(), *cluster_.shape_of(pod_).spec)) continue;
    if (!call(*extender)) return;
  }
}

bool ExtenderCalls::any_interested() const {
  return std::any_of(profile_.extenders().begin(), profile_.extenders().end(), [&](const auto& extender) {
    return interested(extender->settings(), *cluster_.shape_of(pod_).spec);
  });
}

/// Notes the failure; true if it may be overlooked.
bool ExtenderCalls::overlook(const Extender& extender, const std::string& message) {
  const kube::Extender& settings = extender.settings();
  using Kind = ExtenderTrouble::Kind;
  troubles_.push_back({settings.url_prefix, message, settings.ignorable ? Kind::kLeftOut : Kind::kFailedAttempt});
  return settings.ignorable;
}

std::vector<const kube::Node*> ExtenderCalls::shown(const std::vector<NodeId>& nodes) const {
  std::vector<const kube::Node*> shown;
  shown.reserve(nodes.size());
  for (const NodeId node : nodes) shown.push_back(&profile_.extensions().nodes->at(node));
  return shown;
}

// ---- filter --------------------------------------------------------------------------------------------------------

Result<void> ExtenderCalls::filter(std::vector<NodeId>& feasible, Refused& refused) {
  refused_some_ = nodes_look_empty_ = false;
  Result<void> result;
  each_interested([&](const Extender& extender) {
    if (feasible.empty()) return false;
    if (extender.settings().filter_verb.empty()) return true;
    asked_ = true;
    const Result<ExtenderFilterAnswer> answer = extender.filter(profile_.extensions().pods->at(pod_), shown(feasible));
    if (!answer) {
      if (overlook(extender, answer.error().message)) return true;
      result = tl::unexpected(answer.error());
      return false;
    }
    note_rejections(*answer, refused);
    const std::set<std::string_view> kept(answer->nodes.begin(), answer->nodes.end());
    const std::size_t erased =
        std::erase_if(feasible, [&](NodeId node) { return !kept.contains(cluster_.node_name(node)); });
    refused_some_ = refused_some_ || erased > 0;
    nodes_look_empty_ = nodes_look_empty_ || answer->whole_nodes;
    return true;
  });
  return result;
}

/// Later extenders overrule earlier rejections, so the order counts.
void ExtenderCalls::note_rejections(const ExtenderFilterAnswer& answer, Refused& refused) {
  const auto note = [&](const std::string& name, Code code, const std::string& message) {
    const NodeId node = cluster_.find_node(name);
    if (node.valid()) {
      refused.emplace_back(
          node, rejections_.intern({kExtenderName, code, {{ReasonKind::kOther, message}}, {.by_placements = true}}));
    }
  };
  for (const auto& [name, message] : answer.failed_and_unresolvable) note(name, Code::kUnresolvable, message);
  for (const auto& [name, message] : answer.failed) {
    if (!answer.failed_and_unresolvable.contains(name)) note(name, Code::kUnschedulable, message);
  }
}

// ---- prioritize ----------------------------------------------------------------------------------------------------

void ExtenderCalls::prioritize(const std::vector<NodeId>& nodes, std::vector<std::int64_t>& totals,
                               std::vector<ScoreColumn>* columns) {
  each_interested([&](const Extender& extender) {
    const kube::Extender& settings = extender.settings();
    if (settings.prioritize_verb.empty()) return true;
    asked_ = true;
    const Result<std::vector<ExtenderScore>> answer =
        extender.prioritize(profile_.extensions().pods->at(pod_), shown(nodes));
    ScoreColumn column{settings.url_prefix, !answer, std::vector<std::int64_t>(nodes.size())};
    if (!answer) troubles_.push_back({settings.url_prefix, answer.error().message, ExtenderTrouble::Kind::kLeftOut});
    std::map<std::string_view, std::size_t> places;
    for (std::size_t i = 0; answer && i < nodes.size(); ++i) places.emplace(cluster_.node_name(nodes[i]), i);
    for (std::size_t i = 0; answer && i < answer->size(); ++i) {
      const auto& [node, score] = (*answer)[i];
      if (score < 0 || score > kMaxExtenderScore) {
        troubles_.push_back({settings.url_prefix,
                             fmt::format("scored node \"{}\" {}, which is not in 0..{}; it counts all the same", node,
                                         score, kMaxExtenderScore),
                             ExtenderTrouble::Kind::kScoreOutOfRange});
      }
      const auto place = places.find(node);
      if (place == places.end()) continue;
      const std::int64_t weighted = scaled(score, settings.weight);
      add(column.scores[place->second], weighted);
      add(totals[place->second], weighted);
    }
    if (columns != nullptr) columns->push_back(std::move(column));
    return true;
  });
}

// ---- preemption ----------------------------------------------------------------------------------------------------

Result<std::vector<Candidate>> ExtenderCalls::process_preemption(std::vector<Candidate> candidates) {
  Result<std::vector<Candidate>> result = std::move(candidates);
  each_interested([&](const Extender& extender) {
    if (result->empty()) return false;
    if (extender.settings().preempt_verb.empty()) return true;
    asked_ = true;
    const auto answer = extender.process_preemption(profile_.extensions().pods->at(pod_), shown(*result));
    Result<std::vector<Candidate>> kept = answer ? candidates_of(extender, *answer) : tl::unexpected(answer.error());
    if (!kept && overlook(extender, kept.error().message)) return true;
    result = std::move(kept);
    return result.has_value();
  });
  return result;
}

std::vector<ShownCandidate> ExtenderCalls::shown(const std::vector<Candidate>& candidates) const {
  std::vector<ShownCandidate> shown;
  for (const Candidate& candidate : candidates) {
    ShownCandidate& to = shown.emplace_back();
    to.node = &profile_.extensions().nodes->at(candidate.node);
    to.budget_violations = candidate.budget_violations;
    for (const PodId pod : candidate.victims) to.victims.push_back(&profile_.extensions().pods->at(pod));
  }
  return shown;
}

/// In scan order. A node without victims is left out if the extender is ignorable.
Result<std::vector<Candidate>> ExtenderCalls::candidates_of(const Extender& extender,
                                                            const std::map<std::string, ExtenderVictims>& answer) {
  std::vector<Candidate> candidates;
  for (const auto& [name, victims] : answer) {
    const NodeId node = cluster_.find_node(name);
    if (!node.valid()) return failure(fmt::format("nodeinfo not found for node name \"{}\"", name));
    Candidate candidate{node, {}, victims.budget_violations};
    for (const std::string& uid : victims.uids) {
      const Result<PodId> pod = victim(extender, uid, node);
      if (!pod) return tl::unexpected(pod.error());
      candidate.victims.push_back(*pod);
    }
    if (!candidate.victims.empty()) {
      candidates.push_back(std::move(candidate));
    } else if (!extender.settings().ignorable) {
      return failure(fmt::format("expected at least one victim pod on node \"{}\"", name));
    }
  }
  std::vector<std::size_t> position(cluster_.node_slots());
  for (std::size_t i = 0; i < cluster_.scan_order().size(); ++i) position[cluster_.scan_order()[i].index()] = i;
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    return position[a.node.index()] < position[b.node.index()];
  });
  return candidates;
}

Result<PodId> ExtenderCalls::victim(const Extender& extender, const std::string& uid, NodeId node) const {
  for (const PodId pod : cluster_.pods_on(node)) {
    if (cluster_.pod(pod).reservation.valid()) continue;
    if (uid_of(profile_.extensions().pods->at(pod)) == uid) return pod;
  }
  // Upstream prints the identifier's whole struct.
  return failure(fmt::format(
      "extender: {} claims to preempt pod (UID: &{{{}}}) on node: {}, but the pod is not found on that node",
      extender.settings().url_prefix, uid, cluster_.node_name(node)));
}

}  // namespace loadline::placement
