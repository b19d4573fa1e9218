#include "hosts/advice/grouping.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "hosts/advice/obstacle_edits.h"
#include "objects/kube/resource_names.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using placement::ReasonKind;

/// What makes two obstacles one.
using Sameness = std::tuple<std::string_view, ReasonKind, std::string, std::string, std::string, int>;

/// A node without the resource, one too small, and one that is full are three things to do something about.
int degree(const Obstacle& obstacle) {
  if (obstacle.reason.kind != ReasonKind::kInsufficientResource) return 0;
  if (obstacle.of == 0) return 1;
  return obstacle.needs > obstacle.of ? 2 : 3;
}

/// Which other pods are there differs from node to node, and does not make another reason.
bool names_a_pod(ReasonKind kind) {
  return kind == ReasonKind::kExistingAntiAffinity || kind == ReasonKind::kNodePortConflict;
}

Sameness sameness(const Obstacle& obstacle) {
  const ReasonKind kind = obstacle.reason.kind;
  return {obstacle.plugin, kind, obstacle.reason.detail, obstacle.subject, names_a_pod(kind) ? "" : obstacle.wanted,
          degree(obstacle)};
}

/// Whether the node comes nearer to fitting than the one remembered.
bool nearer(const Obstacle& obstacle, const GroupObstacle& summary) {
  switch (obstacle.reason.kind) {
    case ReasonKind::kInsufficientResource:
    case ReasonKind::kTooManyPods:
      return std::tuple(obstacle.has, obstacle.of) > std::tuple(summary.has, summary.of);
    case ReasonKind::kSpreadSkew:
    case ReasonKind::kPodAntiAffinity:
      return obstacle.has < summary.has;
    default:
      return false;
  }
}

/// How hard it is to change, for the order of groups: what a machine is weighs more than what it is used for.
int weight(const GroupObstacle& summary) {
  if (summary.kind == ReasonKind::kNodeAffinityMismatch) return states_a_fact(summary.subject) ? 2 : 1;
  if (summary.kind != ReasonKind::kInsufficientResource) return 1;
  if (summary.needs <= summary.of) return summary.has > 0 ? 1 : 2;
  return summary.of == 0 ? 8 : 4;
}

int distance(const NodeGroup& group) {
  int sum = 0;
  for (const GroupObstacle& summary : group.obstacles) sum += weight(summary);
  return sum;
}

bool lacks_device(const Obstacle& obstacle) {
  return obstacle.reason.kind == ReasonKind::kInsufficientResource && obstacle.of == 0 &&
         kube::is_extended_resource(obstacle.subject);
}

/// What is worth telling: of a machine without the device nothing else matters; and the node controller taints every
/// cordoned node, which is one thing, not two.
std::vector<Obstacle> telling(std::vector<Obstacle> obstacles) {
  if (std::ranges::any_of(obstacles, lacks_device)) {
    std::erase_if(obstacles, [](const Obstacle& each) { return !lacks_device(each); });
    return obstacles;
  }
  const bool cordoned = std::ranges::any_of(
      obstacles, [](const Obstacle& each) { return each.reason.kind == ReasonKind::kNodeUnschedulable; });
  if (!cordoned) return obstacles;
  std::erase_if(obstacles, [](const Obstacle& each) {
    return each.reason.kind == ReasonKind::kUntoleratedTaint &&
           each.subject.starts_with("node.kubernetes.io/unschedulable:");
  });
  return obstacles;
}

void add(const Obstacle& obstacle, std::string_view node, GroupObstacle& summary) {
  if (!obstacle.found.empty() || obstacle.reason.kind == ReasonKind::kNodeAffinityMismatch) {
    ++summary.found[obstacle.found];
  }
  summary.for_good = summary.for_good && obstacle.code != placement::Code::kUnschedulable;
  const bool first = summary.nearest.empty();
  const bool too_small = obstacle.needs > obstacle.of;  // then what is free does not matter
  const bool same = obstacle.of == summary.of && (too_small || obstacle.has == summary.has);
  summary.uniform = first || (summary.uniform && same);
  if (!first && !nearer(obstacle, summary)) return;
  summary.nearest = node;
  summary.needs = obstacle.needs;
  summary.has = obstacle.has;
  summary.of = obstacle.of;
}

}  // namespace

GroupObstacle summary_of(const Obstacle& obstacle) {
  GroupObstacle summary;
  summary.plugin = obstacle.plugin;
  summary.kind = obstacle.reason.kind;
  summary.message = obstacle.reason.text();
  summary.subject = obstacle.subject;
  summary.wanted = obstacle.wanted;
  if (obstacle.reason.kind == ReasonKind::kSpreadSkew) summary.emptiest = obstacle.reason.detail;
  return summary;
}

std::vector<NodeGroup> group_nodes(const std::vector<std::vector<Obstacle>>& all_obstacles,
                                   const cluster::Cluster& cluster) {
  std::map<std::vector<Sameness>, std::size_t> index;
  std::vector<NodeGroup> groups;
  for (std::size_t i = 0; i < all_obstacles.size(); ++i) {
    if (all_obstacles[i].empty()) continue;
    const std::vector<Obstacle> obstacles = telling(all_obstacles[i]);
    std::vector<Sameness> key;
    key.reserve(obstacles.size());
    for (const Obstacle& obstacle : obstacles) key.push_back(sameness(obstacle));
    const auto [found, fresh] = index.try_emplace(std::move(key), groups.size());
    if (fresh) {
      groups.emplace_back();
      for (const Obstacle& obstacle : obstacles) groups.back().obstacles.push_back(summary_of(obstacle));
    }
    NodeGroup& group = groups[found->second];
    const std::string_view node = cluster.node_name(cluster::NodeId{i});
    group.nodes.emplace_back(node);
    for (std::size_t j = 0; j < obstacles.size(); ++j) add(obstacles[j], node, group.obstacles[j]);
  }
  std::ranges::stable_sort(groups, [](const NodeGroup& a, const NodeGroup& b) {
    return std::tuple(distance(a), b.nodes.size()) < std::tuple(distance(b), a.nodes.size());
  });
  return groups;
}

}  // namespace loadline::advice
