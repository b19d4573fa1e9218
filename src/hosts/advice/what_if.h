#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "hosts/advice/suggestion.h"
#include "hosts/simulator/planning.h"

namespace loadline::advice {

/// Makes the plan anew with a remedy applied, and compares. Cost of one remedy: that of the plan.
class WhatIf {
 public:
  /// Remembers how the plan ended.
  WhatIf(const simulator::Planning& planning, std::size_t subject, Target target);

  /// What the remedy does to all workloads; nothing if it does not help the target: its pod is still without a node,
  /// or, if its pods get other names, as many pods of its workload as before are; or its pod group, which waits, does
  /// not start.
  [[nodiscard]] std::optional<Suggestion> try_remedy(const Remedy& remedy) const;

  /// Pods of the target's workload, and those of them that have a node.
  [[nodiscard]] std::size_t siblings() const;
  [[nodiscard]] std::size_t placed_siblings() const;
  /// The pod is one of a group that has not started.
  [[nodiscard]] bool waits_with_group() const { return waiting_group_.has_value(); }
  /// How many members more have to find a node until that group starts; 0: it waits with none.
  [[nodiscard]] std::size_t missing_members() const;

 private:
  struct Tally {
    std::size_t pods = 0;
    std::size_t placed = 0;
    std::size_t wanting = 0;  // neither on a node nor gone for good reason
  };
  using Tallies = std::map<simulator::WorkloadName, Tally>;

  static Tallies count(const simulator::Planning& planning);
  [[nodiscard]] const Tally& own(const Tallies& tallies) const;
  [[nodiscard]] bool starts_group(const simulator::Planning& after) const;

  const simulator::Planning& planning_;
  Target target_;
  std::size_t ordinal_ = 0;                               // of the pod among those of its workload
  std::optional<simulator::PlannedGroup> waiting_group_;  // that of the pod
  Tallies before_;
  std::set<std::string> preempted_before_;
};

}  // namespace loadline::advice
