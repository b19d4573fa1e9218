#include "objects/kube/loadline/reservation.h"

#include <algorithm>
#include <limits>

#include "objects/schema/duration.h"

namespace loadline::kube {

std::optional<Instant> Reservation::end(Instant now) const {
  if (until) return until;
  const Result<Duration> life = schema::parse_duration(ttl.empty() ? "0" : ttl);
  if (!life || *life <= Duration{}) return std::nullopt;
  const Instant created = metadata.creation_timestamp.value_or(now);
  const std::int64_t last = std::numeric_limits<std::int64_t>::max();
  const bool outlives_all_time = created.nanoseconds > last - life->nanoseconds;
  return outlives_all_time ? std::nullopt : std::optional(created + *life);
}

StringMap Reservation::consumer_annotations() const {
  StringMap annotations{{std::string(kReservationAnnotation), metadata.name}};
  if (!metadata.uid.empty()) annotations.insert_or_assign(std::string(kReservationUidAnnotation), metadata.uid);
  return annotations;
}

namespace {

/// Pods of a Deployment's ReplicaSets and of a CronJob's Jobs are told by the names that these get.
bool may_be_of(const ObjectMeta& pod, const ReservationOwner& owner) {
  return std::ranges::any_of(pod.owner_references, [&](const OwnerReference& each) {
    return each.controller && (each.name == owner.name || each.name.starts_with(owner.name + "-"));
  });
}

/// Whether a pod of some namespace is one that a reservation of none is for, so that its word counts.
bool is_for(const Reservation& reservation, const ObjectMeta& pod) {
  if (!reservation.pods_of_namespace.empty() && pod.namespace_ != reservation.pods_of_namespace) return false;
  if (reservation.selector && !matches(*reservation.selector, pod.labels)) return false;
  return !reservation.owner || may_be_of(pod, *reservation.owner);
}

}  // namespace

bool Reservation::is_consumed_by(const ObjectMeta& pod) const {
  if (metadata.namespace_.empty() ? !is_for(*this, pod) : pod.namespace_ != metadata.namespace_) return false;
  const auto said_name = pod.annotations.find(kReservationAnnotation);
  if (said_name == pod.annotations.end() || said_name->second != metadata.name) return false;
  const auto said_uid = pod.annotations.find(kReservationUidAnnotation);
  return said_uid == pod.annotations.end() || metadata.uid.empty() || said_uid->second == metadata.uid;
}

}  // namespace loadline::kube
