#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "hosts/simulator/planning.h"
#include "hosts/simulator/settled.h"
#include "hosts/simulator/testing/random_world.h"

namespace loadline::simulator {
namespace {

using testing::World;

constexpr Instant kPlannedAt = Instant{} + Duration::seconds(1'700'000'000);

std::unique_ptr<Planning> planned(const kube::Objects& objects, std::uint64_t replacements = 0) {
  PlanOptions options;
  options.now = kPlannedAt;
  options.replacements = replacements;
  return std::move(*Planning::make(objects, {}, options));
}

/// Where every pod is that has not left; "" for those that wait.
std::multimap<std::string, std::string> places(const Plan& plan) {
  std::multimap<std::string, std::string> result;
  for (const PlannedPod& pod : plan.pods) {
    const bool left = pod.outcome == PodOutcome::kPreempted || pod.outcome == PodOutcome::kEvicted;
    const bool there = pod.outcome == PodOutcome::kPlaced || pod.outcome == PodOutcome::kRunning;
    // A refused pod gets another name whenever its controller tries.
    const std::string name = pod.outcome == PodOutcome::kRejected ? "rejected" : pod.name;
    if (!left) result.emplace(name, there ? pod.node : "");
  }
  return result;
}

/// What every reservation holds, awaits and has given away.
std::string rooms(const Plan& plan) {
  std::string text;
  for (const PlannedReservation& reservation : plan.reservations) {
    text += reservation.name + ' ' + std::to_string(static_cast<int>(reservation.outcome)) + ' ' +
            std::to_string(reservation.waiting) + ' ' + std::to_string(reservation.consumed);
    std::map<std::string, std::size_t> nodes;
    for (const ReservedShare& share : reservation.nodes) nodes[share.node] += share.pods;
    for (const auto& [node, pods] : nodes) text += ' ' + node + '=' + std::to_string(pods);
    text += '\n';
  }
  return text;
}

std::string outcomes_text(const Plan& plan) {
  std::string text;
  for (const PlannedPod& pod : plan.pods) {
    text += pod.workload.kind + ' ' + pod.name + ' ' + std::to_string(static_cast<int>(pod.outcome)) + ' ' + pod.node +
            ' ' + pod.message + '\n';
  }
  for (const PlannedReservation& each : plan.reservations) text += each.name + ' ' + each.message + '\n';
  return text;
}

/// Whether there is something left to do: for controllers, what the plan gave up replacing; for users, bare pods and
/// reservations that quotas refused before other pods left.
bool unfinished(const Plan& plan) {
  const auto any = [&](auto is_one) { return std::ranges::any_of(plan.pods, is_one); };
  const auto is_bare_and_refused = [](const PlannedPod& pod) {
    return pod.outcome == PodOutcome::kRejected && pod.workload.kind == "Pod";
  };
  const auto has_left = [](const PlannedPod& pod) {
    return pod.outcome == PodOutcome::kPreempted || pod.outcome == PodOutcome::kEvicted;
  };
  const auto has_no_room = [](const PlannedReservation& each) { return each.held == 0 && each.consumed == 0; };
  const bool may_be_asked_again = any(is_bare_and_refused) || std::ranges::any_of(plan.reservations, has_no_room);
  return !plan.notes.empty() || (may_be_asked_again && any(has_left));
}

RC_GTEST_PROP(SettledProperty, PlannedAgainMovesNothing, ()) {
  for (int i = 0; i < 10; ++i) {
    World world;
    world.add_controllers();
    world.add_reservations();
    const auto planning = planned(world.objects);
    const Plan before = planning->plan();
    if (unfinished(before)) continue;
    const kube::Objects cluster = settled(*planning);
    const Plan after = planned(cluster, planning->replacements())->plan();
    const bool is_same = places(after) == places(before) && rooms(after) == rooms(before);
    if (!is_same) RC_LOG() << outcomes_text(before) << "--- again ---\n" << outcomes_text(after);
    RC_ASSERT(places(after) == places(before));
    for (const PlannedPod& pod : after.pods) RC_ASSERT(pod.outcome != PodOutcome::kPlaced);
    RC_ASSERT(after.events.empty());
    RC_ASSERT(rooms(after) == rooms(before));
    for (std::size_t node = 0; node < after.nodes.size(); ++node) {
      for (const auto& [resource, amounts] : before.nodes[node].resources) {
        RC_ASSERT(after.nodes[node].resources.at(resource).requested == amounts.requested);
      }
    }
  }
}

RC_GTEST_PROP(SettledProperty, SettledTwiceIsTheSame, ()) {
  World world;
  world.add_controllers();
  const auto planning = planned(world.objects);
  if (unfinished(planning->plan())) return;
  const kube::Objects once = settled(*planning);
  const auto again = planned(once, planning->replacements());
  const kube::Objects twice = settled(*again);
  RC_ASSERT(once.of<kube::Pod>().size() == twice.of<kube::Pod>().size());
  RC_ASSERT(once.of<kube::ReplicaSet>().size() == twice.of<kube::ReplicaSet>().size());
  for (std::size_t i = 0; i < once.of<kube::ResourceQuota>().size(); ++i) {
    RC_ASSERT(once.of<kube::ResourceQuota>()[i].status_used == twice.of<kube::ResourceQuota>()[i].status_used);
  }
}

}  // namespace
}  // namespace loadline::simulator
