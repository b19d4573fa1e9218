#pragma once

#include <cstdint>
#include <vector>

#include "brain/cluster/ids.h"
#include "brain/decision/unit.h"
#include "brain/gang/eviction_units.h"
#include "brain/gang/place.h"
#include "brain/gang/release.h"

namespace loadline::decision {

/// Why pods leave their nodes before they have ended. What is written about each of them: eviction_text.h.
enum class EvictionCause : std::uint8_t {
  kPreemption,       ///< others of higher priority need the room
  kTaint,            ///< a NoExecute taint of the node that the pod does not tolerate, or no longer
  kDrain,            ///< the node is to be free
  kDrainBy,          ///< the same by a deadline
  kIncompleteGroup,  ///< a group gives back room that is of no use to it: see Eviction::shortfall
  kQueue,            ///< the queue of their workload takes its quota back
  kUnknown,          ///< nobody said: the pod was deleted
};

/// How much is known of where pods go that are evicted, or those that replace them.
enum class Landing : std::uint8_t {
  kNowhere,    ///< nothing is known, or there is no room
  kPredicted,  ///< there was room when that was decided, which nobody holds
  kProven,     ///< a reservation holds the room
};

/// Pods that leave together, and all that is known of why. A value: nothing here acts, and no text is in it.
struct Eviction {
  EvictionCause cause = EvictionCause::kUnknown;
  std::vector<cluster::PodId> pods;  ///< none of them was leaving already
  /// Whose members they are; kIncompleteGroup: that cannot use their room. Invalid: they are each by itself.
  cluster::GroupId group;
  bool is_surplus = false;  ///< the group goes on without them
  Unit for_whom;            ///< who gets the room; neither pod nor group: nobody in particular
  Landing landing = Landing::kNowhere;
  std::vector<gang::Place> places;       ///< of `pods`, or of those that replace them, as `landing` says
  std::int64_t gpu_seconds = 0;          ///< work that is lost, see gang::EvictionUnit; 0 where nobody counted
  std::int64_t pod_seconds = 0;          ///< the same
  gang::Shortfall shortfall;             ///< kIncompleteGroup
  std::vector<cluster::NodeId> drained;  ///< kDrain: which of the pods' nodes are to be free
  friend bool operator==(const Eviction&, const Eviction&) = default;
};

/// The unit leaves so that others have its room.
Eviction preemption_of(const gang::EvictionUnit& unit, Unit for_whom);
/// What the group holds in vain is of use to nobody in particular; or, if it is said, to `for_whom`.
Eviction release_of(const gang::Release& release, Unit for_whom = {});

}  // namespace loadline::decision
