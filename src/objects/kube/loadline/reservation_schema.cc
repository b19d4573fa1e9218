#include "objects/kube/loadline/reservation_schema.h"

#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/encoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {
namespace {

constexpr Field kOwnerFields[] = {
    field<&ReservationOwner::kind>("kind"),
    field<&ReservationOwner::name>("name"),
};
constexpr Schema kOwnerSchema{OfCustomKind{}, "ReservationOwner", kOwnerFields};

constexpr Field kSpecFields[] = {
    field<&Reservation::pods>("pods"),
    field<&Reservation::template_>("template", kPodTemplateSpecSchema),
    field<&Reservation::selector>("selector", kLabelSelectorSchema),
    field<&Reservation::owner>("owner", kOwnerSchema),
    field<&Reservation::nodes>("nodes"),
    field<&Reservation::from>("from"),
    field<&Reservation::until>("until"),
    field<&Reservation::ttl>("ttl"),
    field<&Reservation::per_domain>("perDomain"),
    field<&Reservation::purpose>("for"),
    field<&Reservation::refill>("refill"),
};
constexpr Schema kSpecSchema{OfCustomKind{}, "ReservationSpec", kSpecFields};

constexpr Field kNodeFields[] = {
    field<&ReservedNode::name>("name"),
    field<&ReservedNode::pods>("pods"),
};
constexpr Schema kNodeSchema{OfCustomKind{}, "ReservedNode", kNodeFields};

constexpr Field kDomainFields[] = {
    field<&ReservedDomain::name>("name"),
    field<&ReservedDomain::held>("held"),
    field<&ReservedDomain::waiting>("waiting"),
};
constexpr Schema kDomainSchema{OfCustomKind{}, "ReservedDomain", kDomainFields};

constexpr Field kConditionFields[] = {
    field<&MetaCondition::type>("type"),
    field<&MetaCondition::status>("status"),
    field<&MetaCondition::reason>("reason"),
    field<&MetaCondition::message>("message"),
    field<&MetaCondition::last_transition_time>("lastTransitionTime"),
};
constexpr Field kStatusFields[] = {
    field<&ReservationStatus::phase>("phase"),
    field<&ReservationStatus::held>("held"),
    field<&ReservationStatus::consumed>("consumed"),
    field<&ReservationStatus::nodes>("nodes", kNodeSchema),
    field<&ReservationStatus::domains>("domains", kDomainSchema),
    field<&ReservationStatus::conditions>("conditions", kReservationConditionSchema),
};

constexpr Field kReservationFields[] = {
    field<&Reservation::metadata>("metadata", kObjectMetaSchema),
    part("spec", kSpecSchema),
    field<&Reservation::status>("status", kReservationStatusSchema),
};

}  // namespace

constinit const Schema kReservationConditionSchema{OfCustomKind{}, "Condition", kConditionFields};
constinit const Schema kReservationStatusSchema{OfCustomKind{}, "ReservationStatus", kStatusFields};
constinit const Schema kReservationSchema{OfCustomKind{}, "Reservation", kReservationFields};

}  // namespace loadline::kube
