#pragma once

#include <map>
#include <string>
#include <vector>

#include "hosts/timeline/timeline.h"
#include "objects/kube/meta.h"

namespace loadline::timeline {

/// An amount that changes, as steps: one for each instant after which it differs from before. Sums are exact; a step's
/// value is the nearest double. Changes come in order of time.
class AmountOverTime {
 public:
  void add(Duration at, const kube::Quantity& amount);
  void subtract(Duration at, const kube::Quantity& amount);

  [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
  /// It was never other than 0.
  [[nodiscard]] bool is_zero() const { return steps_.size() == 1 && steps_.front().value == 0; }

 private:
  void note(Duration at);

  kube::Quantity now_;
  std::vector<Step> steps_{{Duration{}, 0}};
};

/// What all nodes have together, and what pods request of them.
class ResourceLedger {
 public:
  void add_allocatable(Duration at, const kube::ResourceList& amounts);
  void take_allocatable(Duration at, const kube::ResourceList& amounts);
  void add_requested(Duration at, const kube::ResourceList& amounts);
  void take_requested(Duration at, const kube::ResourceList& amounts);

  /// cpu, memory, then the others by name; of the others only what nodes have and pods request at some time, and
  /// devices (their names have a domain) that nodes have.
  [[nodiscard]] std::vector<ResourceUse> uses() const;

 private:
  struct Track {
    AmountOverTime allocatable;
    AmountOverTime requested;
  };

  std::map<std::string, Track, std::less<>> tracks_;
};

}  // namespace loadline::timeline
