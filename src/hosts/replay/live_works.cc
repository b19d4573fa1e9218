#include "hosts/replay/live_works.h"

#include <algorithm>
#include <utility>

namespace loadline::replay {

LiveWorks::Slot LiveWorks::add(trace::Work work) {
  if (free_.empty()) {
    free_.push_back(static_cast<Slot>(works_.size()));
    works_.emplace_back();
  }
  const Slot slot = free_.back();
  free_.pop_back();
  LiveWork& live = works_[slot];
  live.work = std::move(work);
  live.serial = ++last_serial_;
  for (std::size_t alike = 0; alike < live.work.pods.size(); ++alike) {
    live.pods.insert(live.pods.end(), live.work.pods[alike].count, LivePod{{}, alike});
  }
  return slot;
}

void LiveWorks::remove(Slot slot) {
  works_[slot] = {};
  free_.push_back(slot);
}

std::vector<LiveWorks::Slot> LiveWorks::in_order() const {
  std::vector<Slot> slots;
  for (Slot slot = 0; slot < works_.size(); ++slot) {
    if (works_[slot].serial != 0) slots.push_back(slot);
  }
  std::sort(slots.begin(), slots.end(), [&](Slot a, Slot b) { return works_[a].serial < works_[b].serial; });
  return slots;
}

void LiveWorks::set_id(Slot slot, std::size_t pod, cluster::PodId id) {
  works_[slot].pods[pod].id = id;
  if (places_.size() <= id.index()) places_.resize(id.index() + 1);
  places_[id.index()] = {slot, static_cast<std::uint32_t>(pod)};
}

}  // namespace loadline::replay
