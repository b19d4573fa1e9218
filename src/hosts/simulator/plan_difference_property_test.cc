#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>

#include "hosts/simulator/comparison.h"
#include "hosts/simulator/testing/random_world.h"

namespace loadline::simulator {
namespace {

using testing::below;
using testing::either;
using testing::World;

/// Something that people do, drawn at random; nothing at all now and then.
Change random_change(const kube::Objects& objects) {
  const auto some_node = [&] {
    return objects.of<kube::Node>()[static_cast<std::size_t>(below(static_cast<int>(objects.of<kube::Node>().size())))]
        .metadata.name;
  };
  Change change;
  if (below(4) == 0) {
    const auto count = static_cast<std::size_t>(1 + below(2));
    change.added_nodes.push_back(capacity::nodes_like(some_node(), count));
  }
  if (below(4) == 0) change.uncordoned.push_back("*");
  if (below(4) == 0) change.labels.push_back({some_node(), std::string(testing::kZone) + "=" + either("a", "b")});
  if (below(4) == 0) change.taints.push_back({some_node(), "maintenance:" + either("NoExecute", "NoSchedule")});
  if (below(4) == 0) change.cordoned.push_back(some_node());
  if (below(3) == 0) change.drained.push_back(some_node());
  if (below(4) == 0 && objects.of<kube::Node>().size() > 1) change.removed_nodes.push_back(some_node());
  if (below(4) == 0 && !objects.of<kube::Deployment>().empty()) {
    kube::Deployment deployment = objects.of<kube::Deployment>().front();
    if (below(2) == 0) deployment.template_.metadata.labels["version"] = "2";
    deployment.replicas = below(5);
    change.added.of<kube::Deployment>().push_back(deployment);
  }
  if (below(4) == 0 && !objects.of<kube::StatefulSet>().empty()) {
    change.scaled.push_back("sts/stateful=" + std::to_string(below(5)));
  }
  if (below(4) == 0 && !objects.of<kube::Job>().empty()) change.deleted.emplace_back("job/job");
  change.evicts_unmanaged = below(2) == 0;
  return change;
}

Comparison compared(const World& world, const Change& change) {
  PlanOptions options;
  options.now = Instant{} + Duration::seconds(1'700'000'000);
  return *compare(world.objects, {}, change, options);
}

bool is_there(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPlaced || pod.outcome == PodOutcome::kRunning;
}
bool has_left(const PlannedPod& pod) {
  return pod.outcome == PodOutcome::kPreempted || pod.outcome == PodOutcome::kEvicted;
}

using Placement = std::map<std::pair<WorkloadName, std::string>, int>;

void put(Placement& placement, const PlannedPod& pod, int count) {
  const std::pair key(pod.workload, is_there(pod) ? pod.node : "");
  int& there = placement[key];
  there += count;
  if (there == 0) placement.erase(key);
}

Placement placement_of(const Plan& plan) {
  Placement placement;
  for (const PlannedPod& pod : plan.pods) {
    if (!has_left(pod)) put(placement, pod, 1);
  }
  return placement;
}

RC_GTEST_PROP(PlanDifferenceProperty, AppliedToWhatWasGivesWhatIs, ()) {
  World world;
  world.add_controllers();
  const Comparison result = compared(world, random_change(world.objects));
  Placement placement = placement_of(result.before);
  for (const PodDifference& entry : result.difference.pods) {
    if (entry.before) put(placement, result.before.pods[*entry.before], -1);
    if (entry.after) put(placement, result.after.pods[*entry.after], 1);
  }
  RC_ASSERT(placement == placement_of(result.after));
}

RC_GTEST_PROP(PlanDifferenceProperty, SaysOfEveryPodOneThingAndWhatHolds, ()) {
  World world;
  world.add_controllers();
  const Comparison result = compared(world, random_change(world.objects));
  std::set<std::size_t> before;
  std::set<std::size_t> after;
  for (const PodDifference& entry : result.difference.pods) {
    if (entry.before) RC_ASSERT(before.insert(*entry.before).second);
    if (entry.after) RC_ASSERT(after.insert(*entry.after).second);
    const PlannedPod* const was = entry.before ? &result.before.pods[*entry.before] : nullptr;
    const PlannedPod* const is = entry.after ? &result.after.pods[*entry.after] : nullptr;
    RC_ASSERT((was == nullptr || is == nullptr || was->workload == is->workload));
    // A pod that ran goes for a reason; one that was only created in the earlier plan may not be created at all.
    const bool explained = !entry.why.empty() || (was != nullptr && was->outcome == PodOutcome::kPlaced);
    switch (entry.change) {
      case PodChange::kMoved:
        RC_ASSERT((is_there(*was) && is_there(*is) && was->node != is->node && explained));
        break;
      case PodChange::kUnplaced:
        RC_ASSERT((is_there(*was) && !is_there(*is) && explained));
        break;
      case PodChange::kPlaced:
        RC_ASSERT((!is_there(*was) && is_there(*is)));
        break;
      case PodChange::kRestated:
        RC_ASSERT((!is_there(*was) && !is_there(*is)));
        break;
      case PodChange::kAppeared:
        RC_ASSERT((was == nullptr && is != nullptr));
        break;
      case PodChange::kGone:
        RC_ASSERT((was != nullptr && is == nullptr));
        break;
    }
  }
}

RC_GTEST_PROP(PlanDifferenceProperty, NothingChangesWithoutAChange, ()) {
  World world;
  world.add_controllers();
  const Comparison result = compared(world, {});
  RC_ASSERT(result.difference.pods.empty());
  RC_ASSERT(!got_worse(result.difference, result.before, result.after, result.change));
}

RC_GTEST_PROP(PlanDifferenceProperty, OfADrainedNodeOnlyThoseStayThatAreNamed, ()) {
  World world;
  world.add_controllers();
  Change change;
  change.drained = {"n0"};
  change.evicts_unmanaged = below(2) == 0;
  const Comparison result = compared(world, change);
  std::set<std::string> named;
  for (const PodName& pod : result.change.drains.front().unmanaged) named.insert(pod.name);
  for (const RefusedEviction& entry : result.after.refused_evictions) {
    RC_ASSERT(!entry.message.empty());
    named.insert(result.after.pods[entry.pod].name);
  }
  for (const std::size_t index : result.after.nodes.front().pods) {
    const PlannedPod& pod = result.after.pods[index];
    RC_ASSERT((named.contains(pod.name) || pod.workload.kind == "DaemonSet"));
  }
}

}  // namespace
}  // namespace loadline::simulator
