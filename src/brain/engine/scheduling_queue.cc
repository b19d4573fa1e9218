#include "brain/engine/scheduling_queue.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Need;
using decision::Parked;
using decision::Unit;
using decision::UnitRecord;
using decision::UnitStage;

namespace {

/// How long a unit backs off that has failed so often: 1 s, 2, 4, 8, 10, 10, …
Duration backoff_after(std::int64_t failures) {
  constexpr std::int64_t kMost = 10;
  return Duration::seconds(failures > 4 ? kMost : std::int64_t{1} << std::max<std::int64_t>(failures - 1, 0));
}

/// The second that it lies in: backoffs are compared by these. Source: backoffQOrderingWindowDuration.
Instant window_of(Instant at) {
  constexpr std::int64_t kWindow = Duration::seconds(1).nanoseconds;
  return Instant{at.nanoseconds - at.nanoseconds % kWindow};
}

}  // namespace

// ---- stages ---------------------------------------------------------------------------------------------------------

/// REQUIRES: it is in none of the lists.
void SchedulingQueue::enter(UnitRecord& record, UnitStage stage) {
  record.stage = stage;
  switch (stage) {
    case UnitStage::kActive:
      active_.insert(place_of(record));
      break;
    case UnitStage::kBackingOff:
      backoff_.insert(backoff_key(record));
      break;
    case UnitStage::kParked:
      ++parked_;
      (record.parked.need ? parked_by_need_[*record.parked.need] : unknown_needs_).insert(place_of(record));
      if (record.parked.wakes.any()) wakeable_by_placement_.insert(record.unit);
      break;
    case UnitStage::kHeld:
    case UnitStage::kDeciding:
      break;
  }
}

/// It is in none of the lists then. Its stage is to be set.
void SchedulingQueue::leave(UnitRecord& record) {
  switch (record.stage) {
    case UnitStage::kActive:
      active_.erase(place_of(record));
      break;
    case UnitStage::kBackingOff:
      backoff_.erase(backoff_key(record));
      break;
    case UnitStage::kParked: {
      --parked_;
      wakeable_by_placement_.erase(record.unit);
      if (!record.parked.need) {
        unknown_needs_.erase(place_of(record));
        break;
      }
      const auto alike = parked_by_need_.find(*record.parked.need);
      alike->second.erase(place_of(record));
      if (alike->second.empty()) parked_by_need_.erase(alike);
      break;
    }
    case UnitStage::kHeld:
    case UnitStage::kDeciding:
      break;
  }
}

void SchedulingQueue::push(Unit unit, PodId pod) {
  UnitRecord& record = units_.open(unit);
  const UnitRecord::Rank rank = units_.rank_by(unit, pod);
  const bool stands_right = record.is_in_line() && record.rank <= rank;
  if (stands_right && record.stage == UnitStage::kActive) return;
  leave(record);
  record.rank = record.is_in_line() ? std::min(record.rank, rank) : rank;
  enter(record, UnitStage::kActive);
}

void SchedulingQueue::rank(Unit group) {
  UnitRecord& record = units_.at(group);
  REQUIRES(record.is_in_line());
  const UnitRecord::Rank best = units_.best_rank(record);
  if (best == record.rank) return;
  leave(record);
  record.rank = best;
  enter(record, record.stage);
}

bool SchedulingQueue::has(Unit unit) const {
  const UnitRecord* const record = units_.find(unit);
  return record != nullptr && record->is_in_line();
}

void SchedulingQueue::remove(Unit unit) {
  UnitRecord* const record = units_.find(unit);
  if (record == nullptr) return;
  leave(*record);
  record->failures = {};
  enter(*record, UnitStage::kHeld);
}

std::optional<Unit> SchedulingQueue::pop() {
  end_backoffs();
  if (empty()) return std::nullopt;
  // Without leave(), which searches for it: this is done for every pod.
  const Unit unit = active_.empty() ? std::get<Unit>(backoff_.extract(backoff_.begin()).value()) : active_.pop();
  units_.at(unit).stage = UnitStage::kDeciding;
  return unit;
}

void SchedulingQueue::end_backoffs() {
  if (backoff_.empty()) return;
  const Instant window = window_of(now_);
  while (!backoff_.empty() && std::get<Instant>(*backoff_.begin()) < window) {
    UnitRecord& record = units_.at(std::get<Unit>(*backoff_.begin()));
    leave(record);
    enter(record, UnitStage::kActive);
  }
}

// ---- failures -------------------------------------------------------------------------------------------------------

void SchedulingQueue::park(Unit unit, const placement::WakeUps& by, const std::optional<Need>& need) {
  UnitRecord& record = units_.at(unit);
  leave(record);
  count_failure(record);
  record.parked = {by, ++steps_, need};
  enter(record, UnitStage::kParked);
}

void SchedulingQueue::park_untried(Unit unit, const std::optional<Need>& need) {
  UnitRecord& record = units_.at(unit);
  leave(record);
  if (record.failures.count == 0) count_failure(record);
  record.parked = {.since = ++steps_, .need = need};
  enter(record, UnitStage::kParked);
}

void SchedulingQueue::count_failure(UnitRecord& record) const {
  decision::Failures& failures = record.failures;
  if (!failures.is_spared) {
    ++failures.count;
    failures.backs_off_until = window_of(now_ + backoff_after(failures.count));
  }
  failures.is_asked_again = failures.is_spared = false;
}

bool SchedulingQueue::spare_if_asked_again(Unit unit) {
  decision::Failures& failures = units_.at(unit).failures;
  if (!failures.is_asked_again) return false;
  failures.is_spared = true;
  return true;
}

std::vector<Unit> SchedulingQueue::first_in_line(std::size_t units, const std::set<Unit>& without) const {
  std::vector<Place> line = active_.places();
  line.reserve(size());
  for (const auto& [window, rank, unit] : backoff_) line.push_back({rank, unit});
  for (const auto& [need, parked] : parked_by_need_) line.insert(line.end(), parked.begin(), parked.end());
  line.insert(line.end(), unknown_needs_.begin(), unknown_needs_.end());
  if (!without.empty()) std::erase_if(line, [&](const Place& place) { return without.contains(place.unit); });
  const std::size_t shown = std::min(units, line.size());
  std::partial_sort(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(shown), line.end());
  std::vector<Unit> first;
  for (std::size_t i = 0; i < shown; ++i) first.push_back(line[i].unit);
  return first;
}

// ---- what may help --------------------------------------------------------------------------------------------------

/// It has another turn, once its backoff is over or when nobody else waits.
void SchedulingQueue::unpark(UnitRecord& record) {
  const bool backs_off = record.failures.backs_off_until >= window_of(now_);
  leave(record);
  enter(record, backs_off ? UnitStage::kBackingOff : UnitStage::kActive);
}

void SchedulingQueue::forget_need(Unit unit) {
  UnitRecord& record = units_.at(unit);
  if (record.stage != UnitStage::kParked || !record.parked.need) return;
  leave(record);
  record.parked.need.reset();
  enter(record, UnitStage::kParked);
}

bool SchedulingQueue::helps(const cluster::PodShape& placed, PodId waiting, const Parked& parked) const {
  const cluster::PodShape& shape = cluster_.shape_of(waiting);
  if (parked.wakes.by_placements) return true;
  if (parked.wakes.by_namespace && placed.name_space == shape.name_space) return true;
  return parked.wakes.by_affinity && std::any_of(shape.required_affinity.begin(), shape.required_affinity.end(),
                                                 [&](const auto& term) { return cluster_.matches(term.term, placed); });
}

bool SchedulingQueue::helps(const cluster::PodShape& placed, const UnitRecord& waiting) const {
  return std::ranges::any_of(waiting.pods(), [&](PodId pod) { return helps(placed, pod, waiting.parked); });
}

void SchedulingQueue::pod_placed(PodId pod) {
  const cluster::PodShape& placed = cluster_.shape_of(pod);
  std::vector<UnitRecord*> woken;
  for (const Unit parked : wakeable_by_placement_) {
    if (UnitRecord& record = units_.at(parked); helps(placed, record)) woken.push_back(&record);
  }
  for (UnitRecord* const record : woken) unpark(*record);
}

void SchedulingQueue::pod_leaving(PodId pod) {
  const Symbol name_space = cluster_.shape_of(pod).name_space;
  std::vector<UnitRecord*> woken;
  for (const Unit parked : wakeable_by_placement_) {
    UnitRecord& record = units_.at(parked);
    const bool is_there = cluster_.shape_of(record.pods().front()).name_space == name_space;
    if (record.parked.wakes.by_namespace && is_there) woken.push_back(&record);
  }
  for (UnitRecord* const record : woken) unpark(*record);
}

void SchedulingQueue::wake(Unit unit) {
  UnitRecord* const record = units_.find(unit);
  if (record != nullptr && record->stage == UnitStage::kParked) unpark(*record);
}

void SchedulingQueue::wake_with_room(RoomBound& bound) {
  std::vector<UnitRecord*> woken;
  const auto wake_if_helped = [&](const Place& place) {
    UnitRecord& record = units_.at(place.unit);
    if (record.parked.since >= room_changed_) return false;
    woken.push_back(&record);
    return true;
  };
  for (const auto& [need, units] : parked_by_need_) {
    std::int64_t room = bound.of(need.shape, need.priority);
    for (auto each = units.begin(); each != units.end() && room >= need.pods; ++each) {
      if (wake_if_helped(*each)) room -= need.pods;
    }
  }
  std::ranges::for_each(unknown_needs_, wake_if_helped);
  for (UnitRecord* const record : woken) unpark(*record);
  room_settled_ = room_changed_;
}

void SchedulingQueue::wake_all() {
  std::vector<UnitRecord*> all;
  all.reserve(parked_);
  const auto add = [&](const Place& place) { all.push_back(&units_.at(place.unit)); };
  for (const auto& [need, parked] : parked_by_need_) std::ranges::for_each(parked, add);
  std::ranges::for_each(unknown_needs_, add);
  for (UnitRecord* const record : all) {
    record->failures.is_asked_again = true;
    unpark(*record);
  }
}

}  // namespace loadline::engine
