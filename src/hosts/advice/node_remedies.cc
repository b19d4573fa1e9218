#include "hosts/advice/node_remedies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "hosts/advice/obstacle_edits.h"
#include "hosts/advice/room.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using placement::ReasonKind;
using Obstacles = std::vector<Obstacle>;

constexpr std::size_t kMostKinds = 32;
constexpr std::size_t kMostEdits = 3;
constexpr std::size_t kMostRoomSearches = 64;

/// How far from fitting: each resource counts the share of the request that is missing.
double shortage(const Obstacles& obstacles) {
  double sum = 0;
  for (const Obstacle& obstacle : obstacles) {
    if (obstacle.reason.kind != ReasonKind::kInsufficientResource || obstacle.needs == 0) continue;
    sum += static_cast<double>(obstacle.needs - obstacle.has) / static_cast<double>(obstacle.needs);
  }
  return sum;
}

/// Nodes with the same obstacles, labels' values included.
struct NodeClass {
  std::vector<cluster::NodeId> nodes;
  cluster::NodeId nearest;
  double shortage = 0;
};

std::vector<NodeClass> node_classes(const std::vector<Obstacles>& obstacles) {
  using NodeSameness = std::tuple<ReasonKind, std::string, std::string, std::string>;
  std::map<std::vector<NodeSameness>, std::size_t> index;
  std::vector<NodeClass> classes;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (obstacles[i].empty()) continue;
    std::vector<NodeSameness> key;
    for (const Obstacle& obstacle : obstacles[i]) {
      const bool label = obstacle.reason.kind == ReasonKind::kNodeAffinityMismatch;
      key.emplace_back(obstacle.reason.kind, obstacle.reason.detail, obstacle.subject, label ? obstacle.found : "");
    }
    const auto [found, fresh] = index.try_emplace(std::move(key), classes.size());
    if (fresh) classes.emplace_back();
    NodeClass& node_class = classes[found->second];
    const cluster::NodeId node{i};
    const double lacking = shortage(obstacles[i]);
    if (fresh || lacking < node_class.shortage) {
      node_class.nearest = node;
      node_class.shortage = lacking;
    }
    node_class.nodes.push_back(node);
  }
  std::ranges::stable_sort(classes, [&](const NodeClass& a, const NodeClass& b) {
    return std::tuple(obstacles[a.nearest.index()].size(), a.shortage) <
           std::tuple(obstacles[b.nearest.index()].size(), b.shortage);
  });
  if (classes.size() > kMostKinds) classes.resize(kMostKinds);
  return classes;
}

bool is_about_room(const Obstacle& obstacle) {
  return obstacle.reason.kind == ReasonKind::kInsufficientResource || obstacle.reason.kind == ReasonKind::kTooManyPods;
}

bool is_skewed(const Obstacle& obstacle) { return obstacle.reason.kind == ReasonKind::kSpreadSkew; }

/// Remedies for the nodes of one class.
class ClassRemedies {
 public:
  ClassRemedies(const simulator::Planning& planning, const Target& target, const kube::PodSpec& spec,
                const std::vector<Obstacles>& obstacles, std::vector<UntriedRemedy>& to)
      : planning_(planning), target_(target), spec_(spec), obstacles_(obstacles), to_(to) {}

  void add(const NodeClass& node_class) {
    const Obstacles& obstacles = obstacles_[node_class.nearest.index()];
    const kube::Node& node = planning_.objects().of<kube::Node>()[node_class.nearest.index()];
    add_if_whole(obstacles, [&](const Obstacle& each) { return edit_on_pod(each, spec_); });
    add_if_whole(obstacles, [&](const Obstacle& each) {
      const std::optional<Edit> on_node = edit_on_node(each, node);
      return on_node ? on_node : edit_on_pod(each, spec_);
    });
    if (std::ranges::any_of(obstacles, is_skewed)) {
      add_if_whole(obstacles, [&](const Obstacle& each) -> std::optional<Edit> {
        return is_skewed(each) ? RelaxSpread{each.subject, std::nullopt} : edit_on_pod(each, spec_);
      });
    }
    if (std::ranges::any_of(obstacles, is_about_room)) add_room(node_class);
  }

 private:
  /// A remedy of one edit an obstacle, if every obstacle has one.
  template <class EditFor>
  void add_if_whole(const Obstacles& obstacles, EditFor&& edit_for) {
    UntriedRemedy candidate;
    for (const Obstacle& obstacle : obstacles) {
      const std::optional<Edit> edit = edit_for(obstacle);
      if (!edit) return;
      add_edit(*edit, candidate);
    }
    to_.push_back(std::move(candidate));
  }

  /// The node of the class where the least has to leave; what else keeps the pod away is edited as well.
  void add_room(const NodeClass& node_class) {
    std::optional<UntriedRemedy> best;
    std::size_t looked_at = 0;
    for (const cluster::NodeId node : node_class.nodes) {
      if (++looked_at > kMostRoomSearches) break;
      std::optional<UntriedRemedy> room = make_room(planning_, target_, node, obstacles_[node.index()]);
      if (room && (!best || room->cost < best->cost) && add_others(node, *room)) best = std::move(room);
    }
    if (best) to_.push_back(std::move(*best));
  }

  bool add_others(cluster::NodeId node, UntriedRemedy& candidate) const {
    for (const Obstacle& obstacle : obstacles_[node.index()]) {
      if (is_about_room(obstacle)) continue;
      std::optional<Edit> edit = edit_on_node(obstacle, planning_.objects().of<kube::Node>()[node.index()]);
      if (!edit) edit = edit_on_pod(obstacle, spec_);
      if (!edit) return false;
      add_edit(*edit, candidate);
    }
    return true;
  }

  static void add_edit(const Edit& edit, UntriedRemedy& candidate) {
    if (std::ranges::find(candidate.remedy, edit) != candidate.remedy.end()) return;
    candidate.remedy.push_back(edit);
    candidate.cost += cost_of(edit);
  }

  const simulator::Planning& planning_;
  const Target& target_;
  const kube::PodSpec& spec_;
  const std::vector<Obstacles>& obstacles_;
  std::vector<UntriedRemedy>& to_;
};

}  // namespace

std::vector<UntriedRemedy> node_candidates(const simulator::Planning& planning, const Target& target,
                                           const kube::PodSpec& spec, const std::vector<Obstacles>& obstacles) {
  std::vector<UntriedRemedy> candidates;
  ClassRemedies of_class(planning, target, spec, obstacles, candidates);
  for (const NodeClass& node_class : node_classes(obstacles)) of_class.add(node_class);
  std::erase_if(candidates, [](const UntriedRemedy& candidate) { return candidate.remedy.size() > kMostEdits; });
  return candidates;
}

}  // namespace loadline::advice
