#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

enum class ReservationPhase : std::uint8_t {
  kPending,   ///< not all of its room is held yet
  kHolding,   ///< all that no pod has consumed is held
  kConsumed,  ///< pods have consumed all of it
  kEnded,     ///< its time is over
};

/// A controller whose pods may consume a reservation.
struct ReservationOwner {
  std::string kind;
  std::string name;
};

/// Which of the pods that match may consume a reservation.
enum class ReservationPurpose : std::uint8_t {
  kAnyPod,
  kReplacements,  ///< those that replace lost members of a pod group
};

/// Room on one node.
struct ReservedNode {
  std::string name;
  std::int32_t pods = 0;
};

/// Room in one domain.
struct ReservedDomain {
  std::string name;  ///< the value of the label
  std::int32_t held = 0;
  std::int32_t waiting = 0;
};

struct ReservationStatus {
  ReservationPhase phase = ReservationPhase::kPending;
  std::int32_t held = 0;
  std::int32_t consumed = 0;
  std::vector<ReservedNode> nodes;      ///< where the room is that is held
  std::vector<ReservedDomain> domains;  ///< of room that is held per domain
  std::vector<MetaCondition> conditions;
};

/// loadline.dev/v1alpha1: room for pods that do not exist yet. So many pods of a shape are held room for, from an
/// instant on; pods that match consume it, one each; its deletion or its end frees what is left.
struct Reservation {
  ObjectMeta metadata;
  std::int32_t pods = 1;
  PodTemplateSpec template_;
  std::optional<LabelSelector> selector;  ///< absent: the labels of the template, unless there is an owner
  std::optional<ReservationOwner> owner;  ///< absent: whoever controls the pods. Both given: both must hold
  std::vector<std::string> nodes;         ///< the room is on some of these; empty: on any
  std::optional<Instant> from;            ///< absent: at once
  std::optional<Instant> until;           ///< absent: see ttl
  std::string ttl;                        ///< from its creation on, "24h"; empty: without end
  std::string per_domain;                 ///< node label: `pods` are held in each of its domains; empty: in all
  ReservationPurpose purpose = ReservationPurpose::kAnyPod;
  bool refill = false;  ///< what was consumed is held anew
  ReservationStatus status;

  // What only other spellings can say.
  bool is_closed = false;         ///< its room is held, and no pod may consume it now
  std::string pods_of_namespace;  ///< of a reservation that is in no namespace: whose pods may consume it; empty: all

  /// When its room is free again; nullopt: never. An object that was never created is created `now`.
  [[nodiscard]] std::optional<Instant> end(Instant now) const;
  /// The annotations of a pod that has consumed its room.
  [[nodiscard]] StringMap consumer_annotations() const;
  /// Whether the pod has these, and is one that may: of a reservation that is in no namespace, anybody's could say so.
  /// Where one side has no uid, as objects in files have none, the name alone counts.
  [[nodiscard]] bool is_consumed_by(const ObjectMeta& pod) const;
};

/// The annotations of a pod that has consumed room: the name of the reservation, in the pod's own namespace or, if it
/// is Koordinator's, in none; and its uid, which tells it from another one that has or had the name.
inline constexpr std::string_view kReservationAnnotation = "loadline.dev/reservation";
inline constexpr std::string_view kReservationUidAnnotation = "loadline.dev/reservation-uid";

}  // namespace loadline::kube
