#include "brain/gang/topology/hyper_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "objects/schema/custom/pattern.h"

namespace loadline::gang {

using cluster::HyperNode;
using cluster::HyperNodeMember;
using cluster::NodeId;

namespace {

/// Finds out who is in whom, and fills a builder with it.
class Nesting {
 public:
  Nesting(const cluster::Cluster& cluster, const std::vector<HyperNode>& hyper_nodes)
      : cluster_(cluster), builder_(levels_of(hyper_nodes)) {
    for (const HyperNode& each : hyper_nodes) narrowest_first_.push_back(&each);
    std::ranges::sort(narrowest_first_, {}, [](const HyperNode* each) { return std::tie(each->tier, each->name); });
    std::set<std::int32_t, std::greater<>> tiers;
    for (const HyperNode& each : hyper_nodes) tiers.insert(each.tier);
    std::size_t level = 0;
    for (const std::int32_t tier : tiers) level_of_[tier] = ++level;
    for (std::size_t i = 0; i < narrowest_first_.size(); ++i) place_of_[narrowest_first_[i]->name] = i;
    parent_.resize(narrowest_first_.size());
    made_.resize(narrowest_first_.size());
  }

  DomainTree build() {
    for (std::size_t i = 0; i < narrowest_first_.size(); ++i) {
      for (const HyperNodeMember& member : narrowest_first_[i]->members) {
        if (member.is_node) {
          find_nodes(i, member);
        } else {
          find_children(i, member);
        }
      }
    }
    settle();
    return std::move(builder_).build(cluster_.node_slots());
  }

 private:
  static std::vector<DomainTree::Level> levels_of(const std::vector<HyperNode>& hyper_nodes) {
    std::map<std::int32_t, std::string, std::greater<>> tiers;
    for (const HyperNode& each : hyper_nodes) {
      std::string& name = tiers[each.tier];
      if (name.empty()) name = each.tier_name;
    }
    std::vector<DomainTree::Level> levels;
    for (const auto& [tier, name] : tiers) levels.push_back({std::to_string(tier), name});
    return levels;
  }

  /// Calls `take` with what has a matching name. False: the pattern is none.
  static bool match(const std::string& pattern,
                    const std::function<void(const std::function<bool(std::string_view)>&)>& over) {
    const Result<schema::Pattern> expression = schema::Pattern::compile(pattern);
    if (!expression) return false;
    over([&](std::string_view name) { return expression->matches(name); });
    return true;
  }

  void find_nodes(std::size_t outer, const HyperNodeMember& member) {
    if (!member.name.empty()) {
      const NodeId node = cluster_.find_node(member.name);
      if (node.valid()) claim(outer, node);
      return;  // one that is not there may come
    }
    if (member.pattern.empty()) {
      for (const NodeId node : cluster_.nodes()) {
        if (member.labels.matches(cluster_.facts(node).labels, cluster_.symbols())) claim(outer, node);
      }
      return;
    }
    const bool is_expression = match(member.pattern, [&](const auto& matches) {
      for (const NodeId node : cluster_.nodes()) {
        if (matches(cluster_.node_name(node))) claim(outer, node);
      }
    });
    if (!is_expression) complain_of_pattern(outer, member);
  }

  void find_children(std::size_t outer, const HyperNodeMember& member) {
    if (!member.name.empty()) {
      const auto found = place_of_.find(member.name);
      if (found != place_of_.end()) return adopt(outer, found->second);
      complain(outer, fmt::format("has the member {}, and there is no such HyperNode", member.name));
      return;
    }
    const bool is_expression = match(member.pattern, [&](const auto& matches) {
      for (std::size_t i = 0; i < narrowest_first_.size(); ++i) {
        if (i != outer && matches(narrowest_first_[i]->name)) adopt(outer, i);
      }
    });
    if (!is_expression) complain_of_pattern(outer, member);
  }

  void complain_of_pattern(std::size_t outer, const HyperNodeMember& member) {
    complain(outer, fmt::format("has the member pattern \"{}\", which is no regular expression", member.pattern));
  }

  void complain(std::size_t about, std::string sentence) {
    builder_.fault({narrowest_first_[about]->name, std::move(sentence)});
  }

  /// Parents come from the narrowest to the broadest, so the first one stays.
  void claim(std::size_t outer, NodeId node) {
    const auto [known, is_first] = holder_.emplace(node, outer);
    if (!is_first && known->second != outer)
      claims_.push_back({std::string(cluster_.node_name(node)), known->second, outer});
  }

  void adopt(std::size_t outer, std::size_t inner) {
    const HyperNode& parent = *narrowest_first_[outer];
    const HyperNode& child = *narrowest_first_[inner];
    if (parent.tier <= child.tier) {
      complain(outer, fmt::format("has the tier {} and the member {}, whose tier {} is not lower", parent.tier,
                                  child.name, child.tier));
      return;
    }
    if (!parent_[inner]) {
      parent_[inner] = outer;
    } else if (*parent_[inner] != outer) {
      claims_.push_back({child.name, *parent_[inner], outer});
    }
  }

  /// A second parent is none if the first one lies in it.
  void settle() {
    for (const Claim& claim : claims_) {
      std::optional<std::size_t> above = claim.first;
      while (above && *above != claim.second) above = parent_[*above];
      if (above) continue;
      complain(claim.second,
               fmt::format("has the member {}, which is also one of HyperNode {}, and neither lies in the "
                           "other: the latter counts",
                           claim.who, narrowest_first_[claim.first]->name));
    }
    for (const NodeId node : cluster_.nodes()) {
      const auto found = holder_.find(node);
      builder_.put(node, found == holder_.end() ? 0 : domain_of(found->second));
    }
    for (std::size_t i = 0; i < narrowest_first_.size(); ++i) domain_of(i);  // those without nodes, too
  }

  std::size_t domain_of(std::size_t i) {
    if (made_[i]) return *made_[i];
    const std::size_t parent = parent_[i] ? domain_of(*parent_[i]) : 0;
    made_[i] = builder_.domain(parent, level_of_.at(narrowest_first_[i]->tier), narrowest_first_[i]->name);
    return *made_[i];
  }

  struct Claim {
    std::string who;
    std::size_t first = 0, second = 0;
  };

  const cluster::Cluster& cluster_;
  DomainTreeBuilder builder_;
  std::vector<const HyperNode*> narrowest_first_;
  std::map<std::int32_t, std::size_t> level_of_;  // by tier
  std::map<std::string, std::size_t> place_of_;   // in narrowest_first_, by name
  std::vector<std::optional<std::size_t>> parent_;
  std::vector<std::optional<std::size_t>> made_;  // in the builder
  std::map<NodeId, std::size_t> holder_;
  std::vector<Claim> claims_;
};

}  // namespace

DomainTree tree_of_hyper_nodes(const cluster::Cluster& cluster, const std::vector<HyperNode>& hyper_nodes) {
  return Nesting(cluster, hyper_nodes).build();
}

}  // namespace loadline::gang
