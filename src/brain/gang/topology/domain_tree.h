#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/cluster.h"

namespace loadline::gang {

/// A place of a domain in DomainTree::domains().
using DomainIndex = std::size_t;

/// A part of the cluster whose nodes are near each other.
struct Domain {
  std::string name;        ///< the value of its label, or the name of its HyperNode; empty: the whole cluster
  std::size_t level = 0;   ///< 0: the whole cluster; the narrower, the larger
  DomainIndex parent = 0;  ///< of a broader level; the whole cluster is its own
  DomainIndex end = 0;     ///< those inside it are the domains between it and this one
  std::size_t first_node = 0, end_node = 0;  ///< its nodes, those of the domains inside it last: in DomainTree::nodes()
};

/// How the nodes of a cluster lie within each other. Level 0 is the whole cluster; a domain lies in one of a broader
/// level, which need not be the next one. A node is in one narrowest domain, and in all that this one lies in.
///
/// Domains stand in depth-first order, those of one parent in order of their names, so that what is inside a domain is
/// a range, and so are its nodes: sums over domains are differences of sums over nodes.
class DomainTree {
 public:
  struct Level {
    std::string name;   ///< a label, or a tier
    std::string alias;  ///< may be empty
    friend bool operator==(const Level&, const Level&) = default;
  };
  /// What is wrong with the description, and what is done about it.
  struct Fault {
    std::string hyper_node;  ///< whose members are wrong
    std::string sentence;
    friend bool operator==(const Fault&, const Fault&) = default;
  };
  static constexpr DomainIndex kWholeCluster = 0;

  [[nodiscard]] const std::vector<Level>& levels() const { return levels_; }  ///< the first is the whole cluster
  [[nodiscard]] const std::vector<Domain>& domains() const { return domains_; }
  [[nodiscard]] const Domain& at(DomainIndex domain) const { return domains_[domain]; }
  [[nodiscard]] std::span<const cluster::NodeId> nodes() const { return nodes_; }
  [[nodiscard]] std::span<const cluster::NodeId> nodes_of(DomainIndex domain) const {
    return nodes().subspan(at(domain).first_node, at(domain).end_node - at(domain).first_node);
  }
  /// Nodes that are in the domain, and in none inside it.
  [[nodiscard]] std::span<const cluster::NodeId> own_nodes_of(DomainIndex domain) const;
  /// The domains of which it is the parent.
  [[nodiscard]] std::vector<DomainIndex> children_of(DomainIndex domain) const;
  /// The narrowest domain that the node is in. REQUIRES: the node was there when the tree was built.
  [[nodiscard]] DomainIndex domain_of(cluster::NodeId node) const { return domain_of_[node.index()]; }
  /// The domain itself or one that it lies in, of a level that is not narrower.
  [[nodiscard]] DomainIndex at_level(DomainIndex domain, std::size_t level) const;
  /// The narrowest that both lie in.
  [[nodiscard]] DomainIndex common(DomainIndex a, DomainIndex b) const;
  [[nodiscard]] bool contains(DomainIndex outer, DomainIndex inner) const {
    return outer <= inner && inner < at(outer).end;
  }
  /// Domains of the level, and those of narrower levels that lie in none of it.
  [[nodiscard]] std::vector<DomainIndex> domains_of(std::size_t level) const;
  /// "block-1/rack-7": names from the broadest level down; "the cluster".
  [[nodiscard]] std::string path(DomainIndex domain) const;
  /// The level with this name or alias.
  [[nodiscard]] std::optional<std::size_t> find_level(std::string_view name) const;
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }

 private:
  friend class DomainTreeBuilder;

  std::vector<Level> levels_;
  std::vector<Domain> domains_;
  std::vector<cluster::NodeId> nodes_;
  std::vector<DomainIndex> domain_of_;  // by node
  std::vector<Fault> faults_;
};

/// Makes a DomainTree of domains that are named one by one.
class DomainTreeBuilder {
 public:
  /// `levels` without the whole cluster, the broadest first.
  explicit DomainTreeBuilder(std::vector<DomainTree::Level> levels);

  /// The domain of that name inside the parent; the same for the same arguments.
  std::size_t domain(std::size_t parent, std::size_t level, std::string_view name);
  void put(cluster::NodeId node, std::size_t domain) { drafts_[domain].nodes.push_back(node); }
  void fault(DomainTree::Fault fault) { faults_.push_back(std::move(fault)); }
  /// O(domains + nodes). `node_slots`: Cluster::node_slots().
  DomainTree build(std::size_t node_slots) &&;

 private:
  struct Draft {
    std::string name;
    std::size_t level = 0;
    std::map<std::string, std::size_t, std::less<>> children;
    std::vector<cluster::NodeId> nodes;
  };
  void emit(std::size_t draft, DomainIndex parent, DomainTree& tree) const;

  std::vector<DomainTree::Level> levels_;
  std::vector<Draft> drafts_;
  std::vector<DomainTree::Fault> faults_;
};

}  // namespace loadline::gang
