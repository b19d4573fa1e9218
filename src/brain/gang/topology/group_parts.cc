#include "brain/gang/topology/group_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "brain/gang/subgroup_tree.h"

namespace loadline::gang {

using cluster::PodId;

namespace {

/// The pods of one part: those that wait, and where the others are.
struct Membership {
  std::vector<PodId> waiting;
  std::vector<cluster::NodeId> present;
};

/// One for each subgroup, those with parts left out, and the last for members of none.
std::vector<Membership> memberships(const cluster::Cluster& cluster, const SubgroupTree& tree,
                                    const cluster::PodGroup& group, std::span<const PodId> members) {
  const std::size_t none = group.rules.subgroups.size();
  std::vector<Membership> found(none + 1);
  const auto of = [&](PodId pod) -> Membership& {
    return found[leaf_of(cluster, tree, group.rules, pod).value_or(none)];
  };
  for (const PodId pod : members) of(pod).waiting.push_back(pod);
  for (const PodId pod : group.members) {
    const cluster::PodRecord& record = cluster.pod(pod);
    if (record.node.valid() && !record.terminating) of(pod).present.push_back(record.node);
  }
  return found;
}

tl::expected<Closeness, WishFault> closeness(const cluster::TopologyWish& wish, const cluster::Cluster& cluster,
                                             DomainTrees& trees) {
  if (!wish.empty() || wish.slice_size > 0) return resolve(wish, cluster, trees);
  Closeness anywhere;
  anywhere.tree = &trees.of_labels({});
  return anywhere;
}

GroupPart part_of(const cluster::Cluster& cluster, placement::Scheduler& scheduler, const Membership& membership,
                  const Closeness& close, std::int64_t need) {
  GroupPart part;
  part.close = close;
  part.count = std::ssize(membership.waiting);
  part.need = std::clamp<std::int64_t>(need, 0, part.count);
  part.kinds = equal_members(cluster, scheduler, membership.waiting);
  part.present = membership.present;
  return part;
}

/// Slices of members that are not alike are those next to each other in the order of the members, each a part.
void cut_into_slices(const cluster::Cluster& cluster, placement::Scheduler& scheduler, GroupPart& part,
                     std::span<const PodId> waiting) {
  if (part.close.slice_size == 0 || part.kinds.size() < 2) return;
  const auto size = static_cast<std::size_t>(std::exchange(part.close.slice_size, 0));
  Closeness close = part.close;
  close.start = close.ceiling = part.close.slice_level;
  for (std::size_t i = 0; i < waiting.size(); i += size) {
    const std::span<const PodId> slice = waiting.subspan(i, std::min(size, waiting.size() - i));
    part.parts.push_back(part_of(cluster, scheduler, {{slice.begin(), slice.end()}, {}}, close, std::ssize(slice)));
    part.parts.back().name = fmt::format("slice {}", i / size);
  }
}

/// Parts that ask for more, or have more members, come first.
void sort_parts(std::vector<GroupPart>& parts) {
  std::ranges::stable_sort(parts, std::ranges::greater(),
                           [](const GroupPart& part) { return std::pair(part.close.is_strict(), part.count); });
}

/// Divides the members of a group among its subgroups, and theirs.
class GroupDivision {
 public:
  GroupDivision(const cluster::Cluster& cluster, placement::Scheduler& scheduler, DomainTrees& trees,
                const cluster::PodGroup& group, std::span<const PodId> members)
      : cluster_(cluster),
        scheduler_(scheduler),
        trees_(trees),
        group_(group),
        tree_(group.rules),
        found_(memberships(cluster, tree_, group, members)) {}

  [[nodiscard]] const std::vector<Membership>& found() const { return found_; }

  /// The parts of a subgroup, or (nothing) of the group, that have members which wait.
  tl::expected<std::vector<GroupPart>, WishFault> parts_of(std::optional<std::size_t> subgroup) {
    std::vector<GroupPart> parts;
    for (const std::size_t each : tree_.parts_of(subgroup)) {
      tl::expected<GroupPart, WishFault> part = tree_.is_leaf(each) ? leaf(each) : inner(each);
      if (!part) return tl::unexpected(part.error());
      if (part->count > 0) parts.push_back(*std::move(part));
    }
    if (!subgroup && !found_.back().waiting.empty()) {
      parts.push_back(part_of(cluster_, scheduler_, found_.back(), *closeness({}, cluster_, trees_), 0));
    }
    sort_parts(parts);
    return parts;
  }

 private:
  tl::expected<Closeness, WishFault> closeness_of(std::size_t subgroup) {
    const cluster::SubGroup& rules = group_.rules.subgroups[subgroup];
    tl::expected<Closeness, WishFault> close = closeness(rules.topology, cluster_, trees_);
    if (!close) close.error().subgroup = rules.name;
    return close;
  }

  tl::expected<GroupPart, WishFault> leaf(std::size_t subgroup) {
    const Membership& membership = found_[subgroup];
    if (membership.waiting.empty()) return GroupPart{};
    const tl::expected<Closeness, WishFault> close = closeness_of(subgroup);
    if (!close) return tl::unexpected(close.error());
    const cluster::SubGroup& rules = group_.rules.subgroups[subgroup];
    GroupPart part =
        part_of(cluster_, scheduler_, membership, *close, rules.min_count - std::ssize(membership.present));
    part.name = rules.name;
    cut_into_slices(cluster_, scheduler_, part, membership.waiting);
    return part;
  }

  /// It has the members of its parts.
  tl::expected<GroupPart, WishFault> inner(std::size_t subgroup) {
    tl::expected<std::vector<GroupPart>, WishFault> parts = parts_of(subgroup);
    if (!parts) return tl::unexpected(parts.error());
    const tl::expected<Closeness, WishFault> close = closeness_of(subgroup);
    if (!close) return tl::unexpected(close.error());
    const std::string& name = group_.rules.subgroups[subgroup].name;
    if (close->slice_size > 0)
      return tl::unexpected(WishFault{.kind = WishFault::Kind::kSlicesOfParts, .subgroup = name});
    std::int64_t need = 0;
    for (const GroupPart& part : *parts) need += part.need;
    GroupPart part = part_of(cluster_, scheduler_, members_below(subgroup), *close, need);
    part.name = name;
    part.parts = *std::move(parts);
    return part;
  }

  Membership members_below(std::size_t subgroup) const {
    if (tree_.is_leaf(subgroup)) return found_[subgroup];
    Membership all;
    for (const std::size_t each : tree_.parts_of(subgroup)) {
      const Membership below = members_below(each);
      all.waiting.insert(all.waiting.end(), below.waiting.begin(), below.waiting.end());
      all.present.insert(all.present.end(), below.present.begin(), below.present.end());
    }
    return all;
  }

  const cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  DomainTrees& trees_;
  const cluster::PodGroup& group_;
  SubgroupTree tree_;
  std::vector<Membership> found_;
};

}  // namespace

tl::expected<GroupPart, WishFault> divide(const cluster::Cluster& cluster, placement::Scheduler& scheduler,
                                          DomainTrees& trees, const cluster::PodGroup& group,
                                          std::span<const PodId> members, std::int64_t need) {
  if (group.members_disagree && &group.topology_wish() == &group.asked_by_members) {
    return tl::unexpected(WishFault{.kind = WishFault::Kind::kMembersDisagree});
  }
  GroupDivision division(cluster, scheduler, trees, group, members);
  const tl::expected<Closeness, WishFault> close = closeness(group.topology_wish(), cluster, trees);
  if (!close) return tl::unexpected(close.error());
  Membership all{{members.begin(), members.end()}, {}};
  for (const Membership& each : division.found()) {
    all.present.insert(all.present.end(), each.present.begin(), each.present.end());
  }
  GroupPart whole = part_of(cluster, scheduler, all, *close, need);
  if (group.rules.subgroups.empty()) {
    cut_into_slices(cluster, scheduler, whole, members);
    return whole;
  }
  if (whole.close.slice_size > 0) return tl::unexpected(WishFault{.kind = WishFault::Kind::kSlicesOfSubgroups});
  tl::expected<std::vector<GroupPart>, WishFault> parts = division.parts_of(std::nullopt);
  if (!parts) return tl::unexpected(parts.error());
  whole.parts = *std::move(parts);
  return whole;
}

}  // namespace loadline::gang
