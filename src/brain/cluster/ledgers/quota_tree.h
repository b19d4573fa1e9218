#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/ledger.h"
#include "brain/cluster/ledgers/undo_log.h"
#include "foundation/base/id.h"
#include "foundation/base/symbol.h"

namespace loadline::cluster {

using QuotaNodeId = Id<struct QuotaNodeTag>;
using QuotaColumnId = Id<struct QuotaColumnTag>;
using QuotaCellId = Id<struct QuotaCellTag>;

/// Names are unique among nodes of one kind: a Cohort may be called like a ClusterQueue.
enum class QuotaNodeKind : std::uint8_t {
  kGroup,  ///< holds other nodes: a Cohort
  kQueue,  ///< workloads stand in it: a ClusterQueue
};

/// What is counted: a resource, of one flavor where quota tells flavors apart.
struct QuotaColumn {
  Symbol flavor;  ///< the empty text: of all flavors
  Symbol resource;
  friend bool operator==(const QuotaColumn&, const QuotaColumn&) = default;
};

/// Who shares quota with whom, and what each uses of it: names, parents, usage and undo. Limits, shares, and how usage
/// of a node counts at its parent are its dialect's, which writes what comes of them here, cell by cell: a cell is one
/// column at one node.
///
/// Nodes, parents and names change only between transactions; usage is what a transaction undoes. Ids of nodes and
/// cells that are gone are used again. It is attached to a cluster (Cluster::attach()), or stands alone: begin() and
/// its like are then called by the one who tries something.
class QuotaTree final : public Ledger {
 public:
  /// Of names, flavors and resources.
  [[nodiscard]] SymbolTable& symbols() { return symbols_; }
  [[nodiscard]] const SymbolTable& symbols() const { return symbols_; }

  // ---- nodes: REQUIRES, of what changes them: no transaction is open -----------------------------------------------
  /// A root without children. REQUIRES: there is none of that kind and name.
  QuotaNodeId add(QuotaNodeKind kind, std::string_view name);
  /// Forgets the node, and what was used at it. REQUIRES: it has no children.
  void remove(QuotaNodeId node);
  /// Invalid: it is a root. Usage stays as it is: what it comes to at old and new parents is the dialect's to write.
  /// Parents may form a circle, which is_in_cycle() then tells. REQUIRES: the parent is a group. O(siblings).
  void set_parent(QuotaNodeId node, QuotaNodeId parent);

  /// Invalid: there is none. O(log nodes).
  [[nodiscard]] QuotaNodeId find(QuotaNodeKind kind, std::string_view name) const;
  [[nodiscard]] QuotaNodeKind kind(QuotaNodeId node) const { return nodes_[node.index()].kind; }
  [[nodiscard]] std::string_view name(QuotaNodeId node) const { return symbols_.text(nodes_[node.index()].name); }
  /// Invalid: it is a root.
  [[nodiscard]] QuotaNodeId parent(QuotaNodeId node) const { return nodes_[node.index()].parent; }
  /// Groups first, then queues, each by name, so that who walks them does so in an order that no history changes.
  [[nodiscard]] std::span<const QuotaNodeId> children(QuotaNodeId node) const { return nodes_[node.index()].children; }
  /// Whether the way up never ends. O(height).
  [[nodiscard]] bool is_in_cycle(QuotaNodeId node) const;
  /// REQUIRES: !is_in_cycle(node). O(height).
  [[nodiscard]] QuotaNodeId root(QuotaNodeId node) const;
  /// All, in the order of children().
  [[nodiscard]] std::vector<QuotaNodeId> nodes() const;
  /// Of ids that were given out: they are below it.
  [[nodiscard]] std::size_t node_bound() const { return nodes_.size(); }

  // ---- cells -------------------------------------------------------------------------------------------------------
  QuotaColumnId column(QuotaColumn column);
  [[nodiscard]] const QuotaColumn& column(QuotaColumnId column) const { return columns_[column.index()]; }
  /// Makes the cell if there is none, which uses nothing then. A roll back leaves it.
  QuotaCellId cell(QuotaNodeId node, QuotaColumnId column);
  /// Invalid: there is none.
  [[nodiscard]] QuotaCellId find_cell(QuotaNodeId node, QuotaColumnId column) const;
  /// Of the node, in the order in which they were made.
  [[nodiscard]] std::span<const QuotaCellId> cells(QuotaNodeId node) const { return nodes_[node.index()].cells; }
  [[nodiscard]] QuotaNodeId node_of(QuotaCellId cell) const { return cells_[cell.index()].node; }
  [[nodiscard]] QuotaColumnId column_of(QuotaCellId cell) const { return cells_[cell.index()].column; }
  [[nodiscard]] std::size_t cell_bound() const { return cells_.size(); }

  // ---- usage: what a transaction undoes ----------------------------------------------------------------------------
  /// In the unit of the column's dialect. Of a group: what counts at it, by its dialect.
  [[nodiscard]] std::int64_t used(QuotaCellId cell) const { return used_[cell.index()]; }
  void set_used(QuotaCellId cell, std::int64_t amount) {
    undo_.record({cell, used(cell)});
    used_[cell.index()] = amount;
  }

  void begin() override { undo_.begin(); }
  void keep() override { undo_.keep(); }
  void roll_back() override;
  void end() override { undo_.end(); }

 private:
  struct Node {
    QuotaNodeKind kind = QuotaNodeKind::kGroup;
    Symbol name;  // invalid: the id is not in use
    QuotaNodeId parent;
    std::vector<QuotaNodeId> children;
    std::vector<QuotaCellId> cells;
  };
  struct Cell {
    QuotaNodeId node;
    QuotaColumnId column;
  };
  struct Used {
    QuotaCellId cell;
    std::int64_t before;
  };

  [[nodiscard]] bool stands_before(QuotaNodeId a, QuotaNodeId b) const;
  [[nodiscard]] static std::uint64_t key(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
  }

  SymbolTable symbols_;
  std::vector<Node> nodes_;
  std::vector<QuotaNodeId> unused_nodes_;
  std::map<std::pair<QuotaNodeKind, Symbol>, QuotaNodeId> by_name_;
  std::vector<QuotaColumn> columns_;
  std::unordered_map<std::uint64_t, QuotaColumnId> column_of_;
  std::vector<Cell> cells_;
  std::vector<std::int64_t> used_;  // by cell
  std::vector<QuotaCellId> unused_cells_;
  std::unordered_map<std::uint64_t, QuotaCellId> cell_of_;  // by node and column
  UndoLog<Used> undo_;
};

}  // namespace loadline::cluster
