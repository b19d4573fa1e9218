#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "brain/placement/wake_ups.h"
#include "foundation/base/id.h"

namespace loadline::placement {

/// What a rejection means for the search.
enum class Code : std::uint8_t {
  kUnschedulable,  ///< removing pods from the node could help
  kUnresolvable,   ///< it could not (UnschedulableAndUnresolvable)
  kError,          ///< the plugin could not decide: the attempt fails
};

/// Why a node, or the whole search, is refused. `detail` names the thing it is about: a resource, a claim, a gate.
enum class ReasonKind : std::uint8_t {
  kTooManyPods,
  kInsufficientResource,
  kNodeUnschedulable,
  kNodeNameMismatch,
  kUntoleratedTaint,
  kNodeAffinityMismatch,
  kEnforcedAffinityMismatch,
  kAffinityTermsConflict,
  kNodePortConflict,
  kSpreadLabelMissing,
  kSpreadSkew,
  kPodAffinity,
  kPodAntiAffinity,
  kExistingAntiAffinity,
  kVolumeNodeAffinityConflict,
  kVolumeBindConflict,
  kVolumeZoneConflict,
  kVolumeLimit,
  kDiskConflict,
  kReadWriteOncePodConflict,
  kNotEnoughSpace,
  kUnboundImmediateClaims,
  kMissingVolume,
  kFeatureMismatch,
  kPluginsDisagree,      ///< PreFilter node lists of several plugins do not meet
  kNotSelectedByPlugin,  ///< PreFilter narrowed the search to other nodes
  kNoVictims,
  kGroupUnknown,   ///< nothing describes the pod's group, which `detail` names
  kTooFewMembers,  ///< its gang has fewer pods than have to start together
  kGangNotPlaced,  ///< fewer of them have a node
  kOther,          ///< `detail` is the whole text
};

struct Reason {
  ReasonKind kind = ReasonKind::kOther;
  std::string detail;
  friend auto operator<=>(const Reason&, const Reason&) = default;

  /// The sentence kube-scheduler v1.36 says.
  [[nodiscard]] std::string text() const;
};

/// One plugin's rejection. Few are distinct, so they are interned and nodes carry ids.
struct Rejection {
  std::string_view plugin;  ///< its name, of static storage
  Code code = Code::kUnschedulable;
  std::vector<Reason> reasons;
  WakeUps wake_ups = {};  ///< what may help, beside room: see Plugin::wake_ups()
  friend auto operator<=>(const Rejection&, const Rejection&) = default;
};

using RejectionId = Id<struct RejectionTag>;
inline constexpr RejectionId kPassed{0};

}  // namespace loadline::placement
