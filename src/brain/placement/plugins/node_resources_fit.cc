#include "brain/placement/plugins/node_resources_fit.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "brain/placement/cycle.h"
#include "objects/kube/resource_names.h"

namespace loadline::placement {
namespace {

struct FitScoreState final : PluginState {
  std::optional<ResourceLens> lens;
};

struct FitState final : PluginState {
  std::vector<cluster::ResourceAmount> requests;  // without ignored resources
  std::map<std::uint64_t, RejectionId> known;     // by what falls short, see filter()
  std::vector<std::uint8_t> falls_short;          // scratch
};

constexpr std::uint64_t kPodsBit = 1;
constexpr std::uint64_t kUnresolvableBit = std::uint64_t{1} << 63;
constexpr std::size_t kRequestBits = 62;

bool no_room_for_a_pod(const cluster::Cluster& cluster, cluster::NodeId node) {
  return static_cast<std::int64_t>(cluster.pods_on(node).size()) + 1 > cluster.allowed_pods(node);
}

/// Everything that the node has too little of, pods first.
Rejection shortfall(const cluster::Cluster& cluster, cluster::NodeId node,
                    const std::vector<cluster::ResourceAmount>& requests, std::string_view plugin) {
  Rejection rejection{plugin, Code::kUnschedulable, {}};
  if (no_room_for_a_pod(cluster, node)) rejection.reasons.push_back({ReasonKind::kTooManyPods, ""});
  for (const auto& [resource, amount] : requests) {
    const std::int64_t capacity = cluster.allocatable(node, resource);
    if (amount <= capacity - cluster.requested(node, resource)) continue;
    rejection.reasons.push_back({ReasonKind::kInsufficientResource, std::string(cluster.resources().name(resource))});
    if (amount > capacity) rejection.code = Code::kUnresolvable;
  }
  return rejection;
}

/// The piecewise linear function through the shape's points, flat outside them. Scores count 0..10, so 10 times as
/// much.
std::int64_t along(std::span<const kube::UtilizationShapePoint> shape, std::int64_t utilization) {
  const auto score = [&](std::size_t i) { return std::int64_t{shape[i].score} * 10; };
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (utilization > shape[i].utilization) continue;
    if (i == 0) return score(0);
    const std::int64_t rise = score(i) - score(i - 1);
    const std::int64_t run = shape[i].utilization - shape[i - 1].utilization;
    return score(i - 1) + rise * (utilization - shape[i - 1].utilization) / run;
  }
  return score(shape.size() - 1);
}

template <class Score>
std::int64_t weighted_mean(std::span<const ScoredResource> resources, Score&& score) {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const ScoredResource& resource : resources) {
    if (resource.capacity == 0) continue;
    sum += score(resource) * resource.weight;
    weights += resource.weight;
  }
  return weights == 0 ? 0 : sum / weights;
}

}  // namespace

std::int64_t least_allocated(std::span<const ScoredResource> resources) {
  return weighted_mean(resources, [](const ScoredResource& resource) -> std::int64_t {
    if (resource.requested > resource.capacity) return 0;
    return (resource.capacity - resource.requested) * kMaxNodeScore / resource.capacity;
  });
}

std::int64_t most_allocated(std::span<const ScoredResource> resources) {
  return weighted_mean(resources, [](const ScoredResource& resource) {
    return std::min(resource.requested, resource.capacity) * kMaxNodeScore / resource.capacity;
  });
}

std::int64_t requested_to_capacity_ratio(std::span<const ScoredResource> resources,
                                         std::span<const kube::UtilizationShapePoint> shape) {
  std::int64_t sum = 0;
  std::int64_t weights = 0;
  for (const ScoredResource& resource : resources) {
    if (resource.capacity == 0) continue;
    const bool over = resource.requested > resource.capacity;
    const std::int64_t score = along(shape, over ? 100 : resource.requested * 100 / resource.capacity);
    if (score <= 0) continue;
    sum += score * resource.weight;
    weights += resource.weight;
  }
  if (weights == 0) return 0;
  return static_cast<std::int64_t>(std::round(static_cast<double>(sum) / static_cast<double>(weights)));
}

bool NodeResourcesFit::ignores(std::string_view resource) const {
  const auto listed = [&](const std::vector<std::string>& list, std::string_view wanted) {
    return std::find(list.begin(), list.end(), wanted) != list.end();
  };
  return (listed(args_.ignored_resources, resource) ||
          listed(args_.ignored_resource_groups, resource.substr(0, resource.find('/')))) &&
         kube::is_extended_resource(resource);
}

std::vector<cluster::ResourceAmount> NodeResourcesFit::compared_requests(const cluster::Cluster& cluster,
                                                                         const cluster::PodShape& shape) const {
  std::vector<cluster::ResourceAmount> compared = shape.requests;
  std::erase_if(compared, [&](const cluster::ResourceAmount& request) {
    return ignores(cluster.resources().name(request.resource));
  });
  return compared;
}

Locality NodeResourcesFit::sign(Cycle& cycle, Signature& signature) const {
  signature.add(cycle.shape().requests.size());
  for (const auto& [resource, amount] : cycle.shape().requests) {
    signature.add(resource);
    signature.add(amount);
  }
  ResourceLens(cycle.cluster(), args_.resources, cycle.shape().container_nonzero_list, LoadKind::kNonZero)
      .sign(signature);
  return Locality::kNode;
}

PreFilterResult NodeResourcesFit::pre_filter(Cycle& cycle) const {
  cycle.state<FitState>(this).requests = compared_requests(cycle.cluster(), cycle.shape());
  return PreFilterResult::go_on();
}

RejectionId NodeResourcesFit::filter(Cycle& cycle, cluster::NodeId node) const {
  const cluster::Cluster& cluster = cycle.cluster();
  FitState& state = cycle.state<FitState>(this);
  // Nodes that fall short in the same way share a rejection; `missing` is that way, if it fits into the bits.
  std::uint64_t missing = 0;  // bit 0: pods; bit i + 1: requests[i]; bit 63: never enough
  bool memorable = true;
  if (no_room_for_a_pod(cluster, node)) missing |= kPodsBit;
  for (std::size_t i = 0; i < state.requests.size(); ++i) {
    const auto [resource, amount] = state.requests[i];
    const std::int64_t capacity = cluster.allocatable(node, resource);
    if (amount <= capacity - cluster.requested(node, resource)) continue;
    if (i < kRequestBits) missing |= std::uint64_t{2} << i;
    if (i >= kRequestBits) memorable = false;
    if (amount > capacity) missing |= kUnresolvableBit;
  }
  if (missing == 0 && memorable) return kPassed;
  if (!memorable) return cycle.reject(shortfall(cluster, node, state.requests, name()));
  const auto [entry, fresh] = state.known.try_emplace(missing, RejectionId{});
  if (fresh) entry->second = cycle.reject(shortfall(cluster, node, state.requests, name()));
  return entry->second;
}

void NodeResourcesFit::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  const cluster::Cluster& cluster = cycle.cluster();
  const FitState& state = cycle.state<FitState>(this);
  const Rejection rejection = shortfall(cluster, node, state.requests, name());
  for (Obstacle& obstacle : obstacles_of(rejection)) {
    if (obstacle.reason.kind == ReasonKind::kTooManyPods) {
      obstacle.has = static_cast<std::int64_t>(cluster.pods_on(node).size());
      obstacle.of = cluster.allowed_pods(node);
    } else {
      obstacle.subject = obstacle.reason.detail;
      const cluster::ResourceId resource = cluster.resources().find(obstacle.subject);
      const auto request = std::find_if(state.requests.begin(), state.requests.end(),
                                        [&](const auto& each) { return each.resource == resource; });
      obstacle.needs = request->amount;
      obstacle.of = cluster.allocatable(node, resource);
      obstacle.has = obstacle.of - cluster.requested(node, resource);
    }
    obstacles.push_back(std::move(obstacle));
  }
}

/// Looks at the columns first, and at the nodes that fall short then.
void NodeResourcesFit::filter_each(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                                   std::span<RejectionId> rejections) const {
  const cluster::Cluster& cluster = cycle.cluster();
  FitState& state = cycle.state<FitState>(this);
  state.falls_short.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) state.falls_short[i] = no_room_for_a_pod(cluster, nodes[i]);
  for (const auto& [resource, amount] : state.requests) {
    const std::span<const std::int64_t> capacity = cluster.allocatable(resource);
    const std::span<const std::int64_t> requested = cluster.requested(resource);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::size_t n = nodes[i].index();
      state.falls_short[i] |= static_cast<std::uint8_t>(amount > capacity[n] - requested[n]);
    }
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (state.falls_short[i] != 0 && rejections[i] == kPassed) rejections[i] = filter(cycle, nodes[i]);
  }
}

std::int64_t NodeResourcesFit::score_of(std::span<const ScoredResource> resources) const {
  switch (args_.strategy) {
    case kube::ScoringStrategyType::kLeastAllocated:
      return least_allocated(resources);
    case kube::ScoringStrategyType::kMostAllocated:
      return most_allocated(resources);
    case kube::ScoringStrategyType::kRequestedToCapacityRatio:
      break;
  }
  return requested_to_capacity_ratio(resources, args_.shape);
}

void NodeResourcesFit::score(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                             std::span<std::int64_t> scores) const {
  std::optional<ResourceLens>& lens = cycle.state<FitScoreState>(this).lens;
  if (!lens) {
    lens.emplace(cycle.cluster(), args_.resources, cycle.shape().container_nonzero_list, LoadKind::kNonZero);
  }
  lens->aim(cycle.nodes_look_empty());
  for (std::size_t i = 0; i < nodes.size(); ++i) scores[i] = score_of(lens->at(nodes[i]));
}

std::unique_ptr<Plugin> make_node_resources_fit(const kube::PluginArgs& args) {
  return std::make_unique<NodeResourcesFit>(args.fit);
}

}  // namespace loadline::placement
