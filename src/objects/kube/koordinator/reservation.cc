#include "objects/kube/koordinator/reservation.h"

#include "objects/kube/core/pod_validation.h"
#include "objects/kube/field_report.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/validation.h"
#include "objects/schema/duration.h"

namespace loadline::kube {
namespace {

ReservationStatus as_status(const KoordinatorReservationStatus& status) {
  ReservationStatus result;
  result.conditions = status.conditions;
  if (status.phase == "Available") {
    result.phase = ReservationPhase::kHolding;
    result.held = 1;
    if (!status.node_name.empty()) result.nodes.push_back({status.node_name, 1});
  } else if (status.phase == "Succeeded") {
    result.phase = ReservationPhase::kConsumed;
    result.consumed = 1;
  } else if (status.phase == "Failed") {
    result.phase = ReservationPhase::kEnded;
  }
  return result;
}

void refuse(FieldReport& report, const Path& at, std::string_view what, std::string hint) {
  report.forbidden(at, what, std::move(hint));
}

void validate_owner(FieldReport& report, const Path& at, const KoordinatorOwner& owner) {
  if (owner.object) {
    refuse(report, Path(at, "object"), "pods are not told by their names here",
           "write labelSelector, or the pod's controller");
  }
  validate_label_selector(report, Path(at, "labelSelector"), owner.label_selector);
  if (!owner.controller) return;
  const Path controller(at, "controller");
  if (owner.controller->kind.empty()) report.required(Path(controller, "kind"));
  if (owner.controller->name.empty()) report.required(Path(controller, "name"));
  if (!owner.controller->uid.empty()) {
    refuse(report, Path(controller, "uid"), "controllers are told by kind and name here", "leave it out");
  }
}

}  // namespace

Reservation as_reservation(const KoordinatorReservation& reservation) {
  Reservation result;
  result.metadata = reservation.metadata;
  result.template_ = reservation.template_;
  if (result.template_.metadata.namespace_.empty()) result.template_.metadata.namespace_ = "default";
  if (!reservation.owners.empty()) {
    const KoordinatorOwner& owner = reservation.owners.front();
    result.selector = owner.label_selector;
    if (owner.controller) {
      result.owner = ReservationOwner{owner.controller->kind, owner.controller->name};
      result.pods_of_namespace = owner.controller->namespace_;
    }
  }
  result.until = reservation.expires;
  result.ttl = reservation.ttl;
  result.is_closed = reservation.unschedulable;
  result.status = as_status(reservation.status);
  return result;
}

KoordinatorReservationStatus as_koordinator(const ReservationStatus& status) {
  constexpr std::string_view kPhases[] = {"Pending", "Available", "Succeeded", "Failed"};
  KoordinatorReservationStatus result;
  result.phase = kPhases[static_cast<std::size_t>(status.phase)];
  if (!status.nodes.empty()) result.node_name = status.nodes.front().name;
  return result;
}

/// Beside what Koordinator asks: what Loadline does not do.
FieldErrors validate(const KoordinatorReservation& reservation) {
  FieldReport report;
  validate_metadata(report, reservation.metadata, NamespaceRule::kForbidden, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_pod_template(report, Path(spec, "template"), reservation.template_);
  const Path owners(spec, "owners");
  if (reservation.owners.empty()) report.required(owners);
  if (reservation.owners.size() > 1) {
    refuse(report, Path::element(owners, 1), "a reservation has one owner here", "make a reservation for each owner");
  } else if (reservation.owners.size() == 1) {
    validate_owner(report, Path::element(owners, 0), reservation.owners.front());
  }
  if (!reservation.ttl.empty() && !schema::parse_duration(reservation.ttl)) {
    report.invalid(Path(spec, "ttl"), reservation.ttl, "must be a span of time like 90m or 24h");
  }
  if (!reservation.allocate_once) {
    refuse(report, Path(spec, "allocateOnce"), "the first pod takes all of the room here",
           "leave it out, and make a reservation for each pod, or a loadline.dev/v1alpha1 Reservation with spec.pods");
  }
  if (reservation.pre_allocation) {
    refuse(report, Path(spec, "preAllocation"), "room that is not free is not reserved here", "leave it out");
  }
  if (reservation.allocate_policy == "Restricted") {
    report.unsupported(Path(spec, "allocatePolicy"), reservation.allocate_policy, {"Aligned"});
  }
  if (reservation.has_taints) refuse(report, Path(spec, "taints"), "reservations have no taints here", "leave it out");
  return report.take();
}

}  // namespace loadline::kube
