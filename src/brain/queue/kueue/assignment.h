#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "brain/queue/kueue/workloads.h"

namespace loadline::queue::kueue {

/// From worst to best.
enum class AssignmentMode : std::uint8_t {
  kNoFit,    ///< the quota is too small, or policies let nobody be preempted for it
  kPreempt,  ///< it would fit if others left; whether some may is another question
  kFit,
};

/// What was found out about a flavor that is not taken at once.
struct FlavorReason {
  enum class Code : std::uint8_t {
    kUndeclared,        ///< the queue has no quota of the resource
    kNoFlavor,          ///< there is no such flavor
    kUntoleratedTaint,  ///< `taint`: its place in nodeTaints
    kNodeAffinity,
    kExceedsMaximum,  ///< `assumed`, `requested` and `amount`: what there could be at most
    kLacksUnused,     ///< `amount`: so much more is needed
  };
  Code code;
  FlavorId flavor = {};
  Symbol resource = {};
  std::uint8_t taint = 0;
  Amount assumed = {};  ///< of earlier pod sets of the workload
  Amount requested = {};
  Amount amount = {};
  friend bool operator==(const FlavorReason&, const FlavorReason&) = default;
};

/// What preemption by itself could do for a flavor's quota.
enum class PreemptionOutlook : std::uint8_t {
  kNoCandidates,
  kPreempt,  ///< somebody of the own queue would have to leave
  kReclaim,  ///< all of them are of other queues
};

/// One flavor that was looked at, for the event that tells which ones were.
struct FlavorAttempt {
  FlavorId flavor;
  AssignmentMode mode = AssignmentMode::kNoFit;
  std::optional<PreemptionOutlook> outlook = {};
  int borrowing = 0;
  std::vector<FlavorReason> reasons = {};
};

/// The flavor of one resource of a pod set.
struct FlavorChoice {
  Symbol resource;
  FlavorId flavor;
  QuotaCellId cell;
  AssignmentMode mode = AssignmentMode::kNoFit;
  int borrowing = 0;
  std::int32_t tried = -1;  ///< FlavorProgress::Tried
  std::int64_t amount = 0;  ///< of all pods
};

struct PodSetAssignment {
  std::size_t pod_set = 0;  ///< its place in the workload
  std::int32_t count = 0;
  std::vector<FlavorChoice> choices = {};  ///< by the resources' names; none: no flavor, or nothing is asked for
  std::vector<FlavorReason> reasons = {};  ///< none: it fits
  std::vector<FlavorAttempt> attempts = {};
};

/// Flavors for a workload. Pod sets behind one that got none were not looked at.
struct Assignment {
  std::vector<PodSetAssignment> pod_sets = {};   ///< in the order in which they got flavors: group by group
  AssignmentMode mode = AssignmentMode::kNoFit;  ///< the worst of its pod sets'
  int borrowing = 0;                             ///< the height of the lowest subtree in which it fits; 0: none
  std::vector<QuotaUse> usage = {};              ///< cell by cell; some may be of nothing
  FlavorProgress progress = {};

  /// Cells that have to be made free. Sorted.
  [[nodiscard]] std::vector<QuotaCellId> contested() const;
  /// What it asks for, without what is of nothing.
  [[nodiscard]] std::vector<QuotaUse> requests() const;
  /// In the order of the workload's pod sets. REQUIRES: all were looked at.
  [[nodiscard]] std::vector<PodSetAdmission> admission() const;
};

}  // namespace loadline::queue::kueue
