#include "brain/gang/topology/group_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "brain/gang/search/group_demand.h"

namespace loadline::gang {

using cluster::PodId;

namespace {

/// The pods of one part: those that wait, and where the others are.
struct Membership {
  std::vector<PodId> waiting;
  std::vector<cluster::NodeId> present;
};

/// One for each subgroup, and the last for members of none.
std::vector<Membership> memberships(const cluster::Cluster& cluster, const cluster::PodGroup& group,
                                    std::span<const PodId> members) {
  const std::vector<cluster::SubGroup>& subgroups = group.rules.subgroups;
  std::vector<Membership> found(subgroups.size() + 1);
  const auto of = [&](PodId pod) -> Membership& {
    std::size_t i = 0;
    while (i < subgroups.size() && !is_in(cluster, pod, subgroups[i])) ++i;
    return found[i];
  };
  for (const PodId pod : members) of(pod).waiting.push_back(pod);
  for (const PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.node.valid() && !record.terminating) of(pod).present.push_back(record.node);
  }
  return found;
}

tl::expected<Closeness, std::string> closeness(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                               DomainTrees& trees) {
  if (!wish.empty() || wish.slice_size > 0) return resolve(wish, cluster, trees);
  Closeness anywhere;
  anywhere.tree = &trees.of_labels({});
  return anywhere;
}

GroupPart part_of(const cluster::Cluster& cluster, const Membership& membership, const Closeness& close,
                  std::int64_t need) {
  GroupPart part;
  part.close = close;
  part.count = std::ssize(membership.waiting);
  part.need = std::clamp<std::int64_t>(need, 0, part.count);
  part.kinds = equal_members(cluster, membership.waiting);
  part.present = membership.present;
  return part;
}

/// Slices of members that are not alike are those next to each other in the order of the members, each a part.
void cut_into_slices(const cluster::Cluster& cluster, GroupPart& part, std::span<const PodId> waiting) {
  if (part.close.slice_size == 0 || part.kinds.size() < 2) return;
  const auto size = static_cast<std::size_t>(std::exchange(part.close.slice_size, 0));
  Closeness close = part.close;
  close.start = close.ceiling = part.close.slice_level;
  for (std::size_t i = 0; i < waiting.size(); i += size) {
    const std::span<const PodId> slice = waiting.subspan(i, std::min(size, waiting.size() - i));
    part.parts.push_back(part_of(cluster, {{slice.begin(), slice.end()}, {}}, close, std::ssize(slice)));
    part.parts.back().name = fmt::format("slice {}", i / size);
  }
}

}  // namespace

tl::expected<GroupPart, std::string> divide(const cluster::Cluster& cluster, DomainTrees& trees,
                                            const cluster::PodGroup& group, std::span<const PodId> members,
                                            std::int64_t need) {
  if (group.members_disagree && &group.topology_wish() == &group.asked_by_members) {
    return tl::unexpected(std::string("annotations of its pods ask for different topologies"));
  }
  const std::vector<Membership> found = memberships(cluster, group, members);
  const tl::expected<Closeness, std::string> close = closeness(group.topology_wish(), cluster, trees);
  if (!close) return tl::unexpected(close.error());
  Membership all{{members.begin(), members.end()}, {}};
  for (const Membership& each : found) all.present.insert(all.present.end(), each.present.begin(), each.present.end());
  GroupPart whole = part_of(cluster, all, *close, need);
  if (group.rules.subgroups.empty()) {
    cut_into_slices(cluster, whole, members);
    return whole;
  }
  if (whole.close.slice_size > 0) return tl::unexpected(std::string("slices are of subgroups, where there are any"));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i].waiting.empty()) continue;
    const bool is_subgroup = i < group.rules.subgroups.size();
    const cluster::SubGroup subgroup = is_subgroup ? group.rules.subgroups[i] : cluster::SubGroup{};
    const tl::expected<Closeness, std::string> own = closeness(subgroup.topology, cluster, trees);
    if (!own) return tl::unexpected(fmt::format("subgroup {}: {}", subgroup.name, own.error()));
    const std::int64_t missing = subgroup.min_count - std::ssize(found[i].present);
    whole.parts.push_back(part_of(cluster, found[i], *own, missing));
    whole.parts.back().name = subgroup.name;
    cut_into_slices(cluster, whole.parts.back(), found[i].waiting);
  }
  std::ranges::stable_sort(whole.parts, std::ranges::greater(),
                           [](const GroupPart& part) { return std::pair(part.close.is_strict(), part.count); });
  return whole;
}

}  // namespace loadline::gang
