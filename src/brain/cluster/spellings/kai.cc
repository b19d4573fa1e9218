#include "brain/cluster/spellings/kai.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

namespace loadline::cluster::spellings {
namespace {

constexpr std::size_t kDeepest = 16;  // subgroups that name each other as parents come to an end

TopologyWish wish_of(const kube::KaiTopologyConstraint& constraint) {
  TopologyWish wish;
  wish.topology = constraint.topology;
  wish.required = constraint.required;
  wish.preferred = constraint.preferred;
  return wish;
}

/// How many pods the parts below `parent` need together; `enough`: so many of these parts suffice, the smallest ones.
std::int32_t least_below(const kube::KaiPodGroup& group, const std::string& parent, std::optional<std::int32_t> enough,
                         std::size_t depth) {
  std::vector<std::int32_t> least;
  for (const kube::KaiSubGroup& part : group.subgroups) {
    if (part.parent != parent || depth == kDeepest) continue;
    const std::int32_t below = least_below(group, part.name, part.min_subgroups, depth + 1);
    least.push_back(part.min_member.value_or(below));
  }
  std::ranges::sort(least);
  if (enough) least.resize(std::min<std::size_t>(least.size(), static_cast<std::size_t>(std::max(*enough, 0))));
  return std::accumulate(least.begin(), least.end(), std::int32_t{0});
}

/// The place of the part of that name; nothing: there is none.
std::optional<std::size_t> place_of(const kube::KaiPodGroup& group, const std::string& name) {
  const auto found = std::ranges::find(group.subgroups, name, &kube::KaiSubGroup::name);
  if (name.empty() || found == group.subgroups.end()) return std::nullopt;
  return static_cast<std::size_t>(found - group.subgroups.begin());
}

}  // namespace

bool is_of_kai(const kube::ObjectMeta& metadata, const kube::PodSpec& spec) {
  return spec.scheduler_name == "kai-scheduler" || metadata.labels.contains(kKaiSubGroupLabel) ||
         metadata.labels.contains("kai.scheduler/queue");
}

GroupDescription describe(const kube::KaiPodGroup& group, SymbolTable& symbols) {
  GroupDescription said;
  said.name_space = group.metadata.namespace_;
  said.group = {GroupSpelling::kKai, group.metadata.name};
  said.uid = group.metadata.uid;
  said.rules.priority_class = group.priority_class_name;
  const std::int32_t below = least_below(group, "", group.min_subgroups, 0);
  said.min_count = group.min_member.value_or(group.subgroups.empty() ? 1 : below);
  said.rules.min_subgroups = group.min_subgroups;
  if (group.topology) said.rules.topology = wish_of(*group.topology);
  for (const kube::KaiSubGroup& written : group.subgroups) {
    SubGroup part;
    part.name = written.name;
    part.min_count = written.min_member.value_or(0);
    part.min_subgroups = written.min_subgroups;
    part.part_of = place_of(group, written.parent);
    part.selector = PodSelector::of_labels({{std::string(kKaiSubGroupLabel), written.name}}, symbols);
    if (written.topology) part.topology = wish_of(*written.topology);
    said.rules.subgroups.push_back(std::move(part));
  }
  return said;
}

}  // namespace loadline::cluster::spellings
