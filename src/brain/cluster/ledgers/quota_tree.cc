#include "brain/cluster/ledgers/quota_tree.h"

#include <algorithm>

#include "foundation/base/contract.h"

namespace loadline::cluster {

bool QuotaTree::stands_before(QuotaNodeId a, QuotaNodeId b) const {
  if (kind(a) != kind(b)) return kind(a) < kind(b);
  return name(a) < name(b);
}

QuotaNodeId QuotaTree::add(QuotaNodeKind kind, std::string_view name) {
  REQUIRES(!undo_.is_open());
  const Symbol symbol = symbols_.intern(name);
  QuotaNodeId node(nodes_.size());
  if (unused_nodes_.empty()) {
    nodes_.emplace_back();
  } else {
    node = unused_nodes_.back();
    unused_nodes_.pop_back();
  }
  REQUIRES(by_name_.emplace(std::pair{kind, symbol}, node).second);
  nodes_[node.index()].kind = kind;
  nodes_[node.index()].name = symbol;
  return node;
}

void QuotaTree::remove(QuotaNodeId node) {
  REQUIRES(!undo_.is_open());
  REQUIRES(children(node).empty());
  set_parent(node, {});
  Node& gone = nodes_[node.index()];
  for (const QuotaCellId cell : gone.cells) {
    cell_of_.erase(key(node.value, column_of(cell).value));
    used_[cell.index()] = 0;
    cells_[cell.index()] = {};
    unused_cells_.push_back(cell);
  }
  by_name_.erase({gone.kind, gone.name});
  gone = {};
  unused_nodes_.push_back(node);
}

void QuotaTree::set_parent(QuotaNodeId node, QuotaNodeId parent) {
  REQUIRES(!undo_.is_open());
  REQUIRES(!parent.valid() || kind(parent) == QuotaNodeKind::kGroup);
  Node& child = nodes_[node.index()];
  if (child.parent.valid()) std::erase(nodes_[child.parent.index()].children, node);
  child.parent = parent;
  if (!parent.valid()) return;
  std::vector<QuotaNodeId>& siblings = nodes_[parent.index()].children;
  siblings.insert(
      std::ranges::upper_bound(siblings, node, [this](QuotaNodeId a, QuotaNodeId b) { return stands_before(a, b); }),
      node);
}

QuotaNodeId QuotaTree::find(QuotaNodeKind kind, std::string_view name) const {
  const Symbol symbol = symbols_.find(name);
  if (!symbol.valid()) return {};
  const auto found = by_name_.find({kind, symbol});
  return found == by_name_.end() ? QuotaNodeId{} : found->second;
}

bool QuotaTree::is_in_cycle(QuotaNodeId node) const {
  QuotaNodeId behind = node;  // at half the speed: in a circle it is met again
  for (bool moves = false; parent(node).valid(); moves = !moves) {
    node = parent(node);
    if (node == behind) return true;
    if (moves) behind = parent(behind);
  }
  return false;
}

QuotaNodeId QuotaTree::root(QuotaNodeId node) const {
  REQUIRES_SLOW(!is_in_cycle(node));
  while (parent(node).valid()) node = parent(node);
  return node;
}

std::vector<QuotaNodeId> QuotaTree::nodes() const {
  std::vector<QuotaNodeId> all;
  all.reserve(by_name_.size());
  for (const auto& [name, node] : by_name_) all.push_back(node);
  std::ranges::sort(all, [this](QuotaNodeId a, QuotaNodeId b) { return stands_before(a, b); });
  return all;
}

QuotaColumnId QuotaTree::column(QuotaColumn column) {
  const auto [at, is_new] =
      column_of_.emplace(key(column.flavor.value, column.resource.value), QuotaColumnId(columns_.size()));
  if (is_new) columns_.push_back(column);
  return at->second;
}

QuotaCellId QuotaTree::cell(QuotaNodeId node, QuotaColumnId column) {
  const auto [at, is_new] = cell_of_.emplace(key(node.value, column.value), QuotaCellId(cells_.size()));
  if (!is_new) return at->second;
  if (unused_cells_.empty()) {
    cells_.emplace_back();
    used_.push_back(0);
  } else {
    at->second = unused_cells_.back();
    unused_cells_.pop_back();
  }
  cells_[at->second.index()] = {node, column};
  nodes_[node.index()].cells.push_back(at->second);
  return at->second;
}

QuotaCellId QuotaTree::find_cell(QuotaNodeId node, QuotaColumnId column) const {
  constexpr std::size_t kFew = 8;
  if (node.index() >= nodes_.size()) return {};
  const std::vector<QuotaCellId>& there = nodes_[node.index()].cells;
  if (there.size() <= kFew) {
    const auto at = std::ranges::find(there, column, [this](QuotaCellId cell) { return column_of(cell); });
    return at == there.end() ? QuotaCellId{} : *at;
  }
  const auto found = cell_of_.find(key(node.value, column.value));
  return found == cell_of_.end() ? QuotaCellId{} : found->second;
}

void QuotaTree::roll_back() {
  undo_.roll_back([this](const Used& step) { used_[step.cell.index()] = step.before; });
}

}  // namespace loadline::cluster
