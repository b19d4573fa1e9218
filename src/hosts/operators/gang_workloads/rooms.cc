#include "hosts/operators/gang_workloads/rooms.h"

#include "foundation/document/at.h"
#include "hosts/controllers/typed_creation.h"
#include "objects/kube/condition.h"
#include "objects/kube/loadline/reservation_schema.h"

namespace loadline::operators {

bool is_taken_up(const kube::Reservation& reservation) {
  const kube::MetaCondition* ready = kube::find_condition(reservation.status.conditions, "Ready");
  return ready != nullptr && ready->reason != "Refused";
}

watching::Action creation_of(const kube::Reservation& room) {
  return controllers::creation_of(room, kube::kReservationSchema);
}

watching::Action update_of(const watching::Observed<kube::Reservation>& there, const kube::Reservation& room) {
  const watching::Action wanted = creation_of(room);
  document::Value now = document::with_at(there.document, {"spec"}, document::value_at(wanted.document, {"spec"}));
  for (const auto& [name, value] : room.metadata.annotations) {
    now = document::with_at(std::move(now), {"metadata", "annotations", name}, document::Value(value));
  }
  return watching::update(watching::kind_name<kube::Reservation>(), there.key(), std::move(now));
}

}  // namespace loadline::operators
