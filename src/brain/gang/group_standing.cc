#include "brain/gang/group_standing.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "brain/gang/search/group_demand.h"
#include "brain/gang/subgroup_tree.h"

namespace loadline::gang {

using cluster::GroupId;
using cluster::PodId;

namespace {

/// The subgroups of one group, with what counts towards each.
class Counted {
 public:
  Counted(const cluster::Cluster& cluster, const cluster::PodGroup& group)
      : cluster_(cluster), group_(group), tree_(group.rules) {
    const std::vector<cluster::SubGroup>& subgroups = group.rules.subgroups;
    for (std::size_t i = 0; i < subgroups.size(); ++i) {
      counts_.push_back(tree_.is_leaf(i) ? counted_in(cluster, group, subgroups[i]) : 0);
    }
  }

  [[nodiscard]] const SubgroupTree& tree() const { return tree_; }
  [[nodiscard]] std::int64_t count(std::size_t leaf) const { return counts_[leaf]; }
  [[nodiscard]] bool is_met(std::size_t leaf) const { return counts_[leaf] >= subgroup(leaf).min_count; }
  /// Whether it has as many as the group last had when it was whole. `unknown`: of a subgroup that it did not have
  /// then.
  [[nodiscard]] bool is_kept(std::size_t leaf, std::int32_t unknown) const {
    std::int32_t least = unknown;
    if (group_.started_with) {
      const auto then = group_.started_with->subgroups.find(subgroup(leaf).name);
      if (then != group_.started_with->subgroups.end()) least = then->second;
    }
    return counts_[leaf] >= std::min(least, subgroup(leaf).min_count);
  }

  /// The widest subgroup around the leaf that is not of use as it is; nothing: all are.
  [[nodiscard]] std::optional<std::size_t> stale_around(std::size_t leaf) const {
    const auto is_of_use = [&](std::size_t each) { return is_kept(each, subgroup(each).min_count); };
    std::optional<std::size_t> widest;
    for (std::optional<std::size_t> part = leaf; part; part = tree_.parent_of(*part)) {
      if (!tree_.is_met(*part, is_of_use)) widest = part;
    }
    return widest;
  }

  /// By part: the pods on nodes.
  [[nodiscard]] std::map<std::size_t, std::vector<PodId>> stale() const {
    std::map<std::size_t, std::vector<PodId>> parts;
    for (const PodId pod : group_.members) {
      const cluster::PodRecord& record = cluster_.pod(pod);
      if (!record.node.valid() || record.terminating) continue;
      const std::optional<std::size_t> leaf = leaf_of(cluster_, tree_, group_.rules, pod);
      const std::optional<std::size_t> part = leaf ? stale_around(*leaf) : std::nullopt;
      if (part) parts[*part].push_back(pod);
    }
    return parts;
  }

 private:
  [[nodiscard]] const cluster::SubGroup& subgroup(std::size_t leaf) const { return group_.rules.subgroups[leaf]; }

  const cluster::Cluster& cluster_;
  const cluster::PodGroup& group_;
  SubgroupTree tree_;
  std::vector<std::int64_t> counts_;  // by subgroup
};

/// Those that count towards the minimum of the group.
std::int64_t members_counted(const cluster::PodGroup& group) {
  return static_cast<std::int64_t>(group.placed) + static_cast<std::int64_t>(group.succeeded);
}

bool has_kept_minimum(const cluster::PodGroup& group) {
  const std::int32_t then = group.started_with ? group.started_with->min_count : 0;
  return members_counted(group) >= std::min(then, group.minimum_now());
}

}  // namespace

GroupStanding standing_of(const cluster::Cluster& cluster, GroupId id) {
  const cluster::PodGroup& group = cluster.group(id);
  GroupStanding standing;
  const bool has_minimum = static_cast<std::int64_t>(group.placed) >= group.min_count;
  if (group.rules.subgroups.empty()) {
    standing.is_whole = has_minimum;
    standing.has_lost = !has_minimum && group.has_started && !has_kept_minimum(group);
    return standing;
  }
  const Counted subgroups(cluster, group);
  standing.is_whole = has_minimum && subgroups.tree().is_met([&](std::size_t leaf) { return subgroups.is_met(leaf); });
  if (!standing.is_whole) {
    const bool is_kept = has_kept_minimum(group) &&
                         subgroups.tree().is_met([&](std::size_t leaf) { return subgroups.is_kept(leaf, 0); });
    standing.has_lost = group.has_started && !is_kept;
  } else if (subgroups.tree().has_choice()) {
    for (auto& [subgroup, pods] : subgroups.stale()) standing.stale.push_back({subgroup, std::move(pods)});
  }
  return standing;
}

/// A part that the group does without has what it had, if it has fewer than are asked for: it was not whole just now.
void note_start(cluster::Cluster& cluster, GroupId id) {
  if (!id.valid() || cluster.group(id).placed == 0 || !standing_of(cluster, id).is_whole) return;
  const cluster::PodGroup& group = cluster.group(id);
  cluster::GroupStart with = group.asked();
  if (group.started_with && !group.rules.subgroups.empty()) {
    const Counted subgroups(cluster, group);
    for (std::size_t i = 0; i < group.rules.subgroups.size(); ++i) {
      if (!subgroups.tree().is_leaf(i) || subgroups.is_met(i)) continue;
      const auto before = group.started_with->subgroups.find(group.rules.subgroups[i].name);
      if (before != group.started_with->subgroups.end()) with.subgroups[before->first] = before->second;
    }
  }
  cluster.set_group_started(id, std::move(with));
}

void believe_in_starts(cluster::Cluster& cluster) {
  for (const GroupId id : cluster.placed_groups()) {
    const cluster::PodGroup& group = cluster.group(id);
    const bool says_it = group.spelling == cluster::GroupSpelling::kKubernetes;
    if (group.started_with || (says_it && !group.has_started)) continue;
    cluster::GroupStart with = group.asked();
    with.min_count = static_cast<std::int32_t>(std::min<std::int64_t>(with.min_count, members_counted(group)));
    const Counted subgroups(cluster, group);
    for (std::size_t i = 0; i < group.rules.subgroups.size(); ++i) {
      std::int32_t& least = with.subgroups[group.rules.subgroups[i].name];
      if (subgroups.tree().has_choice()) continue;
      least = static_cast<std::int32_t>(std::min<std::int64_t>(least, subgroups.count(i)));
    }
    cluster.set_group_started(id, std::move(with));
  }
}

}  // namespace loadline::gang
