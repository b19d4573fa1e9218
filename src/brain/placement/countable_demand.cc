#include "brain/placement/countable_demand.h"

#include "brain/placement/plugins/node_resources_fit.h"
#include "brain/placement/profile.h"

namespace loadline::placement {
namespace {

/// The filter that compares numbers, or null: the profile does without it.
const NodeResourcesFit* fit_filter(const Profile& profile) {
  for (const Plugin* filter : profile.filters()) {
    if (const auto* fit = dynamic_cast<const NodeResourcesFit*>(filter); fit != nullptr) return fit;
  }
  return nullptr;
}

}  // namespace

CountableDemand countable_demand(const cluster::Cluster& cluster, const cluster::PodShape& shape,
                                 const Profile& profile) {
  const NodeResourcesFit* fit = fit_filter(profile);
  if (fit == nullptr) return {};
  CountableDemand demand{fit->compared_requests(cluster, shape), true};
  std::erase_if(demand.amounts, [](const cluster::ResourceAmount& each) { return each.amount <= 0; });
  return demand;
}

std::int64_t pods_that_fit(const CountableDemand& demand, const cluster::Cluster& cluster, cluster::NodeId node) {
  return pods_that_fit(demand, cluster.allowed_pods(node) - std::ssize(cluster.pods_on(node)),
                       [&](cluster::ResourceId resource) {
                         return cluster.allocatable(node, resource) - cluster.requested(node, resource);
                       });
}

}  // namespace loadline::placement
