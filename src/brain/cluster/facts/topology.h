#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/node_table.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/cluster/unused_ids.h"
#include "foundation/base/contract.h"

namespace loadline::cluster {

/// The topology key whose domains are the nodes themselves, whatever their labels say.
inline constexpr TopologyKeyId kEachNode{0};

/// Nodes by their value of one label. A domain is there as long as a node is in it; the id of one that is gone is given
/// to the next new one.
struct TopologyKey {
  Symbol key;
  std::vector<DomainId> domain_of;   ///< by node; invalid where the node lacks the key
  std::vector<Symbol> values;        ///< by domain
  std::vector<std::uint32_t> nodes;  ///< by domain; 0: there is no such domain at present
  std::unordered_map<Symbol, DomainId> domains;
  std::size_t members = 0;    ///< nodes that have the key
  std::size_t inhabited = 0;  ///< domains with nodes
  DomainId empty;             ///< the domain of the empty text; invalid: no node has that value

  [[nodiscard]] bool one_node_each() const { return members == inhabited; }

  /// Whether the node is in some domain.
  [[nodiscard]] bool has(NodeId node) const {
    return node.index() < domain_of.size() && domain_of[node.index()].valid();
  }
  /// The node has the value; an invalid one: it lacks the key. REQUIRES: it is in no domain.
  void enter(NodeId node, Symbol value) {
    REQUIRES(!has(node));
    forget(node);
    if (!value.valid()) return;
    const auto [known, fresh] = domains.try_emplace(value);
    if (fresh) known->second = unused_.take(values.size());
    settle(node, known->second, value);
    if (value.index() == 0) empty = known->second;  // symbol 0 is the empty text
  }
  /// The same for kEachNode: the node is a domain of the same number.
  void enter_itself(NodeId node, Symbol name) {
    REQUIRES(!has(node));
    forget(node);
    settle(node, DomainId{node.index()}, name);
  }
  void leave(NodeId node) {
    const DomainId domain = domain_of[node.index()];
    if (!domain.valid()) return;
    domain_of[node.index()] = DomainId{};
    --members;
    if (--nodes[domain.index()] > 0) return;
    --inhabited;
    if (domains.erase(values[domain.index()]) > 0) unused_.give_back(domain);
    if (domain == empty) empty = DomainId{};
  }

 private:
  void forget(NodeId node) {
    if (domain_of.size() <= node.index()) domain_of.resize(node.index() + 1);
    domain_of[node.index()] = DomainId{};
  }
  void settle(NodeId node, DomainId domain, Symbol value) {
    if (values.size() <= domain.index()) {
      values.resize(domain.index() + 1);
      nodes.resize(domain.index() + 1);
    }
    values[domain.index()] = value;
    if (nodes[domain.index()]++ == 0) ++inhabited;
    domain_of[node.index()] = domain;
    ++members;
  }

  UnusedIds<DomainId> unused_;
};

/// Which nodes a spread constraint looks at: those with all the keys and, if so ruled, those the pod may go to.
struct NodeFilter {
  std::vector<TopologyKeyId> required_keys;
  std::optional<NodeAffinityRule> affinity;
  std::optional<std::vector<CompiledToleration>> tolerations;
  friend auto operator<=>(const NodeFilter&, const NodeFilter&) = default;
};

/// Where nodes are: in which domains of the topology keys that were interned, and which filters they pass.
class Topology {
 public:
  /// Both outlive it.
  Topology(const NodeTable& nodes, SymbolTable& symbols);

  TopologyKeyId intern(Symbol label);
  NodeFilterId intern(const NodeFilter& filter);

  [[nodiscard]] const TopologyKey& key(TopologyKeyId id) const {
    REQUIRES_SLOW(id.index() < keys_.size());
    return keys_[id.index()];
  }
  /// The nodes that pass the filter.
  [[nodiscard]] const NodeSet& nodes(NodeFilterId id) const {
    REQUIRES_SLOW(id.index() < filters_.size());
    return filters_[id.index()].nodes;
  }
  [[nodiscard]] std::size_t filters() const { return filters_.size(); }

  /// Whether, with these facts, the node would be in another domain, or pass other filters.
  [[nodiscard]] bool moves(NodeId id, const NodeFacts& facts) const;
  /// The node comes where its facts say it is. Returns whether some key has more domains than before.
  bool join(NodeId id);
  /// The node is nowhere any more.
  void leave(NodeId id);

  /// What of a topology key decides how counts tell nodes apart.
  struct KeyForm {
    bool one_node_each = false;
    DomainId empty;
    friend bool operator==(const KeyForm&, const KeyForm&) = default;
  };
  /// By topology key.
  [[nodiscard]] std::vector<KeyForm> forms() const;

  /// Forgets the filters that are not `in_use`, by NodeFilterId.
  void reclaim_filters(const std::vector<bool>& in_use);

 private:
  struct FilteredNodes {
    NodeFilter filter;
    NodeSet nodes;
    bool used = true;
  };

  bool enter(TopologyKeyId id, NodeId node);
  void pass(FilteredNodes& filtered, NodeId node);
  [[nodiscard]] bool passes(const NodeFilter& filter, const NodeFacts& facts) const;

  const NodeTable& nodes_;
  const SymbolTable& symbols_;
  std::vector<TopologyKey> keys_;
  std::map<Symbol, TopologyKeyId> key_ids_;
  std::vector<FilteredNodes> filters_;
  std::map<NodeFilter, NodeFilterId> filter_ids_;
  UnusedIds<NodeFilterId> unused_filters_;
};

}  // namespace loadline::cluster
