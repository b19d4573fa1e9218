#include "brain/engine/overdue_starts.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"

namespace loadline::engine {

using cluster::NodeId;
using cluster::PodId;
using decision::Eviction;
using decision::Unit;

Overdue OverdueStarts::at(Instant now, gang::BrokenGroups broken) {
  gang::PartialStarts::Overdue overdue = partial_starts_.overdue(cluster_, scheduler_, now);
  std::vector<Eviction> stuck = stuck_between_parts(now);
  Overdue told;
  if (broken == gang::BrokenGroups::kKept) told.kept_in_vain = std::move(stuck);
  if (!overdue.unfinished.empty() || broken == gang::BrokenGroups::kKept) {
    for (const gang::Release& release : overdue.unfinished) told.releases.push_back(decision::release_of(release));
    return told;
  }
  if (!overdue.broken.empty()) {
    told.releases = useful_releases(cluster_, std::move(overdue.broken), beneficiaries(), line_.starts);
    if (!told.releases.empty()) return told;
  }
  if (!stuck.empty()) give_way(stuck);
  told.releases = std::move(stuck);
  return told;
}

/// Those first in line that could start, but for placeholders.
std::vector<InLine> OverdueStarts::beneficiaries() const {
  std::vector<InLine> line;
  for (const Unit& unit : queue_.first_in_line(queue_.size())) {
    const std::span<const PodId> pods = units_.pods(unit);
    const bool is_room = !unit.is_group() && cluster_.pod(unit.pod).reservation.valid();
    if (is_room || !line_.could_ever_start(unit)) continue;
    line.push_back({unit, pods});
    if (line.size() == kMostBeneficiaries) break;
  }
  return line;
}

/// What one of those gives back that hold room which each other needs; the most important is the first to gain.
std::vector<Eviction> OverdueStarts::stuck_between_parts(Instant now) {
  std::vector<cluster::GroupId> with_turns;
  for (const auto& [group, record] : units_.groups()) {
    if (record->is_in_line()) with_turns.push_back(group);
  }
  std::vector<gang::Release> stuck = waiting_parts_.overdue(cluster_, with_turns, now);
  if (stuck.size() < 2) return {};
  if (stuck.size() > kMostBeneficiaries) stuck.erase(stuck.begin(), stuck.end() - kMostBeneficiaries);
  std::vector<InLine> line;
  for (auto each = stuck.rbegin(); each != stuck.rend(); ++each) {
    line.push_back({Unit(each->group), units_.pods(Unit(each->group))});
  }
  std::vector<Eviction> useful =
      useful_releases(cluster_, std::move(stuck), line, line_.starts, Beneficiaries::kOthers);
  // Whoever gains has a turn while the others leave.
  for (const InLine& each : line) {
    if (!useful.empty()) queue_.wake(each.unit);
  }
  return useful;
}

/// They leave as victims do, for others that are nominated to that room: what comes in their stead would take it.
void OverdueStarts::give_way(const std::vector<Eviction>& stuck) {
  for (const gang::Place& place : places_once_gone(stuck)) {
    cluster_.nominate(place.pod, place.node);
    queue_.forget_need(Unit(cluster_.pod(place.pod).group));
  }
  for (const Eviction& eviction : stuck) {
    for (const PodId pod : eviction.pods) cluster_.set_terminating(pod, true);
  }
}

/// The most important of the groups that wait between two parts, and start once these are gone: where its pods are
/// then. Empty: there is none.
std::vector<gang::Place> OverdueStarts::places_once_gone(const std::vector<Eviction>& evictions) {
  std::vector<std::tuple<std::int64_t, std::int64_t, cluster::GroupId>> line;  // the best first
  for (const auto& [id, record] : units_.groups()) {
    const cluster::PodGroup& group = cluster_.group(id);
    const bool is_between =
        gang::waits_for_later_part(cluster_, group) || (group.placed == 0 && !group.rules.starts_after.empty());
    if (!is_between || std::ranges::find(evictions, id, &Eviction::group) != evictions.end()) continue;
    line.emplace_back(-std::int64_t{units_.priority(Unit(id))}, cluster_.pod(record->members().front()).uid, id);
  }
  std::ranges::sort(line);
  const cluster::Transaction gone(cluster_, cluster::Visibility::kSeen);
  for (const Eviction& eviction : evictions) {
    for (const PodId pod : eviction.pods) cluster_.unplace(pod);
  }
  for (const auto& [rank, age, id] : line) {
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    const std::vector<PodId>& members = units_.at(Unit(id)).members();
    if (!line_.starts(Unit(id), members)) continue;
    std::vector<gang::Place> places;
    for (const PodId pod : members) {
      if (const NodeId node = cluster_.pod(pod).node; node.valid()) places.push_back({pod, node});
    }
    return places;
  }
  return {};
}

}  // namespace loadline::engine
