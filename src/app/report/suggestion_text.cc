#include "app/report/suggestion_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "app/report/amount.h"
#include "app/report/words.h"
#include "brain/cluster/spellings/membership.h"
#include "foundation/base/text.h"
#include "objects/kube/expected_run.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

using advice::Explanation;
using advice::Suggestion;

constexpr std::size_t kShownVictims = 3;

bool shrinks_own(const Suggestion& suggestion, const Explanation& explanation) {
  const auto* scale = suggestion.remedy.size() == 1 ? std::get_if<advice::Scale>(&suggestion.remedy.front()) : nullptr;
  return scale != nullptr && scale->workload == explanation.pod.workload;
}

std::string whereabouts(const Suggestion& suggestion, const Explanation& explanation) {
  if (shrinks_own(suggestion, explanation)) return "None of its pods waits then.";
  const std::string goes = suggestion.node.empty() ? "" : "goes to " + suggestion.node;
  if (explanation.siblings <= 1 && suggestion.siblings <= 1)
    return goes.empty() ? "It has a node then." : "It " + goes + ".";
  if (suggestion.placed >= suggestion.siblings) {
    const std::string all = suggestion.siblings == 1 ? "Its pod has a node then"
                            : suggestion.siblings == 2
                                ? "Both pods have a node then"
                                : fmt::format("All {} have a node then", counted(suggestion.siblings, "pod"));
    return goes.empty() ? all + "." : all + "; this one " + goes + ".";
  }
  if (suggestion.proof == advice::Proof::kProbed && !goes.empty()) {
    return fmt::format("This one {}; of the others nothing was asked.", goes);
  }
  const std::string some =
      fmt::format("{} of {} {} a node then, {} now", suggestion.placed, counted(suggestion.siblings, "pod"),
                  suggestion.placed == 1 ? "has" : "have", explanation.placed_siblings);
  return goes.empty() ? some + "." : some + "; this one " + goes + ".";
}

}  // namespace

std::string outcome_text(const Suggestion& suggestion, const Explanation& explanation) {
  std::string text = whereabouts(suggestion, explanation);
  if (!suggestion.victims.empty()) text += " It preempts " + some_of(suggestion.victims, kShownVictims, "pod") + ".";
  for (const advice::Harm& harm : suggestion.harm) {
    text += fmt::format(" But {} of {} {} a node then.", counted(harm.pods, "pod"), workload_text(harm.workload),
                        harm.pods == 1 ? "lacks" : "lack");
  }
  return text;
}

std::string trial_text(const std::vector<Suggestion>& suggestions) {
  using advice::Proof;
  constexpr std::string_view kAnew = "each tried by planning anew";
  constexpr std::string_view kAsItIs = "on the cluster as the plan leaves it, all other pods staying where they are";
  const auto is_any = [&](Proof proof) {
    return std::ranges::find(suggestions, proof, &Suggestion::proof) != suggestions.end();
  };
  std::string text;
  if (is_any(Proof::kPlanned)) text = kAnew;
  if (is_any(Proof::kProbed))
    text = text.empty() ? fmt::format("each tried {}", kAsItIs) : fmt::format("{}, or {}", kAnew, kAsItIs);
  if (!is_any(Proof::kUntried)) return text;
  return text.empty() ? "fewer replicas were not tried: as many as have a node"
                      : text + ", but for fewer replicas: as many as have a node";
}

namespace {

/// What a group without a turn lacks.
std::string wanting_text(const simulator::PlannedGroup& group) {
  if (!group.is_described) {
    const std::string_view object = cluster::spellings::described_in(group.spelling);
    if (!cluster::spellings::has_objects(group.spelling)) {
      return fmt::format("The {} on its pods; or pods that name no group.", object);
    }
    return fmt::format("A {} {} in namespace {}; or pods that name none.", object, group.name, group.name_space);
  }
  const auto needed = static_cast<std::size_t>(group.min_count.value_or(1));
  std::vector<std::string> ways;
  if (group.members < needed) {
    ways.push_back(counted(needed - group.members, "more pod") + " that name" +
                   (needed - group.members == 1 ? "s" : "") + " the group in " +
                   std::string(cluster::spellings::named_in(group.spelling)));
  }
  if (group.members > 0 && group.members < needed)
    ways.push_back(fmt::format("a {} of {}", cluster::spellings::minimum_field(group.spelling), group.members));
  for (const simulator::LackingMembers& each : group.lacks) {
    ways.push_back(fmt::format("{} of {}", counted(each.least - each.members, "more pod"), each.subgroup));
  }
  if (group.gated > 0) ways.push_back("whatever removes the scheduling gates of its pods");
  if (ways.empty()) return "More of its pods that wait for a node.";
  ways.front().front() = static_cast<char>(std::toupper(static_cast<unsigned char>(ways.front().front())));
  return fmt::format("{}.", fmt::join(ways, "; or "));
}

std::string ask_for(const simulator::WorkloadName& workload) {
  std::string kind = workload.kind;
  std::ranges::transform(kind, kind.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return fmt::format("loadline explain {}/{} -n {}", kind, workload.name, workload.name_space);
}

}  // namespace

std::string not_tried_text(const Explanation& explanation) {
  if (explanation.holding_start && explanation.suggestions.empty()) {
    return fmt::format(
        "Nothing was tried: there is room, and others are before it in line. If it ends before {}, its annotation {} "
        "should say so (it is {} until then); then it may start now.",
        format_rfc3339(explanation.holding_start->at), kube::kExpectedDurationAnnotation,
        span_text(explanation.holding_start->after));
  }
  switch (explanation.not_tried) {
    case advice::NotTried::kNothing:
      break;
    case advice::NotTried::kGroupIsHeld:
      return wanting_text(*explanation.pod_group);
    case advice::NotTried::kGroupIsWrong:
      return "Nothing was tried: the scheduler refuses the pod group itself.";
    case advice::NotTried::kAnotherMember: {
      const auto& stopped = explanation.pod_group->stopped_by;
      return "Nothing was tried for this pod: another one keeps its group from starting." +
             (stopped ? " Ask about that: " + ask_for(stopped->workload) : "");
    }
    case advice::NotTried::kNotCreated:
      return "Whatever lets those start that it waits for. Ask about them: " + ask_for(explanation.pod.workload);
    case advice::NotTried::kGroupIsLarge:
      return "Nothing was tried: a pod group starts whole, and the plan is too large to be made anew for each change. "
             "Try one with loadline plan --diff, --add-nodes say.";
  }
  return "";
}

std::string preemption_text(const Explanation& explanation) {
  if (explanation.pod.outcome != simulator::PodOutcome::kPending || explanation.groups.empty()) return "";
  const bool about_room = std::ranges::any_of(explanation.groups, [](const advice::NodeGroup& group) {
    return std::ranges::none_of(group.obstacles, &advice::GroupObstacle::for_good);
  });
  if (!about_room) return "";
  if (!explanation.may_preempt) return "Its preemptionPolicy is Never, so it evicts no pod.";
  if (explanation.preemptable == 0) {
    return fmt::format("No pod of lower priority than {} is on a node, so preemption cannot make room.",
                       explanation.pod.priority);
  }
  return fmt::format("Evicting the {} of lower priority than {} would not make room where it could go.",
                     counted(explanation.preemptable, "pod"), explanation.pod.priority);
}

std::string unclassed_text(const Explanation& explanation) {
  const std::vector<std::string>& claims = explanation.unclassed;
  if (claims.empty()) return "";
  return fmt::format("{} {} {} no StorageClass, and the input has no default StorageClass.",
                     claims.size() == 1 ? "The claim" : "The claims", fmt::join(claims, ", "),
                     claims.size() == 1 ? "names" : "name");
}

std::string requests_text(const simulator::PlannedPod& pod) {
  std::vector<std::string> devices;
  std::vector<std::string> others;
  for (const auto& [resource, amount] : pod.requests) {
    if (amount.is_zero()) continue;
    const std::string text = exact_amount(resource, amount) + " " + resource;
    (kube::is_gpu_resource(resource) ? devices : others).push_back(text);
  }
  devices.insert(devices.end(), others.begin(), others.end());
  return fmt::format("{}", fmt::join(devices, ", "));
}

}  // namespace loadline::report
