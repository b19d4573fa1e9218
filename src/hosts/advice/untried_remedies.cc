#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "foundation/base/closest.h"
#include "foundation/base/contract.h"
#include "hosts/advice/fewer_replicas.h"
#include "hosts/advice/higher_classes.h"
#include "hosts/advice/node_remedies.h"
#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/spread_remedies.h"
#include "hosts/advice/unclassed_claims.h"
#include "hosts/advice/untried_remedy.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/well_known_names.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using placement::ReasonKind;

constexpr std::size_t kMostMakes = 4;

UntriedRemedy alone(Edit edit) {
  const double cost = cost_of(edit);
  return {{std::move(edit)}, {}, cost};
}

/// True if nothing but the pods that are there keeps the pod from the node, so that an empty one like it might do.
bool is_only_full(const std::vector<Obstacle>& obstacles) {
  return std::ranges::all_of(obstacles, [](const Obstacle& obstacle) {
    switch (obstacle.reason.kind) {
      case ReasonKind::kInsufficientResource:
        return obstacle.needs <= obstacle.of;
      case ReasonKind::kTooManyPods:
      case ReasonKind::kNodePortConflict:
      case ReasonKind::kPodAntiAffinity:
      case ReasonKind::kExistingAntiAffinity:
      case ReasonKind::kSpreadSkew:
      case ReasonKind::kNodeUnschedulable:
        return true;
      case ReasonKind::kUntoleratedTaint:
        return obstacle.subject.starts_with("node.kubernetes.io/");
      default:
        return false;
    }
  });
}

/// How much machine that is: GPUs first.
std::tuple<std::int64_t, std::int64_t> size_of(const kube::Node& node) {
  std::int64_t gpus = 0;
  for (const auto& [resource, amount] : node.allocatable) {
    if (kube::is_gpu_resource(resource)) gpus += amount.value();
  }
  const auto cpu = node.allocatable.find("cpu");
  return {gpus, cpu == node.allocatable.end() ? 0 : cpu->second.milli_value()};
}

/// One node of each size that would do if it were empty, the smallest first.
std::vector<UntriedRemedy> more_nodes(const std::vector<kube::Node>& nodes,
                                      const std::vector<std::vector<Obstacle>>& obstacles) {
  std::map<std::tuple<std::int64_t, std::int64_t>, const kube::Node*> makes;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (!obstacles[i].empty() && is_only_full(obstacles[i])) makes.try_emplace(size_of(nodes[i]), &nodes[i]);
  }
  std::vector<UntriedRemedy> candidates;
  for (const auto& [size, node] : makes) {
    if (candidates.size() == kMostMakes) break;
    candidates.push_back(alone(AddNodes{capacity::nodes_like(node->metadata.name)}));
    candidates.back().cost += 0.1 * static_cast<double>(candidates.size());
  }
  return candidates;
}

void sort_out(std::vector<UntriedRemedy>& candidates) {
  std::ranges::stable_sort(candidates, {}, &UntriedRemedy::cost);
  std::vector<Remedy> seen;
  std::erase_if(candidates, [&](const UntriedRemedy& candidate) {
    if (candidate.remedy.empty() || std::ranges::find(seen, candidate.remedy) != seen.end()) return true;
    seen.push_back(candidate.remedy);
    return false;
  });
}

/// The claim that the pod mounts does not exist, and one of nearly that name does.
std::vector<UntriedRemedy> nearby_claims(const kube::Objects& objects, const kube::Pod& pod) {
  std::vector<std::string_view> names;
  for (const kube::PersistentVolumeClaim& claim : objects.of<kube::PersistentVolumeClaim>()) {
    if (claim.metadata.namespace_ == pod.metadata.namespace_) names.push_back(claim.metadata.name);
  }
  std::vector<UntriedRemedy> candidates;
  for (const kube::Volume& volume : pod.spec->volumes) {
    if (!volume.persistent_volume_claim) continue;
    const std::string& wanted = volume.persistent_volume_claim->claim_name;
    if (std::ranges::find(names, wanted) != names.end()) continue;
    const std::string_view nearest = closest(wanted, names);
    if (!nearest.empty()) candidates.push_back(alone(UseClaim{wanted, std::string(nearest)}));
  }
  return candidates;
}

/// No node offers a device that the pod asks for, and some offer one of nearly that name.
std::vector<UntriedRemedy> nearby_devices(const std::vector<kube::Node>& nodes, const kube::PodSpec& spec) {
  std::set<std::string_view> offered;
  for (const kube::Node& node : nodes) {
    for (const auto& [resource, amount] : node.allocatable) offered.insert(resource);
  }
  const std::vector<std::string_view> names(offered.begin(), offered.end());
  std::vector<UntriedRemedy> candidates;
  for (const auto& [resource, amount] : kube::pod_requests(spec, nullptr, {})) {
    if (!kube::is_extended_resource(resource) || offered.contains(resource)) continue;
    if (kube::is_well_known_name(resource)) continue;  // another device, and no slip
    const std::string_view nearest = closest_qualified(resource, names);
    if (!nearest.empty()) candidates.push_back(alone(RenameRequest{resource, std::string(nearest)}));
  }
  return candidates;
}

/// Claims of the pod wait for nothing but a default StorageClass.
std::vector<UntriedRemedy> default_classes(const simulator::Planning& planning, const kube::Pod& pod) {
  if (claims_without_class(planning.cluster().volumes(), pod).empty()) return {};
  std::vector<UntriedRemedy> candidates;
  for (const kube::StorageClass& each : planning.objects().of<kube::StorageClass>()) {
    if (candidates.size() == kMostMakes) break;
    candidates.push_back(alone(DefaultStorageClass{each.metadata.name, false}));
  }
  if (candidates.empty()) candidates.push_back(alone(DefaultStorageClass{"standard", true}));
  return candidates;
}

}  // namespace

std::vector<UntriedRemedy> candidates(simulator::Planning& planning, std::size_t subject, const Target& target,
                                      const placement::Examination& examination) {
  REQUIRES(planning.pods()[subject].id.valid() && planning.pods()[subject].outcome == simulator::PodOutcome::kPending);
  const kube::Objects& objects = planning.objects();
  const kube::Pod& pod = planning.pods()[subject].pod;
  std::vector<UntriedRemedy> all = node_candidates(planning, target, *pod.spec, examination.obstacles);
  const auto add = [&](std::vector<UntriedRemedy> some) {
    for (UntriedRemedy& candidate : some) all.push_back(std::move(candidate));
  };
  add(nearby_claims(objects, pod));
  add(default_classes(planning, pod));
  add(nearby_devices(objects.of<kube::Node>(), *pod.spec));
  add(spread_candidates(objects.of<kube::Node>(), *pod.spec, examination.obstacles));
  add(higher_classes(objects, pod.spec->priority.value_or(0)));
  add(more_nodes(objects.of<kube::Node>(), examination.obstacles));
  if (std::optional<UntriedRemedy> fewer = fewer_replicas(planning, target)) all.push_back(std::move(*fewer));
  sort_out(all);
  return all;
}

}  // namespace loadline::advice
