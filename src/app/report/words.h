#pragma once

#include <string>
#include <string_view>

#include "brain/capacity/node_template.h"
#include "hosts/simulator/plan.h"

namespace loadline::report {

/// "Placed", "Pending", …: the word for an outcome in tables and machine formats.
std::string_view outcome_word(simulator::PodOutcome outcome);

/// "Holding", "Waiting", …: the same for reservations.
std::string_view outcome_word(simulator::ReservationOutcome outcome);

/// "default/room", or "room" if it is in no namespace.
std::string reservation_key(const simulator::PlannedReservation& reservation);

/// "default/web-0".
std::string pod_key(const simulator::PlannedPod& pod);

/// "Deployment default/web".
std::string workload_text(const simulator::WorkloadName& workload);

/// "like gpu-a", "with gpu=a100:8": what nodes of a template look like, as users describe them.
std::string node_template_text(const capacity::NodeTemplate& nodes);

/// A scheduler's message without what means nothing to a reader: kube-scheduler ends it with a bare "not found" if a
/// plugin refuses the pod before DynamicResources has had its turn.
std::string_view for_readers(std::string_view message);

/// The message with `name` blanked out wherever it stands, so that what is said of siblings compares equal.
std::string without_name(std::string message, std::string_view name);

/// "Room of that is held for replacements of lost members by Reservation ml/spares (2 pods)." Empty: there is none.
std::string spares_text(const std::vector<std::string>& spares);

/// "30s", "1h", "1h30m": whole seconds; parts that are zero are left out, except of "0s".
std::string span_text(Duration span);

}  // namespace loadline::report
