#include "brain/gang/topology/domain_tree.h"

#include <algorithm>

namespace loadline::gang {

std::span<const cluster::NodeId> DomainTree::own_nodes_of(DomainIndex domain) const {
  const bool has_children = at(domain).end > domain + 1;
  const std::size_t end = has_children ? at(domain + 1).first_node : at(domain).end_node;
  return nodes().subspan(at(domain).first_node, end - at(domain).first_node);
}

std::vector<DomainIndex> DomainTree::children_of(DomainIndex domain) const {
  std::vector<DomainIndex> children;
  for (DomainIndex child = domain + 1; child < at(domain).end; child = at(child).end) children.push_back(child);
  return children;
}

DomainIndex DomainTree::at_level(DomainIndex domain, std::size_t level) const {
  while (at(domain).level > level && at(at(domain).parent).level >= level) domain = at(domain).parent;
  return domain;
}

DomainIndex DomainTree::common(DomainIndex a, DomainIndex b) const {
  while (!contains(a, b)) a = at(a).parent;
  return a;
}

std::vector<DomainIndex> DomainTree::domains_of(std::size_t level) const {
  std::vector<DomainIndex> found;
  for (DomainIndex domain = 0; domain < domains_.size();) {
    const bool is_reached = at(domain).level >= level;
    if (is_reached) found.push_back(domain);
    domain = is_reached ? at(domain).end : domain + 1;
  }
  return found;
}

std::string DomainTree::path(DomainIndex domain) const {
  if (domain == kWholeCluster) return "the cluster";
  std::string text = at(domain).name;
  for (DomainIndex above = at(domain).parent; above != kWholeCluster; above = at(above).parent) {
    text.insert(0, at(above).name + '/');
  }
  return text;
}

std::optional<std::size_t> DomainTree::find_level(std::string_view name) const {
  for (std::size_t level = 1; level < levels_.size(); ++level) {
    if (levels_[level].name == name || (!levels_[level].alias.empty() && levels_[level].alias == name)) return level;
  }
  return std::nullopt;
}

DomainTreeBuilder::DomainTreeBuilder(std::vector<DomainTree::Level> levels) : levels_(std::move(levels)), drafts_(1) {
  levels_.insert(levels_.begin(), DomainTree::Level{});
}

std::size_t DomainTreeBuilder::domain(std::size_t parent, std::size_t level, std::string_view name) {
  const auto known = drafts_[parent].children.find(name);
  if (known != drafts_[parent].children.end()) return known->second;
  const std::size_t made = drafts_.size();
  drafts_[parent].children.emplace(name, made);
  drafts_.push_back({std::string(name), level, {}, {}});
  return made;
}

DomainTree DomainTreeBuilder::build(std::size_t node_slots) && {
  DomainTree tree;
  tree.domain_of_.resize(node_slots);
  tree.domains_.reserve(drafts_.size());
  emit(0, 0, tree);
  tree.levels_ = std::move(levels_);
  tree.faults_ = std::move(faults_);
  return tree;
}

void DomainTreeBuilder::emit(std::size_t draft, DomainIndex parent, DomainTree& tree) const {
  const DomainIndex domain = tree.domains_.size();
  tree.domains_.push_back({drafts_[draft].name, drafts_[draft].level, parent, 0, tree.nodes_.size(), 0});
  for (const cluster::NodeId node : drafts_[draft].nodes) {
    tree.nodes_.push_back(node);
    tree.domain_of_[node.index()] = domain;
  }
  for (const auto& [name, child] : drafts_[draft].children) emit(child, domain, tree);
  tree.domains_[domain].end = tree.domains_.size();
  tree.domains_[domain].end_node = tree.nodes_.size();
}

}  // namespace loadline::gang
