#include "brain/engine/scheduling_queue.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::engine {

using cluster::PodId;

namespace {

/// Seconds of backoff after so many failures: 1, 2, 4, 8, 10, 10, …
std::int64_t backoff_seconds(std::int64_t failures) {
  constexpr std::int64_t kMost = 10;
  return failures > 4 ? kMost : std::int64_t{1} << std::max<std::int64_t>(failures - 1, 0);
}

}  // namespace

void SchedulingQueue::push(PodId pod) { active_.insert(active_key(pod)); }

SchedulingQueue::ActiveKey SchedulingQueue::active_key(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  return {-std::int64_t{record.priority}, record.uid, pod};
}

SchedulingQueue::BackoffKey SchedulingQueue::backoff_key(PodId pod) const {
  const cluster::PodRecord& record = cluster_.pod(pod);
  const auto failed = failures_.find(pod);
  const std::int64_t failures = failed == failures_.end() ? 0 : failed->second;
  return {backoff_seconds(failures), -std::int64_t{record.priority}, record.uid, pod};
}

std::optional<PodId> SchedulingQueue::pop() {
  if (!active_.empty()) {
    const PodId pod = std::get<PodId>(*active_.begin());
    active_.erase(active_.begin());
    return pod;
  }
  if (backoff_.empty()) return std::nullopt;
  const PodId pod = std::get<PodId>(*backoff_.begin());
  backoff_.erase(backoff_.begin());
  return pod;
}

void SchedulingQueue::park(PodId pod, const std::vector<std::string_view>& refused_by) {
  ++failures_[pod];
  const auto was_refused_by = [&](std::string_view plugin) {
    return std::find(refused_by.begin(), refused_by.end(), plugin) != refused_by.end();
  };
  const Parked why{was_refused_by("InterPodAffinity"), was_refused_by("PodTopologySpread"),
                   was_refused_by(placement::kExtenderName)};
  parked_[pod] = why;
  if (why.by_affinity || why.by_spread || why.by_extender) wakeable_by_placement_.insert(pod);
}

void SchedulingQueue::remove(PodId pod) {
  REQUIRES(pod.index() < cluster_.pod_slots());
  parked_.erase(pod);
  wakeable_by_placement_.erase(pod);
  active_.erase(active_key(pod));
  backoff_.erase(backoff_key(pod));
  failures_.erase(pod);
}

void SchedulingQueue::back_off(PodId pod) {
  backoff_.insert(backoff_key(pod));
  parked_.erase(pod);
  wakeable_by_placement_.erase(pod);
}

bool SchedulingQueue::helps(const cluster::PodShape& placed, PodId parked, const Parked& why) const {
  const cluster::PodShape& shape = cluster_.shape_of(parked);
  if (why.by_extender) return true;  // what an extender looks at is unknown
  if (why.by_spread && placed.name_space == shape.name_space) return true;
  return why.by_affinity && std::any_of(shape.required_affinity.begin(), shape.required_affinity.end(),
                                        [&](const auto& term) { return cluster_.matches(term.term, placed); });
}

void SchedulingQueue::pod_placed(PodId pod) {
  failures_.erase(pod);
  const cluster::PodShape& placed = cluster_.shape_of(pod);
  std::vector<PodId> woken;
  for (const PodId parked : wakeable_by_placement_) {
    if (helps(placed, parked, parked_[parked])) woken.push_back(parked);
  }
  for (const PodId parked : woken) back_off(parked);
}

void SchedulingQueue::pod_leaving(PodId pod) {
  const cluster::PodShape& leaving = cluster_.shape_of(pod);
  std::vector<PodId> woken;
  for (const PodId parked : wakeable_by_placement_) {
    if (parked_[parked].by_spread && leaving.name_space == cluster_.shape_of(parked).name_space)
      woken.push_back(parked);
  }
  for (const PodId parked : woken) back_off(parked);
}

void SchedulingQueue::wake(PodId pod) {
  if (parked_.contains(pod)) back_off(pod);
}

void SchedulingQueue::wake_all() {
  std::vector<PodId> all;
  all.reserve(parked_.size());
  for (const auto& [pod, why] : parked_) all.push_back(pod);
  for (const PodId pod : all) back_off(pod);
}

}  // namespace loadline::engine
