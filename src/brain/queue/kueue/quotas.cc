#include "brain/queue/kueue/quotas.h"

#include <algorithm>
#include <string_view>

#include "foundation/base/contract.h"

namespace loadline::queue::kueue {

Quotas::NodeQuota& Quotas::grown(QuotaNodeId node) {
  if (nodes_.size() <= node.index()) nodes_.resize(tree_.node_bound());
  return nodes_[node.index()];
}

Quotas::CellQuota& Quotas::cell_of(QuotaNodeId node, QuotaColumnId column) {
  const QuotaCellId cell = tree_.cell(node, column);
  if (cells_.size() <= cell.index()) cells_.resize(tree_.cell_bound());
  return cells_[cell.index()];
}

bool Quotas::set_limits(QuotaNodeId node, const Limits& limits) {
  grown(node);
  bool is_other = false;
  for (const QuotaCellId cell : tree_.cells(node)) {
    CellQuota& quota = cell_of(node, tree_.column_of(cell));
    const bool stays = std::ranges::any_of(limits, [&](const auto& it) { return it.first == tree_.column_of(cell); });
    if (!quota.is_limited || stays) continue;
    is_other = true;
    quota.limits = {};
    quota.is_limited = false;
  }
  for (const auto& [column, each] : limits) {
    CellQuota& quota = cell_of(node, column);
    is_other = is_other || !quota.is_limited || quota.limits != each;
    quota.limits = each;
    quota.is_limited = true;
  }
  return is_other;
}

void Quotas::set_weight(QuotaNodeId node, double weight) { grown(node).weight = weight; }

void Quotas::set_active(QuotaNodeId queue, bool is_active) { grown(queue).is_active = is_active; }

QuotaCellId Quotas::cell(QuotaNodeId node, QuotaColumnId column) {
  QuotaCellId cell = tree_.find_cell(node, column);
  if (cell.valid()) return cell;
  cell_of(node, column) = {};
  refresh(node);
  return tree_.find_cell(node, column);
}

void Quotas::forget(QuotaNodeId node) {
  for (const QuotaCellId cell : tree_.cells(node)) cell_of(node, tree_.column_of(cell)) = {};
  grown(node) = {};
}

void Quotas::refresh(QuotaNodeId node) {
  if (tree_.is_in_cycle(node)) return;
  const QuotaNodeId root = tree_.root(node);
  link(root);
  accumulate(root);
  for (const QuotaCellId cell : tree_.cells(root)) cell_of(root, tree_.column_of(cell)).parent = {};
  Potentials potentials;
  for (const QuotaCellId cell : of(root).declared) potentials.emplace_back(tree_.column_of(cell), subtree(cell));
  spread(root, std::move(potentials));
}

/// Whatever is counted below a node is counted at it.
void Quotas::link(QuotaNodeId node) {
  grown(node);
  for (const QuotaNodeId child : tree_.children(node)) {
    link(child);
    for (const QuotaCellId cell : tree_.cells(child)) {
      cell_of(node, tree_.column_of(cell));
      cell_of(child, tree_.column_of(cell)).parent = tree_.cell(node, tree_.column_of(cell));
    }
  }
  for (const QuotaCellId cell : tree_.cells(node)) cell_of(node, tree_.column_of(cell));
}

void Quotas::accumulate(QuotaNodeId node) {
  const bool is_group = tree_.kind(node) == cluster::QuotaNodeKind::kGroup;
  for (const QuotaCellId cell : tree_.cells(node)) {
    CellQuota& quota = cells_[cell.index()];
    quota.subtree = quota.limits.nominal;
    quota.is_declared = quota.is_limited;
    if (is_group) tree_.set_used(cell, 0);
  }
  NodeQuota& it = nodes_[node.index()];
  it.height = 0;
  for (const QuotaNodeId child : tree_.children(node)) {
    accumulate(child);
    const bool is_child_group = tree_.kind(child) == cluster::QuotaNodeKind::kGroup;
    if (is_child_group || is_active(child)) it.height = std::max(it.height, 1 + (is_child_group ? height(child) : 0));
    for (const QuotaCellId cell : tree_.cells(child)) {
      CellQuota& above = cells_[parent(cell).index()];
      above.subtree = above.subtree + (subtree(cell) - local(cell));
      above.is_declared = above.is_declared || at(cell).is_declared;
      const Amount counts = at_least_nothing(used(cell) - local(cell));
      tree_.set_used(parent(cell), (used(parent(cell)) + counts).value());
    }
  }
  for (const QuotaCellId cell : tree_.cells(node)) {
    CellQuota& quota = cells_[cell.index()];
    quota.local = quota.limits.lending ? at_least_nothing(quota.subtree - *quota.limits.lending) : Amount();
  }
  sort_declared(node);
}

void Quotas::sort_declared(QuotaNodeId node) {
  std::vector<QuotaCellId>& declared = nodes_[node.index()].declared;
  declared.clear();
  for (const QuotaCellId cell : tree_.cells(node)) {
    if (at(cell).is_declared) declared.push_back(cell);
  }
  std::ranges::sort(declared, {}, [this](QuotaCellId cell) {
    const cluster::QuotaColumn& column = tree_.column(tree_.column_of(cell));
    return std::pair(tree_.symbols().text(column.resource), tree_.symbols().text(column.flavor));
  });
}

/// `potentials`: of the parent, by all columns that are declared at the root.
void Quotas::spread(QuotaNodeId node, Potentials potentials) {
  for (const QuotaCellId cell : tree_.cells(node)) {
    CellQuota& quota = cells_[cell.index()];
    quota.potential = quota.subtree;
    if (!quota.parent.valid()) continue;
    quota.potential = quota.local + potential(quota.parent);
    if (quota.limits.borrowing) quota.potential = std::min(quota.subtree + *quota.limits.borrowing, quota.potential);
  }
  if (tree_.kind(node) == cluster::QuotaNodeKind::kQueue) return;
  std::vector<std::pair<Symbol, Amount>>& lendable = nodes_[node.index()].lendable;
  lendable.clear();
  for (auto& [column, most] : potentials) {
    const QuotaCellId cell = tree_.find_cell(node, column);
    if (cell.valid()) most = potential(cell);
    const Symbol resource = tree_.column(column).resource;
    if (lendable.empty() || lendable.back().first != resource) lendable.emplace_back(resource, Amount());
    lendable.back().second = lendable.back().second + most;
  }
  for (const QuotaNodeId child : tree_.children(node)) spread(child, potentials);
}

Amount Quotas::lendable(QuotaNodeId node, Symbol resource) const {
  for (const auto& [name, amount] : of(node).lendable) {
    if (name == resource) return amount;
  }
  return {};
}

Amount Quotas::available(QuotaCellId cell) const {
  const CellQuota& quota = at(cell);
  if (!quota.parent.valid()) return quota.subtree - used(cell);
  Amount from_parent = available(quota.parent);
  if (quota.limits.borrowing) {
    const Amount stored = quota.subtree - quota.local;
    const Amount used_of_it = at_least_nothing(used(cell) - quota.local);
    from_parent = std::min(stored - used_of_it + *quota.limits.borrowing, from_parent);
  }
  return local_available(cell) + from_parent;
}

FittingSubtree Quotas::lowest_subtree(QuotaCellId cell, Amount more) const {
  QuotaCellId above = parent(cell);
  if (!borrows_with(cell, more) || !above.valid()) return {0, above.valid()};
  Amount rest = more - local_available(cell);
  for (;; above = parent(above)) {
    if (!borrows_with(above, rest)) return {height(tree_.node_of(above)), parent(above).valid()};
    if (!parent(above).valid()) return {height(tree_.node_of(above)), false};
    rest = rest - local_available(above);
  }
}

void Quotas::add(QuotaCellId cell, Amount more) {
  for (; cell.valid(); cell = parent(cell)) {
    const Amount stays = local_available(cell);
    tree_.set_used(cell, (used(cell) + more).value());
    if (more <= stays) return;
    more = more - stays;
  }
}

void Quotas::remove(QuotaCellId cell, Amount less) {
  for (; cell.valid(); cell = parent(cell)) {
    const Amount above = used(cell) - local(cell);
    tree_.set_used(cell, (used(cell) - less).value());
    if (above <= Amount()) return;
    less = std::min(less, above);
  }
}

}  // namespace loadline::queue::kueue
