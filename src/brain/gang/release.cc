#include "brain/gang/release.h"

#include <algorithm>

namespace loadline::gang {

std::pair<std::int32_t, std::int64_t> importance(const cluster::Cluster& cluster, const Release& release) {
  std::int32_t priority = cluster.pod(release.pods.front()).priority;
  for (const cluster::PodId pod : release.pods) priority = std::max(priority, cluster.pod(pod).priority);
  return {priority, -static_cast<std::int64_t>(cluster.pod(release.pods.front()).uid)};
}

}  // namespace loadline::gang
