#pragma once

#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/ids.h"
#include "brain/cluster/shapes/shape.h"
#include "objects/kube/core/node.h"

namespace loadline::cluster {

/// The side of a node that placements do not change.
struct NodeFacts {
  Symbol name;  ///< invalid: there is no such node
  LabelSet labels;
  std::vector<CompiledTaint> taints;
  bool unschedulable = false;
  std::vector<Symbol> images;  ///< names, sorted
  std::vector<Symbol> declared_features;
  Symbol zone;  ///< region and zone joined, for the scan order; empty text if neither is known
};

NodeFacts compile_facts(const kube::Node& node, SymbolTable& symbols);

/// What of a node a decision can read, and whether it differs. Conditions and capacity are none of it.
struct NodeDifference {
  bool labels = false;
  bool annotations = false;  ///< read by scoring plugins that are not built in
  bool taints = false;
  bool allocatable = false;
  bool images = false;
  bool others = false;  ///< unschedulable, declared features

  [[nodiscard]] bool in_facts() const { return labels || taints || images || others; }
  [[nodiscard]] bool any() const { return in_facts() || annotations || allocatable; }
};
NodeDifference difference(const kube::Node& before, const kube::Node& after);

}  // namespace loadline::cluster
