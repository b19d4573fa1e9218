#include "brain/gang/victim_proposal.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace loadline::gang {

using cluster::NodeId;
using cluster::PodId;

namespace {

/// So many units of one node are looked at together.
constexpr std::size_t kMostOnNode = 32;

}  // namespace

VictimProposal::VictimProposal(const cluster::Cluster& cluster, std::span<const RankedUnit> units, RoomCount& room)
    : cluster_(cluster), units_(units), room_(room), taken_(units.size()), out_(cluster.pod_slots()) {
  std::map<NodeId, std::map<std::size_t, std::int64_t>> shares;
  for (std::size_t i = 0; i < units.size(); ++i) {
    for (const PodId pod : units[i].unit->pods) {
      const NodeId node = cluster.pod(pod).node;
      if (room.is_of_use(node)) shares[node][i] += room.share_of(pod);
    }
  }
  for (const auto& [node, held] : shares) {
    if (held.size() < 2) continue;
    UnitSet on_node;
    for (const auto& [unit, share] : held) on_node.push_back(unit);
    std::stable_sort(on_node.begin(), on_node.end(),
                     [&shares_of = held](std::size_t a, std::size_t b) { return shares_of.at(a) > shares_of.at(b); });
    by_node_.insert(std::move(on_node));
  }
}

bool VictimProposal::is_better(const Option& a, const Option& b) {
  const auto compare = [&](std::int64_t of_a, std::int64_t of_b) { return of_a * b.gain - of_b * a.gain; };
  for (const std::int64_t difference : {compare(a.violations, b.violations), compare(a.jobs, b.jobs),
                                        compare(a.gpu_seconds, b.gpu_seconds), compare(a.pods, b.pods)}) {
    if (difference != 0) return difference < 0;
  }
  return a.units < b.units;
}

/// Of a group with its minimum, no more members leave by themselves than it can spare.
bool VictimProposal::may_take(std::size_t unit) const {
  if (taken_[unit]) return false;
  const EvictionUnit& candidate = *units_[unit].unit;
  if (!candidate.is_surplus) return true;
  const auto taken = surplus_.find(candidate.group);
  return !out_[candidate.pods.front().index()] && (taken == surplus_.end() || taken->second < candidate.spare);
}

std::vector<PodId> VictimProposal::pods_left(std::size_t unit) const {
  std::vector<PodId> pods = units_[unit].unit->pods;
  std::erase_if(pods, [&](PodId pod) { return out_[pod.index()]; });
  return pods;
}

std::int64_t VictimProposal::gain_of(const UnitSet& units) {
  const std::int64_t before = room_.missing(slack_);
  std::vector<PodId> pods;
  for (const std::size_t unit : units) {
    const std::vector<PodId> left = pods_left(unit);
    pods.insert(pods.end(), left.begin(), left.end());
  }
  room_.remove(pods);
  const std::int64_t gain = before - room_.missing(slack_);
  room_.restore(pods);
  return gain;
}

void VictimProposal::weigh(std::size_t unit, Option& option) const {
  const EvictionUnit& leaving = *units_[unit].unit;
  option.violations += units_[unit].violates_budget ? 1 : 0;
  option.jobs += leaving.is_surplus ? 0 : 1;
  option.gpu_seconds += leaving.gpu_seconds;
  option.pods += std::ssize(leaving.pods);
}

void VictimProposal::add_single_options(std::size_t end, std::vector<Option>& options) {
  for (std::size_t i = 0; i < end; ++i) {
    if (!may_take(i)) continue;
    Option option{{i}, gain_of({i})};
    if (option.gain <= 0) continue;
    weigh(i, option);
    options.push_back(std::move(option));
  }
}

void VictimProposal::add_node_options(std::size_t end, std::vector<Option>& options) {
  for (const UnitSet& on_node : by_node_) {
    Option best = best_of_node(on_node, end);
    if (best.gain > 0) options.push_back(std::move(best));
  }
}

/// Several units of a node, those first that hold most of it: as many as gain most for what they cost.
VictimProposal::Option VictimProposal::best_of_node(const UnitSet& on_node, std::size_t end) {
  const std::int64_t before = room_.missing(slack_);
  Option best, grown;
  std::vector<PodId> removed;
  for (const std::size_t i : on_node) {
    const bool is_surplus = units_[i].unit->is_surplus;  // what a group can spare is not followed here
    if (i >= end || is_surplus || !may_take(i) || grown.units.size() == kMostOnNode) continue;
    grown.units.push_back(i);
    weigh(i, grown);
    const std::vector<PodId> pods = pods_left(i);
    room_.remove(pods);
    removed.insert(removed.end(), pods.begin(), pods.end());
    grown.gain = before - room_.missing(slack_);
    if (grown.units.size() > 1 && grown.gain > 0 && (best.gain == 0 || is_better(grown, best))) best = grown;
  }
  room_.restore(removed);
  std::sort(best.units.begin(), best.units.end());
  return best;
}

void VictimProposal::take(std::size_t unit) {
  const EvictionUnit& taken = *units_[unit].unit;
  for (std::size_t i = 0; i < units_.size() && taken.spare > 0 && !taken.is_surplus; ++i) {
    if (units_[i].unit->is_surplus && units_[i].unit->group == taken.group) taken_[i] = false;
  }
  const std::vector<PodId> pods = pods_left(unit);
  room_.remove(pods);
  for (const PodId pod : pods) out_[pod.index()] = true;
  if (taken.is_surplus) ++surplus_[taken.group];
  taken_[unit] = true;
}

void VictimProposal::give_back_all() {
  for (std::size_t i = 0; i < units_.size(); ++i) {
    if (!taken_[i]) continue;
    room_.restore(units_[i].unit->pods);
    taken_[i] = false;
    for (const PodId pod : units_[i].unit->pods) out_[pod.index()] = false;
  }
  surplus_.clear();
}

std::optional<UnitSet> VictimProposal::grow(std::size_t end, std::int64_t slack) {
  slack_ = slack;
  bool is_stuck = false;
  while (room_.missing(slack) > 0 && !is_stuck) {
    std::vector<Option> options;
    add_single_options(end, options);
    add_node_options(end, options);
    std::stable_sort(options.begin(), options.end(), is_better);
    is_stuck = options.empty();
    for (const Option& option : options) {
      const bool is_free = std::ranges::all_of(option.units, [&](std::size_t i) { return may_take(i); });
      if (!is_free) continue;
      if (gain_of(option.units) < option.gain) break;
      for (const std::size_t unit : option.units) take(unit);
    }
  }
  UnitSet set;
  for (std::size_t i = 0; i < end; ++i) {
    if (taken_[i]) set.push_back(i);
  }
  give_back_all();
  return is_stuck ? std::nullopt : std::optional(std::move(set));
}

}  // namespace loadline::gang
