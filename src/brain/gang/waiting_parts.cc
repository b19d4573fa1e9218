#include "brain/gang/waiting_parts.h"

#include <algorithm>
#include <set>
#include <utility>

#include "brain/gang/held_room.h"
#include "brain/gang/partial_starts.h"

namespace loadline::gang {

using cluster::GroupId;
using cluster::PodId;

namespace {

void add_pods_on_nodes(const cluster::Cluster& cluster, const cluster::PodGroup& group, std::vector<PodId>& pods) {
  for (const PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.node.valid() && !record.terminating && !is_placeholder(cluster, pod)) pods.push_back(pod);
  }
}

/// The pods on nodes of the groups that come before it, however many steps before.
std::vector<PodId> pods_before(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  std::vector<PodId> pods;
  std::set<std::string> seen = {group.name};
  std::vector<std::string> open = group.rules.starts_after;
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    if (!seen.insert(name).second) continue;
    const GroupId id = cluster.find_group(cluster.symbols().text(group.name_space), {group.spelling, name});
    if (!id.valid()) continue;
    add_pods_on_nodes(cluster, cluster.group(id), pods);
    open.insert(open.end(), cluster.group(id).rules.starts_after.begin(), cluster.group(id).rules.starts_after.end());
  }
  std::ranges::sort(pods, {}, [&](PodId pod) { return cluster.pod(pod).uid; });
  return pods;
}

/// What the workload of a group that waits holds; no pods: it is not between two parts.
Release held_by_workload(const cluster::Cluster& cluster, GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  Release release{id, {}, {}};
  if (waits_for_later_part(cluster, group)) {
    add_pods_on_nodes(cluster, group, release.pods);
    release.shortfall = {HeldInVain::kBeforeLaterPart, 0, group.min_count};
  } else if (group.placed == 0 && !group.rules.starts_after.empty()) {
    release.pods = pods_before(cluster, group);
    release.shortfall = {HeldInVain::kBeforeGroup, 0, group.min_count};
  }
  return release;
}

}  // namespace

bool waits_for_later_part(const cluster::Cluster& cluster, const cluster::PodGroup& group) {
  if (group.rules.later.empty() || !group.is_partly_placed()) return false;
  std::map<cluster::LaterCopy, std::int64_t> placed;
  for (const PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.terminating) continue;
    if (const auto copy = cluster.later_copy_of(pod)) placed[*copy] += record.node.valid() ? 1 : 0;
  }
  std::int64_t missing = group.min_count - static_cast<std::int64_t>(group.placed);
  for (const auto& [copy, on_nodes] : placed) {
    if (on_nodes == 0) missing -= group.rules.later[copy.first].pods;
  }
  return missing <= 0;
}

std::vector<Release> WaitingParts::overdue(const cluster::Cluster& cluster, std::span<const GroupId> waiting,
                                           Instant now) {
  std::vector<Release> overdue;
  std::map<Name, Instant> before = std::move(since_);
  since_.clear();
  for (const GroupId id : waiting) {
    Release release = held_by_workload(cluster, id);
    if (release.pods.empty()) continue;
    const cluster::PodGroup& group = cluster.group(id);
    const auto [entry, is_new] = since_.emplace(Name(group.name_space, group.spelling, group.name), now);
    if (const auto known = before.find(entry->first); known != before.end()) entry->second = known->second;
    if (now - entry->second >= PartialStarts::kPatience) overdue.push_back(std::move(release));
  }
  std::ranges::stable_sort(overdue, {}, [&](const Release& release) { return importance(cluster, release); });
  return overdue;
}

bool WaitingParts::is_any_watched(Instant now) const {
  return std::ranges::any_of(since_, [&](const auto& each) { return now - each.second < PartialStarts::kPatience; });
}

}  // namespace loadline::gang
