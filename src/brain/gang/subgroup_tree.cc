#include "brain/gang/subgroup_tree.h"

#include <algorithm>
#include <iterator>
#include <numeric>

#include "brain/gang/search/group_demand.h"

namespace loadline::gang {

using Leaves = SubgroupTree::Leaves;

namespace {

/// All choices of `count` of `of`, in lexicographic order, until `visit` says that it has enough.
bool for_each_choice(const std::vector<std::size_t>& of, std::size_t count, std::size_t next,
                     std::vector<std::size_t>& chosen,
                     const std::function<bool(const std::vector<std::size_t>&)>& visit) {
  if (chosen.size() == count) return visit(chosen);
  for (std::size_t i = next; i + (count - chosen.size()) <= of.size(); ++i) {
    chosen.push_back(of[i]);
    const bool goes_on = for_each_choice(of, count, i + 1, chosen, visit);
    chosen.pop_back();
    if (!goes_on) return false;
  }
  return true;
}

}  // namespace

SubgroupTree::SubgroupTree(const cluster::GroupRules& rules)
    : rules_(rules), parts_(rules.subgroups.size()), is_lost_(rules.subgroups.size()) {
  for (std::size_t i = 0; i < rules.subgroups.size(); ++i) {
    std::size_t steps = 0;
    std::optional<std::size_t> above = rules.subgroups[i].part_of;
    while (above && steps <= rules.subgroups.size()) {
      above = rules.subgroups[*above].part_of;
      ++steps;
    }
    is_lost_[i] = above.has_value();
    if (is_lost_[i]) continue;
    const std::optional<std::size_t> parent = rules.subgroups[i].part_of;
    (parent ? parts_[*parent] : top_).push_back(i);
  }
  has_choice_ = enough(std::nullopt) < top_.size();
  for (std::size_t i = 0; i < parts_.size(); ++i) has_choice_ |= enough(i) < parts_[i].size();
}

std::optional<std::size_t> SubgroupTree::parent_of(std::size_t subgroup) const {
  return is_lost_[subgroup] ? std::nullopt : rules_.subgroups[subgroup].part_of;
}

const std::vector<std::size_t>& SubgroupTree::parts_of(std::optional<std::size_t> subgroup) const {
  return subgroup ? parts_[*subgroup] : top_;
}

std::size_t SubgroupTree::enough(std::optional<std::size_t> subgroup) const {
  const std::size_t all = parts_of(subgroup).size();
  const std::optional<std::int32_t>& said = subgroup ? rules_.subgroups[*subgroup].min_subgroups : rules_.min_subgroups;
  return said ? std::min(all, static_cast<std::size_t>(std::max(*said, 0))) : all;
}

bool SubgroupTree::is_met(const std::function<bool(std::size_t)>& is_leaf_met) const {
  const auto met = std::ranges::count_if(top_, [&](std::size_t part) { return is_met(part, is_leaf_met); });
  return std::cmp_greater_equal(met, enough(std::nullopt));
}

bool SubgroupTree::is_met(std::size_t subgroup, const std::function<bool(std::size_t)>& is_leaf_met) const {
  if (is_leaf(subgroup)) return is_leaf_met(subgroup);
  const auto met = std::ranges::count_if(parts_[subgroup], [&](std::size_t part) { return is_met(part, is_leaf_met); });
  return std::cmp_greater_equal(met, enough(subgroup));
}

/// The pods that it needs at least.
std::int64_t SubgroupTree::least_of(std::size_t subgroup) const {
  if (is_leaf(subgroup)) return rules_.subgroups[subgroup].min_count;
  std::vector<std::int64_t> least;
  for (const std::size_t part : parts_[subgroup]) least.push_back(least_of(part));
  std::ranges::sort(least);
  return std::accumulate(least.begin(), least.begin() + static_cast<std::ptrdiff_t>(enough(subgroup)), std::int64_t{0});
}

std::vector<Leaves> SubgroupTree::sufficient(const std::function<bool(std::size_t)>& may_be,
                                             std::size_t at_most) const {
  return sufficient_below(std::nullopt, may_be, at_most);
}

std::vector<Leaves> SubgroupTree::sufficient_of(std::size_t subgroup, const std::function<bool(std::size_t)>& may_be,
                                                std::size_t at_most) const {
  if (!is_leaf(subgroup)) return sufficient_below(subgroup, may_be, at_most);
  if (!may_be(subgroup)) return {};
  return {{subgroup}};
}

std::vector<Leaves> SubgroupTree::sufficient_below(std::optional<std::size_t> subgroup,
                                                   const std::function<bool(std::size_t)>& may_be,
                                                   std::size_t at_most) const {
  std::vector<std::size_t> order = parts_of(subgroup);
  std::ranges::stable_sort(order, {}, [&](std::size_t part) { return least_of(part); });
  std::vector<std::vector<Leaves>> of_part(rules_.subgroups.size());
  for (const std::size_t part : order) of_part[part] = sufficient_of(part, may_be, at_most);
  std::erase_if(order, [&](std::size_t part) { return of_part[part].empty(); });
  std::vector<Leaves> sets;
  std::vector<std::size_t> chosen;
  for_each_choice(order, enough(subgroup), 0, chosen, [&](const std::vector<std::size_t>& parts) {
    std::vector<Leaves> combined{{}};
    for (const std::size_t part : parts) {
      std::vector<Leaves> longer;
      for (const Leaves& before : combined) {
        for (const Leaves& own : of_part[part]) {
          if (longer.size() == at_most) break;
          longer.push_back(before);
          longer.back().insert(longer.back().end(), own.begin(), own.end());
        }
      }
      combined = std::move(longer);
    }
    for (Leaves& each : combined) {
      std::ranges::sort(each);
      if (sets.size() < at_most) sets.push_back(std::move(each));
    }
    return sets.size() < at_most;
  });
  return sets;
}

std::optional<std::size_t> leaf_of(const cluster::Cluster& cluster, const SubgroupTree& tree,
                                   const cluster::GroupRules& rules, cluster::PodId pod) {
  for (std::size_t i = 0; i < rules.subgroups.size(); ++i) {
    if (tree.is_leaf(i) && is_in(cluster, pod, rules.subgroups[i])) return i;
  }
  return std::nullopt;
}

}  // namespace loadline::gang
