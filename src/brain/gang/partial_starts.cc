#include "brain/gang/partial_starts.h"

#include <fmt/format.h>

namespace loadline::gang {

using cluster::PodId;

namespace {

std::vector<PodId> pods_on_nodes(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<PodId> pods;
  for (const PodId pod : group.members) {
    if (cluster.pod(pod).node.valid() && !cluster.pod(pod).terminating) pods.push_back(pod);
  }
  return pods;
}

/// Whether the pod's profile would have let none of the group start.
bool asks_for_minimum(const cluster::Cluster& cluster, const placement::Scheduler& scheduler, PodId pod) {
  const std::string_view name = cluster.symbols().text(cluster.shape_of(pod).scheduler_name);
  return scheduler.profile(name) != nullptr && scheduler.permit(pod).has_value();
}

}  // namespace

std::vector<Release> PartialStarts::overdue(const cluster::Cluster& cluster, const placement::Scheduler& scheduler,
                                            Instant now) {
  std::vector<Release> releases;
  std::map<Name, Instant> before = std::move(since_);
  since_.clear();
  for (const cluster::GroupId id : cluster.partly_placed_groups()) {
    const cluster::PodGroup& group = cluster.group(id);
    if (group.has_started) continue;
    Release release{id, pods_on_nodes(cluster, group), {}};
    if (!asks_for_minimum(cluster, scheduler, release.pods.front())) continue;
    const auto [entry, is_new] = since_.emplace(Name(group.name_space, group.spelling, group.name), now);
    if (const auto known = before.find(entry->first); known != before.end()) entry->second = known->second;
    if (now - entry->second < kPatience) continue;
    release.message =
        fmt::format("{} of the {} pods that pod group \"{}\" starts with have waited too long for the rest",
                    release.pods.size(), group.min_count, group.name);
    releases.push_back(std::move(release));
  }
  return releases;
}

}  // namespace loadline::gang
