#include "objects/kube/loadline/reservation.h"

#include "objects/schema/duration.h"

namespace loadline::kube {

std::optional<Instant> Reservation::end(Instant now) const {
  if (until) return until;
  const Result<Duration> life = schema::parse_duration(ttl.empty() ? "0" : ttl);
  if (!life || *life <= Duration{}) return std::nullopt;
  return metadata.creation_timestamp.value_or(now) + *life;
}

}  // namespace loadline::kube
