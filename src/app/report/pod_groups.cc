#include "app/report/pod_groups.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "app/report/amount.h"
#include "app/report/group_search_text.h"
#include "app/report/members.h"
#include "app/report/starts.h"
#include "app/report/words.h"
#include "brain/cluster/spellings/membership.h"
#include "foundation/base/text.h"

namespace loadline::report {
namespace {

using cluster::spellings::api_group;
using cluster::spellings::described_in;
using cluster::spellings::has_objects;
using cluster::spellings::named_in;
using document::Array;
using document::Value;
using simulator::GroupOutcome;
using simulator::PlannedGroup;

/// "1st", "2nd", "11th".
std::string ordinal(std::size_t number) {
  const std::size_t last = number % 10;
  const bool is_teen = number / 10 % 10 == 1;
  const std::string_view suffix = is_teen || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd";
  return grouped_digits(number) + std::string(suffix);
}

std::string is_or_are(std::size_t count) { return grouped_digits(count) + (count == 1 ? " is" : " are"); }

/// "5 must start together", or of a basic group "one of its 3 pods must fit".
std::string demand(const PlannedGroup& group) {
  if (!group.min_count) return fmt::format("any of its {} may start", counted(group.members, "pod"));
  return fmt::format("{} must start together", grouped_digits(static_cast<std::size_t>(*group.min_count)));
}

/// Members that are kept back by something else than nodes: "1 is rejected at admission".
std::vector<std::string> kept_back(const PlannedGroup& group) {
  std::vector<std::string> parts;
  if (group.gated > 0) parts.push_back(is_or_are(group.gated) + " held back by scheduling gates");
  if (group.rejected > 0) parts.push_back(is_or_are(group.rejected) + " rejected at admission");
  if (group.ignored > 0) parts.push_back(is_or_are(group.ignored) + " for a scheduler that is not planned");
  return parts;
}

/// "worker has 1 pod, and must start with 2".
std::string lack(const simulator::LackingMembers& part) {
  return fmt::format("{} has {}, and must start with {}", part.subgroup,
                     part.members == 0 ? "no pod" : counted(part.members, "pod"), grouped_digits(part.least));
}

/// "2 more are created later"; "2 of them are created later", if room for them is found with the others'.
std::string to_come(const PlannedGroup& group) {
  if (group.room_awaited > 0) return fmt::format("of them {} created later", is_or_are(group.room_awaited));
  return fmt::format("{} more {} created later", grouped_digits(group.to_come), group.to_come == 1 ? "is" : "are");
}

constexpr std::size_t kMostEvicted = 3;  // named

/// "evicted pod group ml/old (8 pods) and 2 more: 12 GPU-hours are lost"
std::string evicted(const PlannedGroup& group) {
  if (group.evicts.empty()) return {};
  const std::size_t shown = std::min(group.evicts.size(), kMostEvicted);
  std::vector<std::string> units;
  std::int64_t lost = 0;
  for (const simulator::EvictedUnit& each : group.evicts) {
    if (units.size() < shown) units.push_back(each.unit);
    lost += each.gpu_seconds;
  }
  std::string text = "evicted " + joined(units, ", ");
  if (shown < group.evicts.size()) text += fmt::format(" and {} more", group.evicts.size() - shown);
  if (lost > 0) text += fmt::format(": {} are lost", gpu_hours_text(lost));
  return text;
}

/// "in rack b1/r7 (example.com/rack)".
std::string place_text(const gang::Whereabouts& place) {
  if (place.level.empty()) return "across the cluster";
  std::string_view word = place.alias.empty() ? std::string_view(place.level) : std::string_view(place.alias);
  const bool is_tier = place.level.find_first_not_of("0123456789") == std::string::npos;
  if (is_tier) return fmt::format("in HyperNode {} (tier {})", place.domain, place.level);
  if (const std::size_t slash = word.rfind('/'); slash != std::string_view::npos) word.remove_prefix(slash + 1);
  return fmt::format("in {} {} ({})", word, place.domain, place.level);
}

GroupText started(const PlannedGroup& group) {
  std::string text =
      fmt::format("{}: {} of {} {} a node", group.running == group.placed ? "runs" : "starts",
                  grouped_digits(group.placed), counted(group.members, "pod"), group.members == 1 ? "has" : "have");
  const auto minimum = static_cast<std::size_t>(group.min_count.value_or(0));
  const std::size_t needed = minimum - std::min(minimum, group.room_held + group.room_awaited);
  if (group.succeeded > 0) text += fmt::format(", {} succeeded before", grouped_digits(group.succeeded));
  if (group.placed + group.succeeded < needed) {
    text += fmt::format(", fewer than the {} that must start together", grouped_digits(needed));
  } else if (group.placed < group.members && needed > 0 && group.succeeded == 0) {
    text += fmt::format("; {} had to start together", grouped_digits(needed));
  }
  if (group.whereabouts) text += ", " + place_text(*group.whereabouts);
  if (group.room_held > 0) {
    text += fmt::format("; room is held for {} more that {} created later", grouped_digits(group.room_held),
                        group.room_held == 1 ? "is" : "are");
  } else if (group.to_come > 0) {
    text += "; " + to_come(group);
  }
  return {text, evicted(group)};
}

/// A group without a turn.
GroupText held(const PlannedGroup& group) {
  if (!group.is_described) {
    const std::size_t pods = group.members + group.rejected + group.ignored + group.to_come;
    const std::string pods_name_it = counted(pods, "pod") + (pods == 1 ? " names it" : " name it");
    if (!has_objects(group.spelling)) {
      return {fmt::format("waits: none of its pods has the {}; {}", described_in(group.spelling), pods_name_it), ""};
    }
    return {fmt::format("waits: there is no {} of that name; {}", described_in(group.spelling), pods_name_it), ""};
  }
  const bool lacks_members = static_cast<std::int64_t>(group.members + group.succeeded) < group.min_count.value_or(1);
  if (group.members == 0 && group.rejected == 0 && group.ignored == 0 && group.to_come == 0) {
    return {fmt::format("has no pods: none names it in {}", named_in(group.spelling)), ""};
  }
  std::vector<std::string> parts = kept_back(group);
  if (lacks_members)
    parts.insert(parts.begin(), group.members == 0 ? "none is there" : is_or_are(group.members) + " there");
  for (const simulator::LackingMembers& each : group.lacks) parts.push_back(lack(each));
  if (group.to_come > 0) parts.push_back(to_come(group));
  if (parts.empty()) parts.emplace_back("none of its pods waits for a node");
  const std::string wanted = group.min_count ? demand(group) + ", " : "";
  const bool waits_for_pods = lacks_members || !group.lacks.empty();
  return {fmt::format("waits{}: {}{}", waits_for_pods ? " for more pods" : "", wanted, fmt::join(parts, ", ")), ""};
}

/// "3 have a node, 1 more fits, and 1 more once others are evicted".
std::string progress(const PlannedGroup& group) {
  std::string text;
  if (group.succeeded > 0) text = fmt::format("{} succeeded, ", grouped_digits(group.succeeded));
  if (group.placed > 0) {
    text += fmt::format("{} {} a node, ", grouped_digits(group.placed), group.placed == 1 ? "has" : "have");
  }
  const std::string more = group.placed > 0 ? " more" : "";
  if (group.fits == 0) {
    text += fmt::format("none{} fits", more);
  } else {
    text += fmt::format("{}{} {}", grouped_digits(group.fits), more, group.fits == 1 ? "fits" : "fit");
  }
  if (group.hopeful > 0) {
    const bool evicts = group.outcome == GroupOutcome::kWaitsForRoom;
    text += fmt::format(", {} more {}", grouped_digits(group.hopeful),
                        evicts ? "once the pods are gone that it evicts" : "if others were evicted");
  }
  return text;
}

GroupText stopped(const PlannedGroup& group) {
  const bool is_with_room = group.room_awaited > 0;
  std::string text = fmt::format("waits{}: {}, {}{}", is_with_room ? " until there is room for the whole" : "",
                                 demand(group), is_with_room ? to_come(group) + ", " : "", progress(group));
  for (const std::string& part : kept_back(group)) text += ", " + part;
  if (group.to_come > 0 && !is_with_room) text += ", " + to_come(group);
  if (!group.stopped_by) {
    const bool has_room_by_evictions = group.succeeded + group.placed + group.room_held + group.fits + group.hopeful >=
                                       static_cast<std::size_t>(group.min_count.value_or(1));
    return {text + (has_room_by_evictions ? "; even then they would not fit together" : ""), ""};
  }
  const std::size_t next = group.succeeded + group.placed + group.room_held + group.fits + group.hopeful + 1;
  const bool is_mixed = group.workloads.size() > 1;
  // Where a subgroup or a place of their own is asked for, each may fit, and not all of them together.
  const bool fit_apart = next > group.succeeded + group.members + group.room_held + group.room_awaited;
  if (fit_apart) {
    text += ", but not together";
  } else if (next > 1) {
    text += fmt::format("; the {} does not", ordinal(next));
  }
  if (is_mixed && !fit_apart) text += " (" + workload_text(group.stopped_by->workload) + ")";
  std::string reason(for_readers(group.stopped_by->message));
  if (const std::string spares = spares_text(group.stopped_by->spares); !spares.empty()) reason += ' ' + spares;
  return {text, std::move(reason)};
}

GroupText waiting_for_others(const PlannedGroup& group) {
  return {fmt::format("waits: its {} would fit, but would move the planned start of {}", counted(group.fits, "pod"),
                      group.held_by),
          ""};
}

GroupText waiting_for_room(const PlannedGroup& group) {
  return {fmt::format("waits for room: {}, {}", demand(group), progress(group)), evicted(group)};
}

Value stopped_value(const simulator::StoppedMember& member) {
  Array reasons;
  for (const simulator::NodeReason& reason : member.reasons) {
    reasons.push_back(Members()
                          .add("nodes", number(reason.nodes))
                          .add_text("plugin", reason.plugin)
                          .add("message", Value(reason.text))
                          .finish());
  }
  Array spares;
  for (const std::string& holder : member.spares) spares.emplace_back(holder);
  return Members()
      .add("pod", Value(member.name))
      .add("workload", workload_value(member.workload))
      .add_text("message", member.message)
      .add_list("reasons", std::move(reasons))
      .add_list("spares", std::move(spares))
      .finish();
}

Value place_value(const gang::Whereabouts& place) {
  Array parts;
  for (const gang::Whereabouts::Part& part : place.parts) {
    parts.push_back(Members()
                        .add("domain", Value(part.domain))
                        .add("pods", number(part.members))
                        .add("usedNodes", number(part.used_nodes))
                        .add("nodes", number(part.nodes))
                        .finish());
  }
  return Members()
      .add_text("level", place.level)
      .add("domain", Value(place.domain))
      .add_list("parts", std::move(parts))
      .finish();
}

GroupText text_of_outcome(const PlannedGroup& group) {
  switch (group.outcome) {
    case GroupOutcome::kStarted:
      return started(group);
    case GroupOutcome::kWaitsForRoom:
      return waiting_for_room(group);
    case GroupOutcome::kDoesNotFit:
      return group.held_by.empty() ? stopped(group) : waiting_for_others(group);
    case GroupOutcome::kFailed:
      return {"cannot be scheduled", group.message};
    case GroupOutcome::kHeld:
      break;
  }
  return held(group);
}

}  // namespace

std::vector<std::string> group_map(const PlannedGroup& group) {
  std::vector<std::string> lines;
  if (!group.whereabouts) return lines;
  for (const gang::Whereabouts::Part& part : group.whereabouts->parts) {
    lines.push_back(fmt::format("{}: {} on {} of {}", part.domain, counted(part.members, "pod"),
                                grouped_digits(part.used_nodes), counted(part.nodes, "node")));
  }
  return lines;
}

GroupText group_text(const PlannedGroup& group) {
  GroupText text = text_of_outcome(group);
  if (group.start) text.start = start_text(*group.start);
  // That there is no room without evictions goes without saying where the group evicts.
  if (group.search && group.outcome != GroupOutcome::kWaitsForRoom) text.search = group_search_text(*group.search);
  return text;
}

std::string_view group_outcome_word(GroupOutcome outcome) {
  switch (outcome) {
    case GroupOutcome::kStarted:
      return "Started";
    case GroupOutcome::kWaitsForRoom:
      return "WaitsForRoom";
    case GroupOutcome::kDoesNotFit:
      return "DoesNotFit";
    case GroupOutcome::kFailed:
      return "Failed";
    case GroupOutcome::kHeld:
      break;
  }
  return "Held";
}

Value group_value(const PlannedGroup& group) {
  Members members;
  members.add("namespace", Value(group.name_space))
      .add("name", Value(group.name))
      .add("outcome", Value(group_outcome_word(group.outcome)))
      .add("spelling", Value(api_group(group.spelling)))
      .add("described", Value(group.is_described));
  if (group.min_count) members.add("minCount", Value(std::int64_t{*group.min_count}));
  if (group.priority) members.add("priority", Value(std::int64_t{*group.priority}));
  members.add("members", number(group.members)).add("placed", number(group.placed));
  const bool had_turn = group.outcome != GroupOutcome::kStarted && group.outcome != GroupOutcome::kHeld;
  if (had_turn) members.add("fits", number(group.fits)).add("fitsAfterEvictions", number(group.hopeful));
  if (group.succeeded > 0) members.add("succeeded", number(group.succeeded));
  if (group.gated > 0) members.add("gated", number(group.gated));
  if (group.rejected > 0) members.add("rejected", number(group.rejected));
  if (group.ignored > 0) members.add("ignored", number(group.ignored));
  if (group.to_come > 0) members.add("notCreated", number(group.to_come));
  if (group.room_held > 0) members.add("roomHeld", number(group.room_held));
  if (group.room_awaited > 0) members.add("roomAwaited", number(group.room_awaited));
  Array lacks;
  for (const simulator::LackingMembers& each : group.lacks) {
    lacks.push_back(Members()
                        .add("subgroup", Value(each.subgroup))
                        .add("members", number(each.members))
                        .add("minimum", number(each.least))
                        .finish());
  }
  members.add_list("lacks", std::move(lacks));
  Array evicts;
  Array victims;
  for (const simulator::EvictedUnit& each : group.evicts) {
    evicts.emplace_back(each.unit);
    victims.push_back(Members()
                          .add("unit", Value(each.unit))
                          .add("pods", number(each.pods))
                          .add("gpuSecondsLost", Value(each.gpu_seconds))
                          .finish());
  }
  members.add_list("evicts", std::move(evicts)).add_list("victims", std::move(victims));
  members.add_text("message", group.message).add("text", Value(group_text(group).joined()));
  if (group.stopped_by) members.add("stoppedBy", stopped_value(*group.stopped_by));
  if (group.whereabouts) members.add("topology", place_value(*group.whereabouts));
  if (group.start) members.add("plannedStart", start_value(*group.start));
  members.add_list("passed", passed_array(group.passed)).add_text("heldBy", group.held_by);
  if (group.search) members.add("search", group_search_value(*group.search));
  return members.finish();
}

const PlannedGroup* GroupsOfPods::of(const simulator::PlannedPod& pod) const {
  const std::optional<std::size_t> found = index_.of(pod);
  return found ? &groups_[*found] : nullptr;
}

const PlannedGroup* GroupsOfPods::waited_for(const simulator::PlannedPod& pod) const {
  if (pod.outcome != simulator::PodOutcome::kPending) return nullptr;
  const PlannedGroup* group = of(pod);
  return group == nullptr || group->outcome == GroupOutcome::kStarted ? nullptr : group;
}

std::string group_key(const PlannedGroup& group) { return group.name_space + '/' + group.name; }

}  // namespace loadline::report
