#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "brain/cluster/ids.h"
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

}  // namespace loadline::cluster
