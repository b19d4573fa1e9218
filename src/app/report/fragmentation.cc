#include "app/report/fragmentation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "app/report/pod_groups.h"
#include "foundation/base/contract.h"
#include "objects/kube/gpu_resource.h"

namespace loadline::report {
namespace {

using simulator::Plan;
using simulator::PlannedNode;
using simulator::PlannedPod;
using simulator::PodOutcome;

std::int64_t amount(const kube::ResourceList& requests, const std::string& resource) {
  const auto found = requests.find(resource);
  return found == requests.end() ? 0 : found->second.value();
}

struct Wanted {
  kube::ResourceList requests;
  bool waits_for_others = true;  ///< all pods that ask for it: with their groups, or for a planned start
  bool gives_way = false;        ///< one of them would start, but for somebody's planned start
};

/// Distinct request lists of the pods pending for one resource, fewest of it first.
using Demand = std::vector<Wanted>;

Demand pending_demand(const Plan& plan, const std::string& resource, GpuFragmentation& entry) {
  Demand demand;
  const GroupsOfPods groups(plan);
  for (const PlannedPod& pod : plan.pods) {
    const std::int64_t wanted = amount(pod.requests, resource);
    if (pod.outcome != PodOutcome::kPending || wanted <= 0) continue;
    ++entry.pending_pods;
    entry.wanted += wanted;
    auto same = std::ranges::find(demand, pod.requests, &Wanted::requests);
    if (same == demand.end()) same = demand.insert(demand.end(), {pod.requests});
    const simulator::PlannedGroup* group = groups.waited_for(pod);
    const bool gives_way = !pod.held_by.empty() || (group != nullptr && !group->held_by.empty());
    if (gives_way) same->gives_way = true;
    if (group == nullptr && !gives_way) same->waits_for_others = false;
  }
  std::ranges::stable_sort(demand, {}, [&](const Wanted& wanted) { return amount(wanted.requests, resource); });
  return demand;
}

/// The first resource of which the node has less free than `requests` asks, or nothing.
std::optional<std::string> lacking(const PlannedNode& node, const kube::ResourceList& requests) {
  for (const auto& [name, wanted] : requests) {
    if (wanted.sign() <= 0) continue;
    const auto found = node.resources.find(name);
    if (found == node.resources.end() || found->second.allocatable - found->second.requested < wanted) return name;
  }
  return std::nullopt;
}

std::string taints_text(const PlannedNode& node) {
  std::string text;
  for (const std::string& taint : node.taints) {
    if (taint.ends_with(":PreferNoSchedule")) continue;
    if (!text.empty()) text += ", ";
    text += taint;
  }
  return text;
}

/// Sets why and detail of `entry`. REQUIRES: `demand` is not empty.
void explain(const PlannedNode& node, const std::string& resource, const Demand& demand, UnusableGpus& entry) {
  const auto conclude = [&](Unusable why, std::string detail) {
    entry.why = why;
    entry.detail = std::move(detail);
  };
  if (node.unschedulable) return conclude(Unusable::kCordoned, "");
  REQUIRES(!demand.empty());
  const std::int64_t smallest = amount(demand.front().requests, resource);
  if (smallest > entry.gpus) return conclude(Unusable::kTooFew, std::to_string(smallest));
  std::string first_lack;
  bool room_for_one = false;
  bool all_wait_for_others = true;
  bool any_gives_way = false;
  for (const Wanted& wanted : demand) {
    if (amount(wanted.requests, resource) > entry.gpus) break;
    const std::optional<std::string> lack = lacking(node, wanted.requests);
    if (!lack) room_for_one = true;
    if (!lack && !wanted.waits_for_others) all_wait_for_others = false;
    if (!lack && wanted.gives_way) any_gives_way = true;
    if (lack && first_lack.empty()) first_lack = *lack;
  }
  if (!room_for_one) return conclude(Unusable::kOtherResource, first_lack);
  if (static_cast<std::int64_t>(node.slots_used()) >= node.allowed_pods) return conclude(Unusable::kPodLimit, "");
  if (all_wait_for_others) return conclude(any_gives_way ? Unusable::kPlannedStart : Unusable::kPodGroup, "");
  conclude(Unusable::kRules, taints_text(node));
}

std::set<std::string> gpu_resources(const Plan& plan) {
  std::set<std::string> names;
  for (const PlannedNode& node : plan.nodes) {
    for (const auto& [name, amounts] : node.resources) {
      if (kube::is_gpu_resource(name) && amounts.allocatable.sign() > 0) names.insert(name);
    }
  }
  return names;
}

GpuFragmentation fragmentation_of(const Plan& plan, const std::string& resource) {
  GpuFragmentation entry;
  entry.resource = resource;
  const Demand demand = pending_demand(plan, resource, entry);
  for (const PlannedNode& node : plan.nodes) {
    const auto found = node.resources.find(resource);
    if (found == node.resources.end()) continue;
    entry.allocatable += found->second.allocatable.value();
    entry.requested += found->second.requested.value();
    const std::int64_t free = found->second.allocatable.value() - found->second.requested.value();
    if (free <= 0) continue;
    entry.free += free;
    entry.largest_free = std::max(entry.largest_free, free);
    if (demand.empty()) continue;
    entry.unusable += free;
    UnusableGpus unusable{.node = node.name, .gpus = free, .why = Unusable::kRules, .detail = ""};
    explain(node, resource, demand, unusable);
    entry.because.push_back(std::move(unusable));
  }
  return entry;
}

}  // namespace

std::vector<GpuFragmentation> gpu_fragmentation(const Plan& plan) {
  std::vector<GpuFragmentation> result;
  for (const std::string& resource : gpu_resources(plan)) result.push_back(fragmentation_of(plan, resource));
  return result;
}

std::string_view unusable_word(Unusable why) {
  switch (why) {
    case Unusable::kCordoned:
      return "Cordoned";
    case Unusable::kTooFew:
      return "TooFew";
    case Unusable::kOtherResource:
      return "OtherResource";
    case Unusable::kPodLimit:
      return "PodLimit";
    case Unusable::kPlannedStart:
      return "PlannedStart";
    case Unusable::kPodGroup:
      return "PodGroup";
    case Unusable::kRules:
      return "Rules";
  }
  return "";
}

std::string unusable_text(const UnusableGpus& unusable) {
  switch (unusable.why) {
    case Unusable::kCordoned:
      return "cordoned";
    case Unusable::kTooFew:
      return "fewer than the smallest pending request, " + unusable.detail;
    case Unusable::kOtherResource:
      return "not enough " + unusable.detail + " left beside them";
    case Unusable::kPodLimit:
      return "the node holds as many pods as it may";
    case Unusable::kPlannedStart:
      return "room, but it is kept for a pod group with a planned start";
    case Unusable::kPodGroup:
      return "room, but the pods that it would do for wait with their pod groups";
    case Unusable::kRules:
      return unusable.detail.empty() ? "room, but affinity, spreading, ports or volumes forbid it"
                                     : "room, but taints or other rules forbid it (" + unusable.detail + ")";
  }
  return "";
}

}  // namespace loadline::report
