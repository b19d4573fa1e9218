#include "brain/decision/eviction.h"

namespace loadline::decision {

Eviction preemption_of(const gang::EvictionUnit& unit, Unit for_whom) {
  Eviction eviction;
  eviction.cause = EvictionCause::kPreemption;
  eviction.pods = unit.pods;
  eviction.group = unit.group;
  eviction.is_surplus = unit.is_surplus;
  eviction.for_whom = for_whom;
  eviction.gpu_seconds = unit.gpu_seconds;
  eviction.pod_seconds = unit.pod_seconds;
  return eviction;
}

Eviction release_of(const gang::Release& release, Unit for_whom) {
  Eviction eviction;
  eviction.cause = EvictionCause::kIncompleteGroup;
  eviction.pods = release.pods;
  eviction.group = release.group;
  eviction.for_whom = for_whom;
  eviction.shortfall = release.shortfall;
  return eviction;
}

}  // namespace loadline::decision
