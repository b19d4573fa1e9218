#include "hosts/advice/spread_remedies.h"

#include <algorithm>

#include "hosts/advice/obstacle_edits.h"
#include "objects/kube/resource_names.h"

namespace loadline::advice {
namespace {

using placement::Obstacle;
using placement::ReasonKind;
using Obstacles = std::vector<Obstacle>;

bool lacks_device(const Obstacles& obstacles) {
  return std::ranges::any_of(obstacles, [](const Obstacle& each) {
    return each.reason.kind == ReasonKind::kInsufficientResource && each.of == 0 &&
           kube::is_extended_resource(each.subject);
  });
}

bool is_only_skewed(const Obstacles& obstacles) {
  return !obstacles.empty() && std::ranges::all_of(obstacles, [](const Obstacle& each) {
    return each.reason.kind == ReasonKind::kSpreadSkew;
  });
}

/// Labels of a place, of one machine, or of every machine tell no kinds of machines apart.
bool names_a_kind(std::string_view key) {
  return !key.starts_with("topology.") && !key.ends_with("/hostname") && !key.ends_with("kubernetes.io/os") &&
         !key.ends_with("kubernetes.io/arch");
}

/// What people chose for a purpose comes before what the cloud says.
bool is_builtin(std::string_view key) { return key.find("kubernetes.io/") != std::string_view::npos; }

}  // namespace

std::vector<UntriedRemedy> spread_candidates(const std::vector<kube::Node>& nodes, const kube::PodSpec& spec,
                                             const std::vector<Obstacles>& obstacles) {
  std::vector<const kube::Node*> useful;
  std::vector<const kube::Node*> useless;
  for (std::size_t i = 0; i < obstacles.size(); ++i) {
    if (is_only_skewed(obstacles[i])) useful.push_back(&nodes[i]);
    if (lacks_device(obstacles[i])) useless.push_back(&nodes[i]);
  }
  if (useful.empty() || useless.empty()) return {};
  const std::pair<const std::string, std::string>* best = nullptr;
  for (const auto& label : useful.front()->metadata.labels) {
    const auto has_it = [&](const kube::Node* node) {
      const auto found = node->metadata.labels.find(label.first);
      return found != node->metadata.labels.end() && found->second == label.second;
    };
    if (!names_a_kind(label.first) || spec.node_selector.contains(label.first)) continue;
    if (!std::ranges::all_of(useful, has_it) || std::ranges::any_of(useless, has_it)) continue;
    if (best == nullptr || (is_builtin(best->first) && !is_builtin(label.first))) best = &label;
  }
  if (best == nullptr) return {};
  const Edit edit = SelectLabel{best->first, "", best->second};
  return {{{edit}, {}, cost_of(edit)}};
}

}  // namespace loadline::advice
