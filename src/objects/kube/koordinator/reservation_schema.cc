#include "objects/kube/koordinator/reservation_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/loadline/reservation_schema.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

using document::Value;

void read_taints(Decoder&, const Value& value, const Path&, KoordinatorReservation& reservation) {
  reservation.has_taints = value.is_array() && !value.array().empty();
}

constexpr Field kControllerFields[] = {
    field<&KoordinatorController::kind>("kind"),
    field<&KoordinatorController::name>("name"),
    field<&KoordinatorController::namespace_>("namespace"),
    field<&KoordinatorController::uid>("uid"),
};
constexpr Schema kControllerSchema{OfCustomKind{}, "ReservationControllerReference", kControllerFields};

constexpr Field kOwnerFields[] = {
    presence<&KoordinatorOwner::object>("object"),
    field<&KoordinatorOwner::controller>("controller", kControllerSchema),
    field<&KoordinatorOwner::label_selector>("labelSelector", kLabelSelectorSchema),
};
constexpr Schema kOwnerSchema{OfCustomKind{}, "ReservationOwner", kOwnerFields};

constexpr Field kSpecFields[] = {
    field<&KoordinatorReservation::template_>("template", kPodTemplateSpecSchema),
    field<&KoordinatorReservation::owners>("owners", kOwnerSchema),
    field<&KoordinatorReservation::ttl>("ttl"),
    field<&KoordinatorReservation::expires>("expires"),
    field<&KoordinatorReservation::pre_allocation>("preAllocation"),
    field<&KoordinatorReservation::allocate_once>("allocateOnce").pointer(),
    field<&KoordinatorReservation::allocate_policy>("allocatePolicy"),
    field<&KoordinatorReservation::unschedulable>("unschedulable"),
    custom<read_taints>("taints"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "ReservationSpec", kSpecFields};

constexpr Field kStatusFields[] = {
    field<&KoordinatorReservationStatus::phase>("phase"),
    field<&KoordinatorReservationStatus::node_name>("nodeName"),
    field<&KoordinatorReservationStatus::conditions>("conditions", kReservationConditionSchema),
};
constexpr Schema kStatusSchema{OfCustomKind{}, "ReservationStatus", kStatusFields};

constexpr Field kFields[] = {
    field<&KoordinatorReservation::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&KoordinatorReservation::status>("status", kStatusSchema),
};

}  // namespace

constinit const Schema kKoordinatorReservationSchema{OfCustomKind{}, "Reservation", kFields};

}  // namespace loadline::kube
