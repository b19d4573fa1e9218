#include "brain/gang/partial_starts.h"

#include <fmt/format.h>

#include <algorithm>

#include "brain/gang/waiting_parts.h"

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

/// Less is less important: by priority, then by age.
std::pair<std::int32_t, std::int64_t> importance(const cluster::Cluster& cluster, const Release& release) {
  std::int32_t priority = cluster.pod(release.pods.front()).priority;
  for (const PodId pod : release.pods) priority = std::max(priority, cluster.pod(pod).priority);
  return {priority, -static_cast<std::int64_t>(cluster.pod(release.pods.front()).uid)};
}

}  // namespace

PartialStarts::Overdue PartialStarts::overdue(const cluster::Cluster& cluster, const placement::Scheduler& scheduler,
                                              Instant now) {
  Overdue overdue;
  std::map<Name, Instant> before = std::move(since_);
  since_.clear();
  for (const cluster::GroupId id : cluster.partly_placed_groups()) {
    const cluster::PodGroup& group = cluster.group(id);
    if (waits_for_later_part(cluster, group)) continue;  // it lost nothing
    Release release{id, pods_on_nodes(cluster, group), {}};
    if (!asks_for_minimum(cluster, scheduler, release.pods.front())) continue;
    const auto [entry, is_new] = since_.emplace(Name(group.name_space, group.spelling, group.name), now);
    if (const auto known = before.find(entry->first); known != before.end()) entry->second = known->second;
    if (now - entry->second < kPatience) continue;
    release.message =
        fmt::format("{} of the {} pods that pod group \"{}\" starts with have waited too long for the rest",
                    release.pods.size(), group.min_count, group.name);
    (group.has_started ? overdue.broken : overdue.unfinished).push_back(std::move(release));
  }
  std::ranges::sort(overdue.broken, {}, [&](const Release& release) { return importance(cluster, release); });
  return overdue;
}

}  // namespace loadline::gang
