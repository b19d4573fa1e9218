#include "hosts/advice/room.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hosts/advice/obstacle_edits.h"

namespace loadline::advice {
namespace {

using cluster::PodId;
using placement::Obstacle;
using placement::ReasonKind;
using simulator::SimulatedPod;
using simulator::WorkloadName;

/// What it costs more to remove pods of the same or a higher priority.
constexpr double kImportant = 2;

/// What has to come free on a node.
struct Lack {
  std::vector<cluster::ResourceAmount> amounts;
  std::int64_t pods = 0;
};

/// Nothing if the node could not have it even if it were empty.
std::optional<Lack> lack_of(const std::vector<Obstacle>& obstacles, const cluster::Cluster& cluster) {
  Lack lack;
  for (const Obstacle& obstacle : obstacles) {
    if (obstacle.reason.kind == ReasonKind::kTooManyPods) lack.pods = obstacle.has + 1 - obstacle.of;
    if (obstacle.reason.kind != ReasonKind::kInsufficientResource) continue;
    if (obstacle.needs > obstacle.of) return std::nullopt;
    lack.amounts.push_back({cluster.resources().find(obstacle.subject), obstacle.needs - obstacle.has});
  }
  if (lack.amounts.empty() && lack.pods == 0) return std::nullopt;
  return lack;
}

std::int64_t amount_of(const cluster::PodShape& shape, cluster::ResourceId resource) {
  for (const cluster::ResourceAmount& usage : shape.usage) {
    if (usage.resource == resource) return usage.amount;
  }
  return 0;
}

/// The fewest of the pods that cover the lack; empty: all of them do not.
std::vector<PodId> fewest(std::vector<PodId> pods, const Lack& lack, const cluster::Cluster& cluster) {
  const auto covers = [&](const std::vector<PodId>& some) {
    if (static_cast<std::int64_t>(some.size()) < lack.pods) return false;
    return std::ranges::all_of(lack.amounts, [&](const cluster::ResourceAmount& short_of) {
      std::int64_t capacity_freed = 0;
      for (const PodId pod : some) capacity_freed += amount_of(cluster.shape_of(pod), short_of.resource);
      return capacity_freed >= short_of.amount;
    });
  };
  if (!covers(pods)) return {};
  std::ranges::stable_sort(pods, std::ranges::greater{}, [&](PodId pod) {
    return lack.amounts.empty() ? 0 : amount_of(cluster.shape_of(pod), lack.amounts.front().resource);
  });
  std::vector<PodId> chosen;
  for (const PodId pod : pods) {
    chosen.push_back(pod);
    if (covers(chosen)) break;
  }
  return chosen;
}

bool can_shrink(const WorkloadName& workload) {
  constexpr std::string_view kKinds[] = {"Pod",         "Deployment", "ReplicaSet", "ReplicationController",
                                         "StatefulSet", "Job"};
  return workload.name_space != "kube-system" && std::ranges::find(kKinds, workload.kind) != std::end(kKinds);
}

}  // namespace

Scale scale_of(const simulator::Planning& planning, const WorkloadName& workload, std::size_t fewer) {
  Scale scale{workload, 0, 0};
  for (const SimulatedPod& subject : planning.pods().list()) {
    const bool own = simulator::name_of(subject.workload) == workload;
    if (own && !subject.left()) ++scale.from;
  }
  scale.to = std::max(0, scale.from - static_cast<std::int32_t>(fewer));
  return scale;
}

std::optional<UntriedRemedy> make_room(const simulator::Planning& planning, const Target& target, cluster::NodeId node,
                                       const std::vector<Obstacle>& obstacles) {
  const cluster::Cluster& cluster = planning.cluster();
  const std::optional<Lack> lack = lack_of(obstacles, cluster);
  if (!lack) return std::nullopt;
  std::map<WorkloadName, std::vector<PodId>> by_workload;
  for (const PodId pod : cluster.pods_on(node)) {
    if (cluster.pod(pod).reservation.valid()) continue;
    const SimulatedPod& subject = planning.pods()[planning.pods().index_of(pod)];
    const WorkloadName workload = simulator::name_of(subject.workload);
    if (workload != target.workload && can_shrink(workload)) by_workload[workload].push_back(pod);
  }
  std::optional<UntriedRemedy> best;
  std::tuple<std::size_t, std::int32_t> least;  // how many, how important
  for (const auto& [workload, pods] : by_workload) {
    const std::vector<PodId> chosen = fewest(pods, *lack, cluster);
    if (chosen.empty()) continue;
    const std::tuple burden{chosen.size(), cluster.pod(chosen.front()).priority};
    if (best && burden >= least) continue;
    least = burden;
    const Scale scale = scale_of(planning, workload, chosen.size());
    const bool important = cluster.pod(chosen.front()).priority >= target.priority;
    best = UntriedRemedy{{scale}, chosen, cost_of(scale) + (important ? kImportant : 0)};
  }
  return best;
}

}  // namespace loadline::advice
