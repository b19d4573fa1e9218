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

/// Who else is there differs from node to node, and does not make another reason.
bool names_a_pod(ReasonKind kind) {
  return kind == ReasonKind::kExistingAntiAffinity || kind == ReasonKind::kNodePortConflict;
}

Sameness sameness(const Obstacle& obstacle) {
  const ReasonKind kind = obstacle.reason.kind;
  return {obstacle.plugin, kind, obstacle.reason.detail, obstacle.subject, names_a_pod(kind) ? "" : obstacle.wanted,
          degree(obstacle)};
}

/// Whether the node comes nearer to fitting than the one remembered.
bool nearer(const Obstacle& obstacle, const Hindrance& hindrance) {
  switch (obstacle.reason.kind) {
    case ReasonKind::kInsufficientResource:
    case ReasonKind::kTooManyPods:
      return std::tuple(obstacle.has, obstacle.of) > std::tuple(hindrance.has, hindrance.of);
    case ReasonKind::kSpreadSkew:
    case ReasonKind::kPodAntiAffinity:
      return obstacle.has < hindrance.has;
    default:
      return false;
  }
}

/// How hard it is to change, for the order of groups: what a machine is weighs more than what it is used for.
int weight(const Hindrance& hindrance) {
  if (hindrance.kind == ReasonKind::kNodeAffinityMismatch) return states_a_fact(hindrance.subject) ? 2 : 1;
  if (hindrance.kind != ReasonKind::kInsufficientResource) return 1;
  if (hindrance.needs <= hindrance.of) return hindrance.has > 0 ? 1 : 2;
  return hindrance.of == 0 ? 8 : 4;
}

int distance(const NodeGroup& group) {
  int sum = 0;
  for (const Hindrance& hindrance : group.hindrances) sum += weight(hindrance);
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

void add(const Obstacle& obstacle, std::string_view node, Hindrance& hindrance) {
  if (!obstacle.found.empty() || obstacle.reason.kind == ReasonKind::kNodeAffinityMismatch) {
    ++hindrance.found[obstacle.found];
  }
  hindrance.for_good = hindrance.for_good && obstacle.code != placement::Code::kUnschedulable;
  const bool first = hindrance.nearest.empty();
  const bool too_small = obstacle.needs > obstacle.of;  // then what is free does not matter
  const bool same = obstacle.of == hindrance.of && (too_small || obstacle.has == hindrance.has);
  hindrance.uniform = first || (hindrance.uniform && same);
  if (!first && !nearer(obstacle, hindrance)) return;
  hindrance.nearest = node;
  hindrance.needs = obstacle.needs;
  hindrance.has = obstacle.has;
  hindrance.of = obstacle.of;
}

}  // namespace

Hindrance hindrance_of(const Obstacle& obstacle) {
  Hindrance hindrance;
  hindrance.plugin = obstacle.plugin;
  hindrance.kind = obstacle.reason.kind;
  hindrance.message = obstacle.reason.text();
  hindrance.subject = obstacle.subject;
  hindrance.wanted = obstacle.wanted;
  if (obstacle.reason.kind == ReasonKind::kSpreadSkew) hindrance.emptiest = obstacle.reason.detail;
  return hindrance;
}

std::vector<NodeGroup> group_nodes(const std::vector<std::vector<Obstacle>>& all_obstacles,
                                   const cluster::Cluster& cluster) {
  std::map<std::vector<Sameness>, std::size_t> index;
  std::vector<NodeGroup> groups;
  for (std::size_t i = 0; i < all_obstacles.size(); ++i) {
    if (all_obstacles[i].empty()) continue;
    const std::vector<Obstacle> obstacles = telling(all_obstacles[i]);
    std::vector<Sameness> key;
    for (const Obstacle& obstacle : obstacles) key.push_back(sameness(obstacle));
    const auto [found, fresh] = index.try_emplace(std::move(key), groups.size());
    if (fresh) {
      groups.emplace_back();
      for (const Obstacle& obstacle : obstacles) groups.back().hindrances.push_back(hindrance_of(obstacle));
    }
    NodeGroup& group = groups[found->second];
    const std::string_view node = cluster.node_name(cluster::NodeId{i});
    group.nodes.emplace_back(node);
    for (std::size_t j = 0; j < obstacles.size(); ++j) add(obstacles[j], node, group.hindrances[j]);
  }
  std::ranges::stable_sort(groups, [](const NodeGroup& a, const NodeGroup& b) {
    return std::tuple(distance(a), b.nodes.size()) < std::tuple(distance(b), a.nodes.size());
  });
  return groups;
}

}  // namespace loadline::advice
