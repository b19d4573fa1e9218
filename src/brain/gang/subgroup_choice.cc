#include "brain/gang/subgroup_choice.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "brain/cluster/ledgers/transaction.h"
#include "brain/gang/subgroup_tree.h"

namespace loadline::gang {

using cluster::PodId;
using Leaves = SubgroupTree::Leaves;

namespace {

constexpr std::size_t kMostSets = 32;

/// Whether members of no leaf are among those that are asked for.
enum class Loose : std::uint8_t { kWith, kWithout };

/// The leaves of a group, and how many pods each has and could have.
class LeafCounts {
 public:
  LeafCounts(const cluster::Cluster& cluster, const cluster::PodGroup& group, std::span<const PodId> members)
      : group_(group), members_(members), tree_(group.rules) {
    waiting_.resize(group.rules.subgroups.size());
    for (const cluster::SubGroup& subgroup : group.rules.subgroups) {
      counted_.push_back(group.finished.count_in(subgroup, cluster.symbols()));
    }
    for (const PodId pod : members) {
      leaves_.push_back(leaf_of(cluster, tree_, group.rules, pod));
      if (leaves_.back()) ++waiting_[*leaves_.back()];
    }
    for (const PodId pod : group.members) {
      const cluster::PodRecord& record = cluster.pod(pod);
      if (!record.node.valid() || record.terminating) continue;
      if (const auto leaf = leaf_of(cluster, tree_, group.rules, pod)) ++counted_[*leaf];
    }
  }

  [[nodiscard]] bool is_group_met() const {
    return tree_.is_met([&](std::size_t leaf) { return is_met(leaf); });
  }
  [[nodiscard]] std::vector<Leaves> sufficient() const {
    return tree_.sufficient([&](std::size_t leaf) { return could_be_met(leaf); }, kMostSets);
  }
  [[nodiscard]] std::int64_t least(std::size_t leaf) const { return group_.rules.subgroups[leaf].min_count; }
  [[nodiscard]] std::int64_t lacking(std::size_t leaf) const {
    return std::max<std::int64_t>(least(leaf) - counted_[leaf], 0);
  }
  [[nodiscard]] bool is_met(std::size_t leaf) const { return lacking(leaf) == 0; }
  [[nodiscard]] bool could_be_met(std::size_t leaf) const { return counted_[leaf] + waiting_[leaf] >= least(leaf); }

  template <class Which>
  [[nodiscard]] Leaves leaves_that(Which which) const {
    Leaves leaves;
    for (std::size_t i = 0; i < group_.rules.subgroups.size(); ++i) {
      if (tree_.is_leaf(i) && which(i)) leaves.push_back(i);
    }
    return leaves;
  }

  /// Those of the leaves, and those of none.
  [[nodiscard]] std::vector<PodId> members_of(const Leaves& leaves, Loose loose = Loose::kWith) const {
    std::vector<PodId> pods;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const bool is_one = leaves_[i] ? std::ranges::binary_search(leaves, *leaves_[i]) : loose == Loose::kWith;
      if (is_one) pods.push_back(members_[i]);
    }
    return pods;
  }

  /// The leaves below each widest subgroup none of whose leaves is in the set.
  [[nodiscard]] std::vector<Leaves> further_parts(const Leaves& set, const Leaves& all) const {
    std::map<std::size_t, Leaves> parts;
    const auto touches = [&](std::size_t subgroup) {
      return std::ranges::any_of(set, [&](std::size_t leaf) { return is_below(leaf, subgroup); });
    };
    for (const std::size_t leaf : all) {
      if (std::ranges::binary_search(set, leaf)) continue;
      std::size_t widest = leaf;
      while (tree_.parent_of(widest) && !touches(*tree_.parent_of(widest))) widest = *tree_.parent_of(widest);
      parts[widest].push_back(leaf);
    }
    std::vector<Leaves> found;
    for (auto& [subgroup, leaves] : parts) found.push_back(std::move(leaves));
    return found;
  }

 private:
  [[nodiscard]] bool is_below(std::size_t leaf, std::size_t subgroup) const {
    std::optional<std::size_t> at = leaf;
    while (at && *at != subgroup) at = tree_.parent_of(*at);
    return at.has_value();
  }

 protected:
  const cluster::PodGroup& group_;
  std::span<const PodId> members_;
  SubgroupTree tree_;
  std::vector<std::optional<std::size_t>> leaves_;  // by member
  std::vector<std::int64_t> waiting_;               // by subgroup
  std::vector<std::int64_t> counted_;               // on nodes, or done
};

class Choice : public LeafCounts {
 public:
  Choice(cluster::Cluster& cluster, const cluster::PodGroup& group, std::span<const PodId> members,
         const AttemptMembers& attempt_members)
      : LeafCounts(cluster, group, members), cluster_(cluster), attempt_members_(attempt_members) {}

  GroupAttempt run() {
    const Leaves all = leaves_that([&](std::size_t leaf) { return could_be_met(leaf); });
    std::optional<GroupAttempt> whole = start(all);
    if (whole && whole->verdict == Verdict::kStarts) return *std::move(whole);
    for (const Leaves& set : sufficient()) {
      if (set == all || !starts(set)) continue;
      return finish(with_more(set, all));
    }
    // A group that has its minimum already may take what there is room for.
    if (is_group_met()) {
      const Leaves more = with_more({}, all);
      if (starts(more)) return finish(more);
    }
    // The attempt with all of them says why. One that waits for its victims has nominations to make, too.
    if (whole && whole->verdict != Verdict::kWaitsForRoom) return *std::move(whole);
    return finish(all);
  }

 private:
  /// An attempt with these, which stands in the cluster if they start. Nothing: there are no pods of them.
  std::optional<GroupAttempt> start(const Leaves& leaves) {
    const std::vector<PodId> pods = members_of(leaves);
    if (pods.empty()) return std::nullopt;
    cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    GroupAttempt attempt = attempt_members_(pods, kSearchBudget);
    if (attempt.verdict == Verdict::kStarts) tentatively.commit();
    tell_left_out(attempt);
    return attempt;
  }

  /// Whether these would start.
  bool starts(const Leaves& leaves) {
    const std::vector<PodId> pods = members_of(leaves);
    if (pods.empty()) return false;
    const cluster::Transaction tentatively(cluster_, cluster::Visibility::kSeen);
    return attempt_members_(pods, kProbeBudget).verdict == Verdict::kStarts;
  }

  /// Adds one part of the group after the other that is not in the set, if the whole starts with it then.
  Leaves with_more(Leaves set, const Leaves& all) {
    for (const Leaves& part : further_parts(set, all)) {
      Leaves longer = set;
      longer.insert(longer.end(), part.begin(), part.end());
      std::ranges::sort(longer);
      if (starts(longer)) set = std::move(longer);
    }
    return set;
  }

  /// With the members of no leaf alone, where no leaf has enough pods: they are told what the group waits for.
  GroupAttempt finish(const Leaves& leaves) {
    const std::vector<PodId> pods = members_of(leaves);
    GroupAttempt attempt = attempt_members_(pods.empty() ? members_ : std::span<const PodId>(pods), kSearchBudget);
    tell_left_out(attempt);
    return attempt;
  }

  /// Every member that waits is told what became of it, unless the attempt ended in an error before it.
  void tell_left_out(GroupAttempt& attempt) const {
    if (attempt.verdict == Verdict::kFailed) return;
    std::set<PodId> tried;
    for (const MemberAttempt& member : attempt.members) tried.insert(member.pod);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      if (tried.contains(members_[i])) continue;
      MemberAttempt& member = attempt.members.emplace_back();
      member.pod = members_[i];
      member.is_left_out = true;
      member.refusal = SubgroupLeftOut{group_.rules.subgroups[*leaves_[i]].name, could_be_met(*leaves_[i])};
    }
  }

  cluster::Cluster& cluster_;
  const AttemptMembers& attempt_members_;
};

}  // namespace

bool has_choice_of_subgroups(const cluster::PodGroup& group) {
  const auto says = [](const cluster::SubGroup& subgroup) { return subgroup.min_subgroups.has_value(); };
  if (!group.rules.min_subgroups && std::ranges::none_of(group.rules.subgroups, says)) return false;
  return SubgroupTree(group.rules).has_choice();
}

GroupAttempt attempt_choices(cluster::Cluster& cluster, cluster::GroupId group, std::span<const PodId> members,
                             const AttemptMembers& attempt_members) {
  return Choice(cluster, cluster.group(group), members, attempt_members).run();
}

std::vector<FurtherPart> further_parts(const cluster::Cluster& cluster, cluster::GroupId group,
                                       std::span<const PodId> members) {
  if (!has_choice_of_subgroups(cluster.group(group))) return {};
  const LeafCounts counts(cluster, cluster.group(group), members);
  if (!counts.is_group_met()) return {};
  const Leaves met = counts.leaves_that([&](std::size_t leaf) { return counts.is_met(leaf); });
  const Leaves all = counts.leaves_that([&](std::size_t leaf) { return counts.could_be_met(leaf); });
  std::vector<FurtherPart> parts;
  for (const Leaves& leaves : counts.further_parts(met, all)) {
    FurtherPart& part = parts.emplace_back();
    part.members = counts.members_of(leaves, Loose::kWithout);
    for (const std::size_t leaf : leaves) part.least += static_cast<std::size_t>(counts.lacking(leaf));
  }
  const auto is_nominated = [&](const FurtherPart& part) {
    return std::ranges::any_of(part.members, [&](PodId pod) { return cluster.pod(pod).nominated.valid(); });
  };
  std::ranges::stable_partition(parts, is_nominated);
  return parts;
}

}  // namespace loadline::gang
