#include "brain/gang/topology/topology_refusal_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "foundation/base/closest.h"

namespace loadline::gang {
namespace {

std::string hint(std::string_view word, const std::vector<DomainTree::Level>& known) {
  std::vector<std::string_view> names;
  for (const DomainTree::Level& each : known) {
    names.push_back(each.name);
    if (!each.alias.empty()) names.push_back(each.alias);
  }
  const std::string_view near = closest_qualified(word, names);
  return near.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", near);
}

std::string of_subgroup(const std::string& name) {
  return name.empty() ? std::string() : fmt::format("subgroup {}: ", name);
}

/// "rack (the alias), host".
std::string list_of(const std::vector<DomainTree::Level>& known) {
  std::vector<std::string> shown;
  for (const DomainTree::Level& each : known) {
    shown.push_back(each.alias.empty() ? each.name : fmt::format("{} ({})", each.name, each.alias));
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

std::string levels_text(const WishFault& it) {
  std::string text = fmt::format("no topology has {} \"{}\"", it.levels.size() == 1 ? "the level" : "the levels",
                                 fmt::join(it.levels, "\", \""));
  for (const std::string& level : it.levels) {
    const bool is_known = std::ranges::any_of(
        it.known, [&](const DomainTree::Level& each) { return each.name == level || each.alias == level; });
    if (!is_known) return text + hint(level, it.known);
  }
  return text;
}

std::string fault_text(const WishFault& it) {
  switch (it.kind) {
    case WishFault::Kind::kMembersDisagree:
      return "annotations of its pods ask for different topologies";
    case WishFault::Kind::kUnknownTopology:
      if (it.known.empty()) return fmt::format("there is no topology \"{}\", nor any other", it.topology);
      return fmt::format("there is no topology \"{}\"; there is {}{}", it.topology, list_of(it.known),
                         hint(it.topology, it.known));
    case WishFault::Kind::kUnknownLevel:
      return fmt::format("topology \"{}\" has no level \"{}\"; it has {}{}", it.topology, it.levels.front(),
                         list_of(it.known), hint(it.levels.front(), it.known));
    case WishFault::Kind::kLevelsOfNoTopology:
      return levels_text(it);
    case WishFault::Kind::kSlicesWithoutSize:
      return fmt::format("slices are to be within \"{}\", and nothing says how many pods a slice has",
                         it.levels.front());
    case WishFault::Kind::kSlicesWithoutLevel:
      return fmt::format("slices have {} pods, and nothing says within what", it.size);
    case WishFault::Kind::kSlicesBroaderThanAll:
      return fmt::format("slices are to be within \"{}\", which is broader than \"{}\", where all pods are to be",
                         it.levels.front(), it.levels.back());
    case WishFault::Kind::kSlicesOfParts:
      return "slices are of its parts";
    case WishFault::Kind::kSlicesOfSubgroups:
      break;
  }
  return "slices are of subgroups, where there are any";
}

std::string domains_text(const NoDomainTakes& it) {
  const std::string pods = fmt::format("{} {}", it.pods, it.pods == 1 ? "pod" : "pods");
  if (it.scope == NoDomainTakes::Scope::kCluster) {
    return fmt::format("the cluster has room for {} of its {}", it.most, pods);
  }
  if (it.scope == NoDomainTakes::Scope::kLabel) {
    std::string text =
        fmt::format("0/{} placements are available, first placement status: pod group is unschedulable", it.domains);
    if (it.most > 0) text += fmt::format("; the best, {}, has room for {} of its {}", it.best, it.most, pods);
    return text;
  }
  if (it.domains == 0) return fmt::format("no node is in a domain of \"{}\"", it.level);
  if (it.most == 0) {
    return fmt::format("none of {} domains of \"{}\" has room for any of its {}", it.domains, it.level, pods);
  }
  if (it.most >= it.pods) {
    return fmt::format("none of {} domains of \"{}\" takes its {} together", it.domains, it.level, pods);
  }
  return fmt::format("none of {} domains of \"{}\" has room for its {}: the best, {}, has room for {}", it.domains,
                     it.level, pods, it.best, it.most);
}

struct RefusalText {
  const cluster::Cluster& cluster;

  std::string operator()(const WishFault& it) const { return of_subgroup(it.subgroup) + fault_text(it); }
  std::string operator()(const MemberOutside& it) const {
    return fmt::format("node {}, where one of its pods is, is in no domain of \"{}\"", cluster.node_name(it.node),
                       it.level);
  }
  std::string operator()(const MembersApart& it) const {
    return fmt::format("more than 1 domain found for pod group: {}", fmt::join(it.domains, ", "));
  }
  std::string operator()(const NoDomainTakes& it) const {
    std::string text = of_subgroup(it.part) + domains_text(it);
    if (it.slices) {
      text += fmt::format(", in {} slices of {} within \"{}\"", it.slices->found, it.slices->size, it.slices->level);
    }
    if (it.fault) text += fmt::format(" (HyperNode {} {})", it.fault->hyper_node, it.fault->sentence);
    return text;
  }
};

}  // namespace

std::string text(const cluster::Cluster& cluster, const TopologyRefusal& refusal) {
  return std::visit(RefusalText{cluster}, refusal);
}

}  // namespace loadline::gang
