#include "app/report/summary.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "app/report/amount.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

using simulator::PodOutcome;

std::size_t& counter(Counts& counts, PodOutcome outcome) {
  switch (outcome) {
    case PodOutcome::kRunning:
    case PodOutcome::kEnded:
      return counts.running;
    case PodOutcome::kPlaced:
      return counts.placed;
    case PodOutcome::kPending:
      return counts.pending;
    case PodOutcome::kGated:
      return counts.gated;
    case PodOutcome::kRejected:
      return counts.rejected;
    case PodOutcome::kPreempted:
      return counts.preempted;
    case PodOutcome::kEvicted:
      return counts.evicted;
    case PodOutcome::kFailed:
      return counts.failed;
    case PodOutcome::kNotCreated:
      return counts.not_created;
    case PodOutcome::kQueued:
      return counts.queued;
    case PodOutcome::kIgnored:
      break;
  }
  return counts.ignored;
}

Counts count(const simulator::Plan& plan, const Scope& scope) {
  Counts counts;
  for (const simulator::PlannedPod& pod : plan.pods) {
    if (!scope.shows(pod)) continue;
    ++counter(counts, pod.outcome);
    if (is_lost(pod)) ++counts.lost;
    if (!pod.undecided.empty()) ++counts.undecided;
  }
  return counts;
}

/// Where a resource stands in the list; the greatest rank is left out unless requested.
int rank_gpus_last(const std::string& resource) {
  if (resource == "cpu") return 0;
  if (resource == "memory") return 1;
  return kube::is_gpu_resource(resource) ? 2 : 3;
}

std::vector<Utilisation> utilisation(const simulator::Plan& plan) {
  std::map<std::string, Utilisation> totals;
  Utilisation pods{.resource = "pods", .allocatable = {}, .requested = {}};
  for (const simulator::PlannedNode& node : plan.nodes) {
    for (const auto& [name, amounts] : node.resources) {
      if (name == "pods") continue;
      Utilisation& total = totals[name];
      total.allocatable += amounts.allocatable;
      total.requested += amounts.requested;
    }
    pods.allocatable += kube::Quantity::of(node.allowed_pods);
    pods.requested += kube::Quantity::of(static_cast<std::int64_t>(node.slots_used()));
  }
  std::vector<Utilisation> result;
  for (auto& [name, total] : totals) {
    total.resource = name;
    const bool shown = !total.requested.is_zero() || (rank_gpus_last(name) < 3 && !total.allocatable.is_zero());
    if (shown) result.push_back(total);
  }
  std::ranges::stable_sort(result, {}, [](const Utilisation& entry) { return rank_gpus_last(entry.resource); });
  if (!pods.allocatable.is_zero()) result.push_back(pods);
  return result;
}

}  // namespace

int Utilisation::percent() const { return report::percent(requested, allocatable); }

bool Summary::all_would_be_placed() const {
  return counts.pending + counts.rejected + counts.failed + counts.ignored + counts.not_created + counts.queued +
             counts.lost + refused + unreserved ==
         0;
}

Summary summarize(const simulator::Plan& plan, const Scope& scope) {
  const auto refused = std::ranges::count_if(
      plan.refused, [&](const simulator::RefusedObject& entry) { return scope.shows(entry.object); });
  const auto undecided = std::ranges::count_if(
      plan.undecided, [&](const simulator::UndecidedWorkload& entry) { return scope.shows(entry.workload); });
  std::size_t unreserved = 0;
  for (const simulator::PlannedReservation& reservation : plan.reservations) {
    if (scope.shows(reservation)) unreserved += reservation.waiting;
  }
  return {.counts = count(plan, scope),
          .refused = static_cast<std::size_t>(refused),
          .undecided = static_cast<std::size_t>(undecided),
          .unreserved = unreserved,
          .resources = utilisation(plan),
          .gpus = gpu_fragmentation(plan),
          .nodes = plan.nodes.size(),
          .cycles = plan.cycles};
}

}  // namespace loadline::report
