#include "objects/kube/loadline/reservation.h"

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

bool Reservation::is_consumed_by(const ObjectMeta& pod) const {
  if (!metadata.namespace_.empty() && pod.namespace_ != metadata.namespace_) return false;
  const auto said_name = pod.annotations.find(kReservationAnnotation);
  if (said_name == pod.annotations.end() || said_name->second != metadata.name) return false;
  const auto said_uid = pod.annotations.find(kReservationUidAnnotation);
  return said_uid == pod.annotations.end() || metadata.uid.empty() || said_uid->second == metadata.uid;
}

}  // namespace loadline::kube
