#include "hosts/timeline/amount_over_time.h"

#include <array>
#include <string_view>

namespace loadline::timeline {
namespace {

constexpr std::array<std::string_view, 2> kFirst = {"cpu", "memory"};

/// "nvidia.com/gpu" and the like.
bool is_device(std::string_view resource) { return resource.find('/') != std::string_view::npos; }

}  // namespace

void AmountOverTime::add(Duration at, const kube::Quantity& amount) {
  now_ += amount;
  note(at);
}

void AmountOverTime::subtract(Duration at, const kube::Quantity& amount) {
  now_ -= amount;
  note(at);
}

/// Of changes at the same instant only what comes of them all is a step, if anything does.
void AmountOverTime::note(Duration at) {
  if (steps_.back().at == at) {
    steps_.back().value = now_.approximate();
  } else {
    steps_.push_back({at, now_.approximate()});
  }
  const std::size_t count = steps_.size();
  if (count > 1 && steps_[count - 2].value == steps_[count - 1].value) steps_.pop_back();
}

void ResourceLedger::add_allocatable(Duration at, const kube::ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) tracks_[name].allocatable.add(at, amount);
}

void ResourceLedger::take_allocatable(Duration at, const kube::ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) tracks_[name].allocatable.subtract(at, amount);
}

void ResourceLedger::add_requested(Duration at, const kube::ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) tracks_[name].requested.add(at, amount);
}

void ResourceLedger::take_requested(Duration at, const kube::ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) tracks_[name].requested.subtract(at, amount);
}

std::vector<ResourceUse> ResourceLedger::uses() const {
  std::vector<ResourceUse> uses;
  for (const std::string_view name : kFirst) {
    const auto found = tracks_.find(name);
    const Track track = found == tracks_.end() ? Track{} : found->second;
    uses.push_back({std::string(name), track.allocatable.steps(), track.requested.steps()});
  }
  for (const auto& [name, track] : tracks_) {
    if (name == kFirst[0] || name == kFirst[1] || track.allocatable.is_zero()) continue;
    if (track.requested.is_zero() && !is_device(name)) continue;
    uses.push_back({name, track.allocatable.steps(), track.requested.steps()});
  }
  return uses;
}

}  // namespace loadline::timeline
