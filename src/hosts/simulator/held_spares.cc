#include "hosts/simulator/held_spares.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "foundation/base/text.h"

namespace loadline::simulator {
namespace {

constexpr std::string_view kInsufficient = "Insufficient ";

/// Whether one of the reasons says that the reservation's resources are short.
bool is_short_of(std::span<const NodeReason> reasons, const PlannedReservation& reservation) {
  return std::ranges::any_of(reasons, [&](const NodeReason& reason) {
    if (!reason.text.starts_with(kInsufficient)) return false;
    const std::string resource = reason.text.substr(kInsufficient.size());
    return reservation.requests.contains(resource);
  });
}

}  // namespace

std::vector<std::string> spares_for(std::span<const NodeReason> reasons,
                                    std::span<const PlannedReservation> reservations) {
  std::vector<std::string> spares;
  for (const PlannedReservation& each : reservations) {
    if (!each.is_for_replacements || each.held == 0 || !is_short_of(reasons, each)) continue;
    const std::string name = each.name_space.empty() ? each.name : each.name_space + '/' + each.name;
    spares.push_back(fmt::format("Reservation {} ({})", name, counted(each.held, "pod")));
  }
  return spares;
}

void note_spares(Plan& plan) {
  const bool holds_some = std::ranges::any_of(plan.reservations, &PlannedReservation::is_for_replacements);
  if (!holds_some) return;
  for (PlannedPod& pod : plan.pods) {
    if (pod.outcome == PodOutcome::kPending) pod.spares = spares_for(pod.reasons, plan.reservations);
  }
  for (PlannedGroup& group : plan.groups) {
    if (group.stopped_by) group.stopped_by->spares = spares_for(group.stopped_by->reasons, plan.reservations);
  }
}

}  // namespace loadline::simulator
