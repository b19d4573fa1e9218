#include "advice/grouping.h"

#include <algorithm>
#include <map>
#include <tuple>

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

void add(const Obstacle& obstacle, std::string_view node, Hindrance& hindrance) {
  if (!obstacle.found.empty() || obstacle.reason.kind == ReasonKind::kNodeAffinityMismatch) {
    ++hindrance.found[obstacle.found];
  }
  hindrance.for_good = hindrance.for_good && obstacle.code != placement::Code::kUnschedulable;
  if (!hindrance.nearest.empty() && !nearer(obstacle, hindrance)) return;
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
  return hindrance;
}

std::vector<NodeGroup> group_nodes(const std::vector<std::vector<Obstacle>>& obstacles,
                                   const cluster::Cluster& cluster) {
  std::map<std::vector<Sameness>, std::size_t> index;
  std::vector<NodeGroup> groups;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (obstacles[i].empty()) continue;
    std::vector<Sameness> key;
    for (const Obstacle& obstacle : obstacles[i]) key.push_back(sameness(obstacle));
    const auto [found, fresh] = index.try_emplace(std::move(key), groups.size());
    if (fresh) {
      groups.emplace_back();
      for (const Obstacle& obstacle : obstacles[i]) groups.back().hindrances.push_back(hindrance_of(obstacle));
    }
    NodeGroup& group = groups[found->second];
    const std::string_view node = cluster.node_name(cluster::NodeId{i});
    group.nodes.emplace_back(node);
    for (std::size_t j = 0; j < obstacles[i].size(); ++j) add(obstacles[i][j], node, group.hindrances[j]);
  }
  std::ranges::stable_sort(groups, [](const NodeGroup& a, const NodeGroup& b) {
    return std::tuple(a.hindrances.size(), b.nodes.size()) < std::tuple(b.hindrances.size(), a.nodes.size());
  });
  return groups;
}

}  // namespace loadline::advice
