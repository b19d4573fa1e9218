#include "hosts/advice/what_if.h"

#include <algorithm>
#include <utility>

#include "hosts/advice/waiting_group.h"

namespace loadline::advice {
namespace {

using simulator::PodOutcome;
using simulator::SimulatedPod;

std::string key_of(const SimulatedPod& subject) {
  return subject.pod.metadata.namespace_ + '/' + subject.pod.metadata.name;
}

std::set<std::string> preempted(const simulator::Planning& planning) {
  std::set<std::string> pods;
  for (const SimulatedPod& subject : planning.pods().list()) {
    if (subject.outcome == PodOutcome::kPreempted) pods.insert(key_of(subject));
  }
  return pods;
}

}  // namespace

WhatIf::WhatIf(const simulator::Planning& planning, std::size_t subject, Target target)
    : planning_(planning),
      target_(std::move(target)),
      before_(count(planning)),
      preempted_before_(preempted(planning)) {
  for (std::size_t i = 0; i < subject; ++i) {
    if (simulator::name_of(planning.pods()[i].workload) == target_.workload) ++ordinal_;
  }
  std::optional<simulator::PlannedGroup> group = group_of(planning, subject);
  if (group && holds_its_pods(*group)) waiting_group_ = std::move(group);
}

/// Pods that left and were replaced are counted by their replacements.
WhatIf::Tallies WhatIf::count(const simulator::Planning& planning) {
  Tallies tallies;
  for (const SimulatedPod& subject : planning.pods().list()) {
    const bool bare = subject.workload.kind == "Pod";
    if (subject.left() && !bare) continue;
    Tally& tally = tallies[simulator::name_of(subject.workload)];
    ++tally.pods;
    if (subject.on_a_node()) {
      ++tally.placed;
    } else {
      ++tally.wanting;
    }
  }
  return tallies;
}

const WhatIf::Tally& WhatIf::own(const Tallies& tallies) const {
  static constexpr Tally kNone;
  const auto found = tallies.find(target_.workload);
  return found == tallies.end() ? kNone : found->second;
}

std::size_t WhatIf::siblings() const { return own(before_).pods; }
std::size_t WhatIf::placed_siblings() const { return own(before_).placed; }

std::size_t WhatIf::missing_members() const {
  if (!waiting_group_) return 0;
  const auto needed = static_cast<std::size_t>(waiting_group_->min_count.value_or(1));
  return needed - std::min(needed, waiting_group_->succeeded + waiting_group_->placed + waiting_group_->fits);
}

bool WhatIf::starts_group(const simulator::Planning& after) const {
  if (!waiting_group_) return true;
  return std::ranges::any_of(after.groups(), [&](const simulator::PlannedGroup& group) {
    const bool is_same = group.name == waiting_group_->name && group.spelling == waiting_group_->spelling &&
                         group.name_space == waiting_group_->name_space;
    if (!is_same || !holds_its_pods(group)) return is_same;
    // Its first part has started then, and the next one waits.
    const std::int64_t needed = waiting_group_->min_count.value_or(1);
    return waiting_group_->to_come > 0 && static_cast<std::int64_t>(group.placed + group.succeeded) >= needed;
  });
}

std::optional<Suggestion> WhatIf::try_remedy(const Remedy& remedy) const {
  kube::Objects objects = planning_.input();
  for (const Edit& edit : remedy) apply(edit, target_, objects);
  simulator::PlanOptions options = planning_.options();
  options.watch.reset();
  options.progress = nullptr;  // the observer of the first plan may be gone
  const auto made = simulator::Planning::make(objects, planning_.configuration(), options);
  if (!made) return std::nullopt;
  const simulator::Planning& after = **made;
  const Tallies tallies = count(after);

  Suggestion suggestion{remedy, Proof::kPlanned, {}, own(tallies).pods, own(tallies).placed, {}, {}};
  bool same_name = false;
  std::size_t ordinal = 0;
  for (const SimulatedPod& subject : after.pods().list()) {
    if (simulator::name_of(subject.workload) != target_.workload) continue;
    const bool same = key_of(subject) == target_.pod.name_space + '/' + target_.pod.name;
    if (same && subject.on_a_node()) same_name = true;
    if ((same || ordinal == ordinal_) && subject.on_a_node()) suggestion.node = after.cluster().node_name(subject.node);
    ++ordinal;
  }
  if (!same_name && own(tallies).wanting >= own(before_).wanting) return std::nullopt;
  if (!starts_group(after)) return std::nullopt;

  for (const std::string& pod : preempted(after)) {
    if (!preempted_before_.contains(pod)) suggestion.victims.push_back(pod);
  }
  for (const auto& [workload, tally] : tallies) {
    const auto before = before_.find(workload);
    const std::size_t wanted_before = before == before_.end() ? 0 : before->second.wanting;
    if (workload != target_.workload && tally.wanting > wanted_before) {
      suggestion.harm.push_back({workload, tally.wanting - wanted_before});
    }
  }
  return suggestion;
}

}  // namespace loadline::advice
