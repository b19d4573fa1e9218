#include "brain/engine/scheduling_queue.h"

#include <algorithm>
#include <iterator>

#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::PodId;
using decision::Unit;

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

void SchedulingQueue::push(PodId pod) {
  active_.insert(active_.end(), {rank_of(pod), Unit(pod)});  // the youngest mostly goes last
}

void SchedulingQueue::push(cluster::GroupId group, PodId member) {
  const Unit unit(group);
  const Rank rank = rank_of(group, member);
  const auto [known, is_new] = group_ranks_.try_emplace(group, rank);
  const bool stands_right = !is_new && known->second <= rank;
  if (stands_right && active_.contains({known->second, unit})) return;
  if (!is_new) {
    forget_parked(unit);
    active_.erase({known->second, unit});
    backoff_.erase(backoff_key(unit));
  }
  known->second = std::min(known->second, rank);
  active_.insert({known->second, unit});
}

void SchedulingQueue::rank(cluster::GroupId group, const std::vector<PodId>& waiting) {
  REQUIRES(!waiting.empty() && has(group));
  const Unit unit(group);
  Rank best = rank_of(group, waiting.front());
  for (const PodId pod : waiting) best = std::min(best, rank_of(group, pod));
  const bool was_active = active_.erase({rank_of(unit), unit}) > 0;
  const bool was_backing_off = backoff_.erase(backoff_key(unit)) > 0;
  const auto parked = parked_.find(unit);
  const std::optional<Need> need = parked == parked_.end() ? std::nullopt : parked->second.need;
  if (need) parked_by_need_[*need].erase({rank_of(unit), unit});
  group_ranks_[group] = best;
  if (need) parked_by_need_[*need].insert({best, unit});
  if (was_active) active_.insert({best, unit});
  if (was_backing_off) backoff_.insert(backoff_key(unit));
}

SchedulingQueue::Rank SchedulingQueue::rank_of(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  return {-std::int64_t{record.priority}, record.uid};
}

/// Where the group stands because of the member. Its own priority goes before that of its pods.
SchedulingQueue::Rank SchedulingQueue::rank_of(cluster::GroupId group, PodId member) const {
  const cluster::PodRecord& record = cluster_.pod(member);
  return {-std::int64_t{cluster_.group(group).rules.priority.value_or(record.priority)}, record.uid};
}

SchedulingQueue::Rank SchedulingQueue::rank_of(Unit unit) const {
  return unit.is_group() ? group_ranks_.at(unit.group) : rank_of(unit.pod);
}

SchedulingQueue::BackoffKey SchedulingQueue::backoff_key(Unit unit) const {
  const auto failed = failures_.find(unit);
  return {failed == failures_.end() ? kBeforeAll : failed->second.backs_off_until, rank_of(unit), unit};
}

std::optional<Unit> SchedulingQueue::pop() {
  end_backoffs();
  if (!active_.empty()) {
    const Unit unit = std::get<Unit>(*active_.begin());
    active_.erase(active_.begin());
    return unit;
  }
  if (backoff_.empty()) return std::nullopt;
  const Unit unit = std::get<Unit>(*backoff_.begin());
  backoff_.erase(backoff_.begin());
  return unit;
}

void SchedulingQueue::end_backoffs() {
  if (backoff_.empty()) return;
  const Instant window = window_of(now_);
  while (!backoff_.empty() && std::get<Instant>(*backoff_.begin()) < window) {
    const auto [ended, rank, unit] = *backoff_.begin();
    backoff_.erase(backoff_.begin());
    active_.insert({rank, unit});
  }
}

void SchedulingQueue::park(Unit unit, const placement::WakeUps& by, const std::optional<Need>& need) {
  count_failure(unit);
  keep_parked(unit, {by, ++steps_, need});
}

void SchedulingQueue::count_failure(Unit unit) {
  Failures& failures = failures_[unit];
  if (!failures.is_spared) {
    ++failures.count;
    failures.backs_off_until = window_of(now_ + backoff_after(failures.count));
  }
  failures.is_asked_again = failures.is_spared = false;
}

void SchedulingQueue::park_untried(Unit unit, const std::optional<Need>& need) {
  if (is_new(unit)) count_failure(unit);
  keep_parked(unit, {.since = ++steps_, .need = need});
}

void SchedulingQueue::keep_parked(Unit unit, const Parked& why) {
  parked_[unit] = why;
  if (why.need) {
    parked_by_need_[*why.need].insert({rank_of(unit), unit});
  } else {
    unknown_needs_.insert(unit);
  }
  if (why.wakes.any()) wakeable_by_placement_.insert(unit);
}

bool SchedulingQueue::spare_if_asked_again(Unit unit) {
  const auto failed = failures_.find(unit);
  if (failed == failures_.end() || !failed->second.is_asked_again) return false;
  failed->second.is_spared = true;
  return true;
}

std::vector<Unit> SchedulingQueue::first_in_line(std::size_t units, const std::set<Unit>& without) const {
  std::vector<ActiveKey> line(active_.begin(), active_.end());
  for (const auto& [window, rank, unit] : backoff_) line.emplace_back(rank, unit);
  for (const auto& [unit, why] : parked_) line.emplace_back(rank_of(unit), unit);
  if (!without.empty())
    std::erase_if(line, [&](const ActiveKey& key) { return without.contains(std::get<Unit>(key)); });
  const std::size_t shown = std::min(units, line.size());
  std::partial_sort(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(shown), line.end());
  std::vector<Unit> first;
  for (std::size_t i = 0; i < shown; ++i) first.push_back(std::get<Unit>(line[i]));
  return first;
}

void SchedulingQueue::remove(Unit unit) {
  REQUIRES(unit.is_group() || unit.pod.index() < cluster_.pod_slots());
  if (unit.is_group() && !group_ranks_.contains(unit.group)) return;
  forget_parked(unit);
  active_.erase({rank_of(unit), unit});
  backoff_.erase(backoff_key(unit));
  failures_.erase(unit);
  if (unit.is_group()) group_ranks_.erase(unit.group);
}

/// It has another turn, once its backoff is over or when nobody else waits.
void SchedulingQueue::unpark(Unit unit) {
  const BackoffKey key = backoff_key(unit);
  if (std::get<Instant>(key) < window_of(now_)) {
    active_.insert({std::get<Rank>(key), unit});
  } else {
    backoff_.insert(key);
  }
  forget_parked(unit);
}

void SchedulingQueue::forget_parked(Unit unit) {
  const auto parked = parked_.find(unit);
  if (parked == parked_.end()) return;
  wakeable_by_placement_.erase(unit);
  take_from_needs(unit, parked->second.need);
  parked_.erase(parked);
}

void SchedulingQueue::forget_need(Unit unit) {
  const auto parked = parked_.find(unit);
  if (parked == parked_.end() || !parked->second.need) return;
  take_from_needs(unit, parked->second.need);
  parked->second.need.reset();
  unknown_needs_.insert(unit);
}

void SchedulingQueue::take_from_needs(Unit unit, const std::optional<Need>& need) {
  if (!need) {
    unknown_needs_.erase(unit);
    return;
  }
  const auto alike = parked_by_need_.find(*need);
  alike->second.erase({rank_of(unit), unit});
  if (alike->second.empty()) parked_by_need_.erase(alike);
}

bool SchedulingQueue::helps(const cluster::PodShape& placed, PodId parked, const Parked& why) const {
  const cluster::PodShape& shape = cluster_.shape_of(parked);
  if (why.wakes.by_placements) return true;
  if (why.wakes.by_namespace && placed.name_space == shape.name_space) return true;
  return why.wakes.by_affinity && std::any_of(shape.required_affinity.begin(), shape.required_affinity.end(),
                                              [&](const auto& term) { return cluster_.matches(term.term, placed); });
}

bool SchedulingQueue::helps(const cluster::PodShape& placed, Unit parked) const {
  const Parked& why = parked_.at(parked);
  if (!parked.is_group()) return helps(placed, parked.pod, why);
  const std::vector<PodId>& members = cluster_.group(parked.group).members;
  return std::any_of(members.begin(), members.end(),
                     [&](PodId pod) { return !cluster_.pod(pod).node.valid() && helps(placed, pod, why); });
}

void SchedulingQueue::pod_placed(PodId pod) {
  failures_.erase(Unit(pod));
  const cluster::PodShape& placed = cluster_.shape_of(pod);
  std::vector<Unit> woken;
  for (const Unit parked : wakeable_by_placement_) {
    if (helps(placed, parked)) woken.push_back(parked);
  }
  for (const Unit parked : woken) unpark(parked);
}

void SchedulingQueue::pod_leaving(PodId pod) {
  const Symbol name_space = cluster_.shape_of(pod).name_space;
  std::vector<Unit> woken;
  for (const Unit parked : wakeable_by_placement_) {
    if (!parked_[parked].wakes.by_namespace) continue;
    const Symbol waits_in =
        parked.is_group() ? cluster_.group(parked.group).name_space : cluster_.shape_of(parked.pod).name_space;
    if (waits_in == name_space) woken.push_back(parked);
  }
  for (const Unit parked : woken) unpark(parked);
}

void SchedulingQueue::wake(Unit unit) {
  if (parked_.contains(unit)) unpark(unit);
}

void SchedulingQueue::wake_with_room(RoomBound& bound) {
  const auto may_help = [&](Unit unit) { return parked_.at(unit).since < room_changed_; };
  std::vector<Unit> woken;
  for (const auto& [need, units] : parked_by_need_) {
    std::int64_t room = bound.of(need.shape, need.priority);
    for (auto each = units.begin(); each != units.end() && room >= need.pods; ++each) {
      const Unit unit = std::get<Unit>(*each);
      if (!may_help(unit)) continue;
      woken.push_back(unit);
      room -= need.pods;
    }
  }
  std::ranges::copy_if(unknown_needs_, std::back_inserter(woken), may_help);
  for (const Unit unit : woken) unpark(unit);
  room_settled_ = room_changed_;
}

void SchedulingQueue::wake_all() {
  std::vector<Unit> all;
  all.reserve(parked_.size());
  for (const auto& [unit, why] : parked_) all.push_back(unit);
  for (const Unit unit : all) {
    failures_[unit].is_asked_again = true;
    unpark(unit);
  }
}

}  // namespace loadline::engine
