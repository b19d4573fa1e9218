#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "brain/cluster/ids.h"
#include "brain/gang/topology/topology_refusal.h"
#include "brain/placement/reason.h"
#include "foundation/base/symbol.h"

namespace loadline::gang {

// Why a group does not start, or a member of it has no place: values, of which refusal_text.h makes sentences.

/// Members name different schedulers.
struct SchedulersDiffer {
  Symbol one, wanted;
  friend bool operator==(const SchedulersDiffer&, const SchedulersDiffer&) = default;
};

/// The attempt of a member ended in an error.
struct MemberFailed {
  std::string error;  ///< a plugin's
  friend bool operator==(const MemberFailed&, const MemberFailed&) = default;
};

/// Too few members find places.
struct TooFewPlaced {
  std::optional<placement::Reason> permit;  ///< what a plugin at Permit waits for; nothing: all of them would let it go
  friend bool operator==(const TooFewPlaced&, const TooFewPlaced&) = default;
};

/// It would start once pods are gone that leave for it.
struct WaitsForVictims {
  friend bool operator==(const WaitsForVictims&, const WaitsForVictims&) = default;
};

/// It would not start even if the pods were gone that its members may preempt.
struct VictimsWouldNotDo {
  friend bool operator==(const VictimsWouldNotDo&, const VictimsWouldNotDo&) = default;
};

/// A member is on a node that is in no domain of the label that the group asks for.
struct DomainUnknown {
  cluster::PodId pod;
  friend bool operator==(const DomainUnknown&, const DomainUnknown&) = default;
};

/// Members are in several of these: two of them.
struct SeveralDomains {
  std::string first, second;
  friend bool operator==(const SeveralDomains&, const SeveralDomains&) = default;
};

/// No node is in a domain of that label.
struct NoDomains {
  friend bool operator==(const NoDomains&, const NoDomains&) = default;
};

/// The members were tried in each of so many domains.
struct NoDomainSuffices {
  std::size_t domains = 0;
  friend bool operator==(const NoDomainSuffices&, const NoDomainSuffices&) = default;
};

/// The members have no place near each other.
struct NoPlaceTogether {
  std::shared_ptr<const TopologyRefusal> why;  ///< never null; shared by all members, which are told the same
  friend bool operator==(const NoPlaceTogether& a, const NoPlaceTogether& b) { return *a.why == *b.why; }
};

/// Of a member: its group has started, and near it there is no room.
struct NoRoomNearby {
  friend bool operator==(const NoRoomNearby&, const NoRoomNearby&) = default;
};

/// Of a member: its group starts without its subgroup, or the subgroup has too few pods.
struct SubgroupLeftOut {
  std::string name;
  bool has_enough_pods = false;
  friend bool operator==(const SubgroupLeftOut&, const SubgroupLeftOut&) = default;
};

/// Nothing: there is no such reason.
using Refusal = std::variant<std::monostate, SchedulersDiffer, MemberFailed, TooFewPlaced, WaitsForVictims,
                             VictimsWouldNotDo, DomainUnknown, SeveralDomains, NoDomains, NoDomainSuffices,
                             NoPlaceTogether, NoRoomNearby, SubgroupLeftOut>;

/// Why nobody leaves for pods that want room together.
struct NoVictims {
  enum class Kind : std::uint8_t {
    kNever,            ///< the preemptionPolicy of one of them
    kNobody,           ///< there is nobody who may be evicted
    kNotEnough,        ///< there is no room even if all left who may be
    kPlannedForOthers  ///< the room that evictions would make
  };
  Kind kind = Kind::kNobody;
  std::size_t exempt = 0;  ///< pods and groups that have not run for as long as they are granted
  friend bool operator==(const NoVictims&, const NoVictims&) = default;
};

}  // namespace loadline::gang
