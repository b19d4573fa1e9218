#include "brain/decision/eviction_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "objects/kube/condition.h"

namespace loadline::decision {

using cluster::PodId;
using gang::HeldInVain;

namespace {

/// One row for each cause, in their order.
constexpr std::array kWords = std::to_array<std::pair<EvictionCause, CauseWords>>({
    {EvictionCause::kPreemption, {"Preempted", "PreemptionByScheduler"}},
    {EvictionCause::kTaint, {"TaintManagerEviction", "DeletionByTaintManager"}},
    {EvictionCause::kDrain, {"Evicted", "EvictionByEvictionAPI"}},
    {EvictionCause::kDrainBy, {"DrainedFromNode", "EvictionByEvictionAPI"}},
    {EvictionCause::kIncompleteGroup, {"Released", "PodGroupIncomplete"}},
    {EvictionCause::kQueue, {"Stopped", ""}},
    {EvictionCause::kUnknown, {"", ""}},
});

std::string group_text(const cluster::Cluster& cluster, cluster::GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  return fmt::format("pod group {}/{}", cluster.symbols().text(group.name_space), group.name);
}

/// "by the drain of node a".
std::string drain_text(const EvictionFacts& facts) {
  return facts.is_own_node_drained ? "by the drain of node " + facts.node
                                   : "with its pod group, by the drain of other nodes";
}

std::string deadline_text(const EvictionFacts& facts) {
  const std::string with = facts.unit.empty() ? "" : " with " + facts.unit;
  const std::string saved =
      facts.saved_until ? "; its work is saved as of " + format_rfc3339(*facts.saved_until) : std::string();
  return fmt::format("Evicted{}: node {} is to be free by {}{}", with, facts.node, format_rfc3339(facts.deadline),
                     saved);
}

/// Too few of them, or not all that belong to them.
std::string waited_too_long(std::size_t pods, std::int64_t least, const std::string& whose,
                            std::string_view what_is_missing) {
  if (static_cast<std::int64_t>(pods) < least) {
    return fmt::format("{} of the {} pods that {} starts with have waited too long for the rest", pods, least, whose);
  }
  return fmt::format("{} {} of {} have waited too long for {}", pods, pods == 1 ? "pod" : "pods", whose,
                     what_is_missing);
}

std::string shortfall_text(const Eviction& eviction, const cluster::PodGroup& group) {
  const gang::Shortfall& shortfall = eviction.shortfall;
  const std::string whose = fmt::format("pod group \"{}\"", group.name);
  switch (shortfall.held) {
    case HeldInVain::kByGroup:
      return waited_too_long(eviction.pods.size(), shortfall.least, whose, "those that its subgroups lack");
    case HeldInVain::kBySubgroup:
      return waited_too_long(
          eviction.pods.size(), shortfall.least,
          fmt::format("subgroup \"{}\" of {}", group.rules.subgroups.at(shortfall.subgroup).name, whose),
          "the rest of it");
    case HeldInVain::kBeforeLaterPart:
      return fmt::format("{} of the {} pods of {} hold room, and the later ones find none", eviction.pods.size(),
                         shortfall.least, whose);
    case HeldInVain::kBeforeGroup:
      break;
  }
  return fmt::format("the pods before {} hold room, and it finds none", whose);
}

}  // namespace

const CauseWords& words_of(EvictionCause cause) {
  return std::ranges::find(kWords, cause, [](const auto& row) { return row.first; })->second;
}

EvictionCause told_cause(const kube::Pod& pod) {
  const kube::Condition* condition = kube::find_condition(pod.status.conditions, "DisruptionTarget");
  if (condition == nullptr || condition->status != "True" || condition->reason.empty()) return EvictionCause::kUnknown;
  const auto row = std::ranges::find(kWords, condition->reason, [](const auto& each) { return each.second.condition; });
  return row == kWords.end() ? EvictionCause::kUnknown : row->first;
}

EvictionFacts facts_of(const Eviction& eviction, PodId pod, const cluster::Cluster& cluster) {
  EvictionFacts facts;
  const cluster::NodeId node = cluster.pod(pod).node;
  facts.cause = eviction.cause;
  facts.pod = cluster.pod_text(pod);
  if (node.valid()) facts.node = cluster.node_name(node);
  facts.by = text_of(eviction.for_whom, cluster);
  facts.by_kind = eviction.for_whom.is_group() ? "podgroup" : "pod";
  facts.scheduler = cluster.symbols().text(cluster.shape_of(pod).scheduler_name);
  if (eviction.cause == EvictionCause::kIncompleteGroup) facts.why = release_text(eviction, cluster);
  facts.is_own_node_drained = std::ranges::find(eviction.drained, node) != eviction.drained.end();
  return facts;
}

std::string event_text(const EvictionFacts& facts) {
  switch (facts.cause) {
    case EvictionCause::kPreemption:
      return fmt::format("Preempted by {} on node {}", facts.by, facts.node);
    case EvictionCause::kTaint:
      return "Marking for deletion Pod " + facts.pod;
    case EvictionCause::kDrain:
      return "Evicted " + drain_text(facts);
    case EvictionCause::kDrainBy:
      return deadline_text(facts);
    case EvictionCause::kIncompleteGroup:
    case EvictionCause::kQueue:
      return facts.why;
    case EvictionCause::kUnknown:
      break;
  }
  return {};
}

std::string condition_text(const EvictionFacts& facts) {
  switch (facts.cause) {
    case EvictionCause::kPreemption:
      return fmt::format("{}: preempting to accommodate a higher priority {}", facts.scheduler, facts.by_kind);
    case EvictionCause::kTaint:
      return "Taint manager: deleting due to NoExecute taint";
    case EvictionCause::kDrain:
    case EvictionCause::kDrainBy:
      return "Eviction API: evicting";
    case EvictionCause::kIncompleteGroup:
      return facts.scheduler + ": " + facts.why;
    case EvictionCause::kQueue:  // controllers delete pods, and say nothing
    case EvictionCause::kUnknown:
      break;
  }
  return {};
}

std::string outcome_text(const EvictionFacts& facts) {
  switch (facts.cause) {
    case EvictionCause::kPreemption:
      return fmt::format("preempted by {} on node {}", facts.by, facts.node);
    case EvictionCause::kTaint:
      return "evicted by a NoExecute taint of node " + facts.node;
    case EvictionCause::kDrain:
    case EvictionCause::kDrainBy:
      return "evicted " + drain_text(facts);
    case EvictionCause::kIncompleteGroup:
    case EvictionCause::kQueue:
      return facts.why;
    case EvictionCause::kUnknown:
      break;
  }
  return "deleted";
}

std::string release_text(const Eviction& eviction, const cluster::Cluster& cluster) {
  const std::string text = shortfall_text(eviction, cluster.group(eviction.group));
  const Unit& unit = eviction.for_whom;
  if (unit.is_group() && unit.group == eviction.group) return text + ", and the group starts anew elsewhere";
  if (unit.is_group())
    return fmt::format("{}, and pod group \"{}\" starts in their room", text, cluster.group(unit.group).name);
  if (unit.pod.valid()) return fmt::format("{}, and pod {} starts in their room", text, cluster.pod_text(unit.pod));
  return text;
}

std::string text_of(const Eviction& eviction, const cluster::Cluster& cluster) {
  if (eviction.is_surplus) return "surplus pod " + cluster.pod_text(eviction.pods.front());
  if (!eviction.group.valid() || eviction.pods.size() == 1) return "pod " + cluster.pod_text(eviction.pods.front());
  return fmt::format("{} ({} pods)", group_text(cluster, eviction.group), eviction.pods.size());
}

std::string text_of(Unit unit, const cluster::Cluster& cluster) {
  if (unit.is_group()) return group_text(cluster, unit.group);
  return unit.pod.valid() ? "pod " + cluster.pod_text(unit.pod) : std::string();
}

}  // namespace loadline::decision
