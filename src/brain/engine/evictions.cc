#include "brain/engine/evictions.h"

#include <algorithm>
#include <utility>

namespace loadline::engine {

using cluster::PodId;
using decision::Eviction;
using decision::EvictionCause;
using decision::Unit;

void Evictions::ask(Eviction eviction) {
  const auto shared = std::make_shared<Eviction>(std::move(eviction));
  for (const PodId pod : shared->pods) {
    UnderWay& entry = pods_[pod];
    if (entry.is_leaving) continue;
    entry.eviction = shared;
    asked_.push_back(pod);
  }
}

void Evictions::forget_asked() {
  for (const PodId pod : asked_) {
    const auto found = pods_.find(pod);
    if (found != pods_.end() && !found->second.is_leaving) pods_.erase(found);
  }
  asked_.clear();
}

const Eviction& Evictions::leave(UnderWay& entry) {
  entry.is_leaving = true;
  return *entry.eviction;
}

const Eviction& Evictions::leaving(PodId pod) {
  const auto known = pods_.find(pod);
  return known == pods_.end() ? leaving(pod, EvictionCause::kUnknown) : leave(known->second);
}

const Eviction& Evictions::leaving(PodId pod, EvictionCause seen) {
  UnderWay& entry = pods_[pod];
  const bool was_asked = entry.eviction != nullptr && entry.eviction->cause == seen;
  if (was_asked) return leave(entry);
  Eviction eviction;
  eviction.cause = seen;
  eviction.pods = {pod};
  entry.eviction = std::make_shared<Eviction>(std::move(eviction));
  return leave(entry);
}

const Eviction* Evictions::of(PodId pod) const {
  const auto found = pods_.find(pod);
  return found == pods_.end() || !cluster_.pod(pod).known ? nullptr : found->second.eviction.get();
}

Unit Evictions::for_whom(PodId pod) const {
  const Eviction* eviction = of(pod);
  if (eviction == nullptr) return {};
  if (eviction->for_whom != Unit() || eviction->cause != EvictionCause::kPreemption) return eviction->for_whom;
  const cluster::PodRecord& record = cluster_.pod(pod);
  if (!record.node.valid()) return {};
  for (const PodId nominated : cluster_.nominated_to(record.node)) {
    const cluster::PodRecord& other = cluster_.pod(nominated);
    if (other.priority > record.priority) return other.group.valid() ? Unit(other.group) : Unit(nominated);
  }
  return {};
}

std::vector<PodId> Evictions::leaving() const {
  std::vector<PodId> pods;
  for (const auto& [pod, entry] : pods_) {
    if (entry.is_leaving && cluster_.pod(pod).known) pods.push_back(pod);
  }
  std::ranges::sort(pods);
  return pods;
}

void Evictions::forget_gone() {
  std::erase_if(pods_, [&](const auto& entry) { return !cluster_.pod(entry.first).known; });
  for (auto& [pod, entry] : pods_) {
    Unit& unit = entry.eviction->for_whom;
    if (unit.pod.valid() && !cluster_.pod(unit.pod).known) unit = {};
  }
}

}  // namespace loadline::engine
