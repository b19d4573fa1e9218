#include "brain/engine/unit_table.h"

#include <algorithm>
#include <limits>

#include "brain/gang/topology/close_placement.h"
#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Unit;
using decision::UnitRecord;

UnitRecord& UnitTable::open(Unit unit) {
  UnitRecord*& entry = unit.is_group() ? groups_[unit.group] : [&]() -> UnitRecord*& {
    if (unit.pod.index() >= by_pod_.size()) by_pod_.resize(cluster_.pod_slots(), nullptr);
    return by_pod_[unit.pod.index()];
  }();
  if (entry == nullptr) {
    entry = &unused_record();
    entry->unit = unit;
  }
  return *entry;
}

UnitRecord& UnitTable::unused_record() {
  if (unused_.empty()) return records_.emplace_back();
  UnitRecord& record = *unused_.back();
  unused_.pop_back();
  return record;
}

UnitRecord* UnitTable::lookup(Unit unit) const {
  if (!unit.is_group()) return unit.pod.index() < by_pod_.size() ? by_pod_[unit.pod.index()] : nullptr;
  const auto found = groups_.find(unit.group);
  return found == groups_.end() ? nullptr : found->second;
}

UnitRecord& UnitTable::known(Unit unit) const {
  UnitRecord* const record = lookup(unit);
  REQUIRES(record != nullptr);
  return *record;
}

void UnitTable::close(Unit unit) {
  UnitRecord* const record = lookup(unit);
  if (record == nullptr) return;
  if (unit.is_group()) {
    groups_.erase(unit.group);
  } else {
    by_pod_[unit.pod.index()] = nullptr;
  }
  record->stage = decision::UnitStage::kHeld;
  record->company.reset();
  record->failures = {};
  record->parked = {};
  unused_.push_back(record);
}

std::size_t UnitTable::least(Unit unit) const {
  if (!unit.is_group()) return 1;
  const std::int64_t waiting = std::ssize(at(unit).members());
  return static_cast<std::size_t>(std::min(cluster_.group(unit.group).still_needed(), waiting));
}

std::int32_t UnitTable::priority(Unit unit) const {
  if (!unit.is_group()) return cluster_.pod(unit.pod).priority;
  if (const auto& own = cluster_.group(unit.group).rules.priority) return *own;
  const std::vector<PodId>& members = at(unit).members();
  std::int32_t best = cluster_.pod(members.front()).priority;
  for (const PodId pod : members) best = std::max(best, cluster_.pod(pod).priority);
  return best;
}

bool UnitTable::is_bound_together(Unit unit) const {
  return unit.is_group() && gang::has_topology_wish(cluster_.group(unit.group));
}

/// A group's own priority goes before that of its pods. Room that is held for pods that come later makes it no older.
UnitRecord::Rank UnitTable::rank_by(Unit unit, PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  const std::int32_t priority =
      unit.is_group() ? cluster_.group(unit.group).rules.priority.value_or(record.priority) : record.priority;
  constexpr auto kYoungest = std::numeric_limits<decltype(cluster::PodRecord::uid)>::max();
  const bool is_room = unit.is_group() && record.reservation.valid();
  return {-std::int64_t{priority}, is_room ? kYoungest : record.uid};
}

UnitRecord::Rank UnitTable::best_rank(const UnitRecord& record) const {
  const std::span<const PodId> pods = record.pods();
  REQUIRES(!pods.empty());
  UnitRecord::Rank best = rank_by(record.unit, pods.front());
  for (const PodId pod : pods) best = std::min(best, rank_by(record.unit, pod));
  return best;
}

}  // namespace loadline::engine
