#include "brain/gang/victims.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/victim_proposal.h"

namespace loadline::gang {

using cluster::GroupId;
using cluster::NodeId;
using cluster::PodId;

namespace {

/// Those that violate no budget first, then by preference. Budgets are drawn on in that order.
std::vector<RankedUnit> rank(std::span<const EvictionUnit> units, const VictimRules& rules) {
  std::vector<RankedUnit> ranked;
  for (const EvictionUnit& unit : units) ranked.push_back({&unit});
  std::stable_sort(ranked.begin(), ranked.end(),
                   [&](const RankedUnit& a, const RankedUnit& b) { return rules.is_preferred(*a.unit, *b.unit); });
  const Overdraws overdraws = rules.budgets ? rules.budgets() : nullptr;
  if (!overdraws) return ranked;
  for (RankedUnit& each : ranked) {
    for (const PodId pod : each.unit->pods) {
      if (overdraws(pod)) each.violates_budget = true;
    }
  }
  std::stable_partition(ranked.begin(), ranked.end(), [](const RankedUnit& each) { return !each.violates_budget; });
  return ranked;
}

class VictimSearch {
 public:
  VictimSearch(cluster::Cluster& cluster, std::span<const EvictionUnit> units, std::span<const PodId> members,
               const std::vector<RoomNeed>& needs, const TryPlace& try_place, const VictimRules& rules,
               const VictimCost* cheaper_than)
      : cluster_(cluster),
        members_(members),
        try_place_(try_place),
        rules_(rules),
        cheaper_than_(cheaper_than),
        room_(cluster, needs),
        units_(rank(units, rules)) {
    if (!minds_other_pods(cluster, needs)) drop_useless();
  }

  std::optional<Victims> run();
  std::optional<VictimCost> estimate();

 private:
  /// A set, and what it costs.
  using Priced = std::pair<VictimCost, UnitSet>;

  // ---- sets
  void drop_useless();
  [[nodiscard]] UnitSet all_of_first(std::size_t end) const;
  [[nodiscard]] bool is_valid(const UnitSet& set) const;
  [[nodiscard]] std::vector<PodId> pods_of(const UnitSet& set) const;
  [[nodiscard]] VictimCost cost_of(const UnitSet& set) const;
  [[nodiscard]] std::vector<std::size_t> level_ends() const;
  bool may_fit(const UnitSet& set);
  bool fits(const UnitSet& set);
  bool settles_for(const UnitSet& set);

  // ---- steps
  [[nodiscard]] std::vector<Priced> all_sets() const;
  bool try_all_sets();
  bool find_some_set();
  std::size_t first_hopeful(const std::vector<std::size_t>& ends);
  bool try_level(std::size_t end);
  void keep_only_used();
  void give_back();
  void give_back(std::span<const std::size_t> candidates);
  std::vector<bool> needed_by_count();
  bool give_back_one_by_one();
  void spare_groups();
  void try_small_sets();
  void try_fewer_jobs();
  [[nodiscard]] std::vector<Priced> cheaper_sets(std::size_t size);
  void collect(UnitSet& begun, std::size_t next, std::size_t size, std::vector<Priced>& found);
  void collect_last(UnitSet& begun, std::size_t next, std::vector<Priced>& found);
  void count_as_gone(std::size_t unit);
  void count_as_staying(std::size_t unit);

  cluster::Cluster& cluster_;
  std::span<const PodId> members_;
  const TryPlace& try_place_;
  const VictimRules& rules_;
  const VictimCost* cheaper_than_;
  RoomCount room_;
  std::vector<RankedUnit> units_;  // preferred ones first
  UnitSet chosen_;                 // with which the members fit
  std::vector<Place> places_;      // and where
  std::vector<Place> tried_;       // of the last attempt that succeeded
  std::size_t attempts_ = 0;
  std::size_t pods_counted_ = 0;  // in sets that were looked at for fewer jobs
};

// ---- sets -----------------------------------------------------------------------------------------------------------

/// Units that hold no room on any node that a member could be on.
void VictimSearch::drop_useless() {
  std::erase_if(units_, [&](const RankedUnit& each) {
    return std::ranges::none_of(each.unit->pods, [&](PodId pod) { return room_.is_of_use(cluster_.pod(pod).node); });
  });
}

/// The first units, without members of groups that are among them as a whole, or cannot spare so many.
UnitSet VictimSearch::all_of_first(std::size_t end) const {
  std::set<GroupId> whole;
  for (std::size_t i = 0; i < end; ++i) {
    if (units_[i].unit->group.valid() && !units_[i].unit->is_surplus) whole.insert(units_[i].unit->group);
  }
  std::map<GroupId, std::size_t> surplus;
  UnitSet set;
  for (std::size_t i = 0; i < end; ++i) {
    const EvictionUnit& unit = *units_[i].unit;
    if (unit.is_surplus && (unit.spare == 0 || whole.contains(unit.group) || ++surplus[unit.group] > unit.spare))
      continue;
    set.push_back(i);
  }
  return set;
}

bool VictimSearch::is_valid(const UnitSet& set) const {
  std::map<GroupId, std::size_t> surplus;
  std::set<GroupId> whole;
  for (const std::size_t i : set) {
    const EvictionUnit& unit = *units_[i].unit;
    if (unit.spare == 0) continue;
    if (!unit.is_surplus) whole.insert(unit.group);
    if (unit.is_surplus && ++surplus[unit.group] > unit.spare) return false;
  }
  return std::ranges::none_of(whole, [&](GroupId group) { return surplus.contains(group); });
}

std::vector<PodId> VictimSearch::pods_of(const UnitSet& set) const {
  std::vector<PodId> pods;
  for (const std::size_t i : set) pods.insert(pods.end(), units_[i].unit->pods.begin(), units_[i].unit->pods.end());
  return pods;
}

VictimCost VictimSearch::cost_of(const UnitSet& set) const {
  std::vector<const EvictionUnit*> units;
  for (const std::size_t i : set) units.push_back(units_[i].unit);
  return rules_.cost(units);
}

/// Where units of one priority end, those apart that violate budgets.
std::vector<std::size_t> VictimSearch::level_ends() const {
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i < units_.size(); ++i) {
    const RankedUnit& a = units_[i - 1];
    const RankedUnit& b = units_[i];
    if (a.unit->priority != b.unit->priority || a.violates_budget != b.violates_budget) ends.push_back(i);
  }
  ends.push_back(units_.size());
  return ends;
}

/// False: they certainly do not.
bool VictimSearch::may_fit(const UnitSet& set) {
  const std::vector<PodId> pods = pods_of(set);
  room_.remove(pods);
  const bool may_fit = room_.missing() == 0;
  room_.restore(pods);
  return may_fit;
}

bool VictimSearch::fits(const UnitSet& set) {
  if (!may_fit(set)) return false;
  ++attempts_;
  const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
  for (const PodId pod : pods_of(set)) cluster_.unplace(pod);
  if (!try_place_()) return false;
  tried_.clear();
  for (const PodId member : members_) {
    if (const NodeId node = cluster_.pod(member).node; node.valid()) tried_.push_back({member, node});
  }
  return true;
}

/// Tries the set, and takes it if the members fit.
bool VictimSearch::settles_for(const UnitSet& set) {
  if (!fits(set)) return false;
  chosen_ = set;
  places_ = tried_;
  return true;
}

// ---- few units: all sets --------------------------------------------------------------------------------------------

/// Valid ones that are cheap enough, the cheapest first.
std::vector<VictimSearch::Priced> VictimSearch::all_sets() const {
  std::vector<Priced> sets;
  for (std::uint32_t bits = 1; bits < 1U << units_.size(); ++bits) {
    UnitSet set;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if ((bits >> i & 1U) != 0) set.push_back(i);
    }
    if (!is_valid(set)) continue;
    const VictimCost cost = cost_of(set);
    if (cheaper_than_ == nullptr || cost < *cheaper_than_) sets.emplace_back(cost, std::move(set));
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

bool VictimSearch::try_all_sets() {
  std::vector<UnitSet> in_vain;
  for (auto& [cost, set] : all_sets()) {
    const bool is_in_vain = std::ranges::any_of(
        in_vain, [&wanted = set](const UnitSet& failed) { return std::ranges::includes(failed, wanted); });
    if (is_in_vain) continue;
    if (settles_for(set)) return true;
    in_vain.push_back(std::move(set));
  }
  return false;
}

// ---- many units -----------------------------------------------------------------------------------------------------

/// The first level up to which units may suffice; as many as there are: none.
std::size_t VictimSearch::first_hopeful(const std::vector<std::size_t>& ends) {
  const auto found = std::ranges::partition_point(ends, [&](std::size_t end) { return !may_fit(all_of_first(end)); });
  return static_cast<std::size_t>(found - ends.begin());
}

/// Proposes sets among the first units, small ones first, until the members fit.
bool VictimSearch::try_level(std::size_t end) {
  VictimProposal proposal(cluster_, units_, room_);
  const UnitSet all = all_of_first(end);
  for (std::int64_t slack = 0;; slack = std::max<std::int64_t>(1, 2 * slack)) {
    const std::optional<UnitSet> set = proposal.grow(end, slack);
    if (!set || set->size() >= all.size()) break;
    if (!set->empty() && settles_for(*set)) return true;
    if (slack > std::ssize(members_)) break;
  }
  return settles_for(all);
}

bool VictimSearch::find_some_set() {
  const std::vector<std::size_t> ends = level_ends();
  const std::size_t first = first_hopeful(ends);
  if (first == ends.size()) return false;
  if (try_level(ends[first])) return true;
  if (first + 1 == ends.size() || !settles_for(all_of_first(ends.back()))) return false;
  std::size_t fails = first;
  std::size_t suffices = ends.size() - 1;
  while (suffices - fails > 1) {
    const std::size_t middle = std::midpoint(fails, suffices);
    (settles_for(all_of_first(ends[middle])) ? suffices : fails) = middle;
  }
  return try_level(ends[suffices]);
}

/// Units that have no pod where a member is placed are probably not in its way.
void VictimSearch::keep_only_used() {
  std::set<NodeId> used;
  for (const Place& place : places_) used.insert(place.node);
  UnitSet set = chosen_;
  std::erase_if(set, [&](std::size_t i) {
    return std::ranges::none_of(units_[i].unit->pods, [&](PodId pod) { return used.contains(cluster_.pod(pod).node); });
  });
  if (set.size() < chosen_.size()) settles_for(set);
}

/// Gives back as many of the candidates as can be, by halves. The first are the most important.
void VictimSearch::give_back(std::span<const std::size_t> candidates) {
  UnitSet set = chosen_;
  std::erase_if(set, [&](std::size_t i) { return std::ranges::find(candidates, i) != candidates.end(); });
  if (settles_for(set) || candidates.size() == 1) return;
  give_back(candidates.first(candidates.size() / 2));
  give_back(candidates.last(candidates.size() - candidates.size() / 2));
}

/// Units without which there is certainly no room, whatever else of the chosen is given back.
std::vector<bool> VictimSearch::needed_by_count() {
  std::vector<bool> is_needed(units_.size());
  const std::vector<PodId> pods = pods_of(chosen_);
  room_.remove(pods);
  for (const std::size_t i : chosen_) {
    room_.restore(units_[i].unit->pods);
    is_needed[i] = room_.missing() > 0;
    room_.remove(units_[i].unit->pods);
  }
  room_.restore(pods);
  return is_needed;
}

/// True: some unit was given back. Members are placed one after another, so less room may do where more did not.
bool VictimSearch::give_back_one_by_one() {
  const UnitSet before = chosen_;
  const std::vector<bool> is_needed = needed_by_count();
  for (auto unit = before.rbegin(); unit != before.rend(); ++unit) {
    if (is_needed[*unit]) continue;
    UnitSet set = chosen_;
    std::erase(set, *unit);
    settles_for(set);
  }
  return chosen_.size() < before.size();
}

void VictimSearch::give_back() {
  UnitSet candidates(chosen_.rbegin(), chosen_.rend());
  const std::vector<bool> is_needed = needed_by_count();
  std::erase_if(candidates, [&](std::size_t i) { return is_needed[i]; });
  if (candidates.size() > kFewUnits) give_back(candidates);
  while (give_back_one_by_one()) {
  }
}

/// Of groups that are to leave as a whole, only members leave that they can spare, if that is enough: rather those in
/// whose places members are.
void VictimSearch::spare_groups() {
  std::set<NodeId> used;
  for (const Place& place : places_) used.insert(place.node);
  const UnitSet before = chosen_;
  for (const std::size_t whole : before) {
    const EvictionUnit& unit = *units_[whole].unit;
    if (unit.is_surplus || unit.spare == 0) continue;
    UnitSet members;
    for (std::size_t i = 0; i < units_.size(); ++i) {
      if (units_[i].unit->is_surplus && units_[i].unit->group == unit.group) members.push_back(i);
    }
    std::stable_partition(members.begin(), members.end(), [&](std::size_t i) {
      return used.contains(cluster_.pod(units_[i].unit->pods.front()).node);
    });
    if (members.size() > unit.spare) members.resize(unit.spare);
    UnitSet set = chosen_;
    std::erase(set, whole);
    set.insert(set.end(), members.begin(), members.end());
    std::sort(set.begin(), set.end());
    if (cost_of(set) < cost_of(chosen_)) settles_for(set);
  }
  if (chosen_ != before) give_back();
}

/// A set of one, or of two, that is better than what was found.
void VictimSearch::try_small_sets() {
  std::vector<std::pair<VictimCost, UnitSet>> sets;
  const VictimCost found = cost_of(chosen_);
  const auto consider = [&](UnitSet set) {
    if (!is_valid(set)) return;
    const VictimCost cost = cost_of(set);
    if (cost < found && may_fit(set)) sets.emplace_back(cost, std::move(set));
  };
  const std::size_t size = chosen_.size();
  for (std::size_t i = 0; i < units_.size() && size > 1; ++i) consider({i});
  for (std::size_t i = 0; i < units_.size() && size > 2 && units_.size() <= kUnitsForPairs; ++i) {
    for (std::size_t other = i + 1; other < units_.size(); ++other) consider({i, other});
  }
  std::sort(sets.begin(), sets.end());
  for (std::size_t i = 0; i < std::min(sets.size(), kMostSmallSets); ++i) {
    if (settles_for(sets[i].second)) return give_back();
  }
}

void VictimSearch::count_as_gone(std::size_t unit) {
  room_.remove(units_[unit].unit->pods);
  pods_counted_ += units_[unit].unit->pods.size();
}

void VictimSearch::count_as_staying(std::size_t unit) {
  room_.restore(units_[unit].unit->pods);
  pods_counted_ += units_[unit].unit->pods.size();
}

/// Sets of so many units that may suffice and are cheaper than what was found, the cheapest first.
std::vector<VictimSearch::Priced> VictimSearch::cheaper_sets(std::size_t size) {
  const VictimCost found = cost_of(chosen_);
  std::vector<Priced> sets;
  UnitSet begun;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) count_as_gone(unit);
  collect(begun, 0, size, sets);
  for (std::size_t unit = 0; unit < units_.size(); ++unit) count_as_staying(unit);
  std::erase_if(sets, [&](const Priced& set) { return !(set.first < found); });
  std::sort(sets.begin(), sets.end());
  return sets;
}

/// Those that begin so, and may suffice. REQUIRES: the units begun, and all from `next` on, count as gone; so they do
/// afterwards.
void VictimSearch::collect(UnitSet& begun, std::size_t next, std::size_t size, std::vector<Priced>& found) {
  if (begun.size() + 1 == size) return collect_last(begun, next, found);
  std::size_t i = next;
  for (; i < units_.size() && pods_counted_ < kMostPodsCounted; ++i) {
    // If all that may follow does not suffice with those begun, no set does that begins so, now or further on.
    if (room_.missing() > 0) break;
    begun.push_back(i);
    collect(begun, i + 1, size, found);
    begun.pop_back();
    count_as_staying(i);
  }
  while (i > next) count_as_gone(--i);
}

/// Those that lack one unit.
void VictimSearch::collect_last(UnitSet& begun, std::size_t next, std::vector<Priced>& found) {
  for (std::size_t unit = next; unit < units_.size(); ++unit) count_as_staying(unit);
  for (std::size_t i = next; i < units_.size() && pods_counted_ < kMostPodsCounted; ++i) {
    count_as_gone(i);
    const bool may_suffice = room_.missing() == 0;
    count_as_staying(i);
    if (!may_suffice) continue;
    begun.push_back(i);
    if (is_valid(begun)) found.emplace_back(cost_of(begun), begun);
    begun.pop_back();
  }
  for (std::size_t unit = next; unit < units_.size(); ++unit) count_as_gone(unit);
}

/// Sets of three and more that end fewer jobs than what was found. Jobs that share nodes, and members that are not
/// alike, mislead a proposal that goes by gains of room.
void VictimSearch::try_fewer_jobs() {
  if (units_.size() > kUnitsForPairs) return;
  const auto jobs = static_cast<std::size_t>(cost_of(chosen_).jobs);
  std::size_t tried = 0;
  for (std::size_t size = 3; size < jobs && pods_counted_ < kMostPodsCounted; ++size) {
    for (const auto& [cost, set] : cheaper_sets(size)) {
      if (tried++ == kMostFewerSets) return;
      if (settles_for(set)) return give_back();
    }
  }
}

/// Without placing anybody.
std::optional<VictimCost> VictimSearch::estimate() {
  if (units_.empty() || !may_fit(all_of_first(units_.size()))) return std::nullopt;
  if (units_.size() <= kFewUnits) {
    for (const auto& [cost, set] : all_sets()) {
      if (may_fit(set)) return cost;
    }
    return std::nullopt;
  }
  const std::vector<std::size_t> ends = level_ends();
  const std::size_t end = ends[first_hopeful(ends)];
  VictimProposal proposal(cluster_, units_, room_);
  const std::optional<UnitSet> set = proposal.grow(end, 0);
  return cost_of(set && !set->empty() ? *set : all_of_first(end));
}

std::optional<Victims> VictimSearch::run() {
  if (units_.empty() || !may_fit(all_of_first(units_.size()))) return std::nullopt;
  if (units_.size() <= kFewUnits) {
    if (!try_all_sets()) return std::nullopt;
  } else {
    if (!find_some_set()) return std::nullopt;
    keep_only_used();
    give_back();
    spare_groups();
    try_small_sets();
    try_fewer_jobs();
    if (cheaper_than_ != nullptr && !(cost_of(chosen_) < *cheaper_than_)) return std::nullopt;
  }
  Victims victims{{}, places_, cost_of(chosen_), attempts_};
  for (auto unit = chosen_.rbegin(); unit != chosen_.rend(); ++unit) victims.units.push_back(*units_[*unit].unit);
  return victims;
}

}  // namespace

bool minds_other_pods(const cluster::Cluster& cluster, const std::vector<RoomNeed>& needs) {
  return std::ranges::any_of(needs, [&](const RoomNeed& need) {
    const cluster::PodShape& shape = cluster.shape(need.shape);
    return !shape.required_affinity.empty() || !shape.required_anti_affinity.empty() || !shape.spread.empty() ||
           !cluster.matching_affinity_term_counts(need.shape).empty();
  });
}

std::optional<Victims> find_victims(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                    std::span<const PodId> members, const std::vector<RoomNeed>& needs,
                                    const TryPlace& try_place, const VictimRules& rules,
                                    const VictimCost* cheaper_than) {
  return VictimSearch(cluster, units, members, needs, try_place, rules, cheaper_than).run();
}

std::optional<VictimCost> estimate_victims(cluster::Cluster& cluster, std::span<const EvictionUnit> units,
                                           std::span<const PodId> members, const std::vector<RoomNeed>& needs,
                                           const VictimRules& rules) {
  return VictimSearch(cluster, units, members, needs, {}, rules, nullptr).estimate();
}

}  // namespace loadline::gang
