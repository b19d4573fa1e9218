#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "brain/capacity/node_template.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {

struct NodeGeneration {
  std::vector<capacity::NodeTemplate> templates;
  std::vector<kube::Node> there;  ///< their names are taken, and templates may be like them
  std::size_t zones = 1;          ///< nodes are dealt out to them in turn
  std::string region = "virtual-1";
  std::string kubelet_version = "v1.36.2";
  Instant now;
};

/// The nodes of the templates (capacity::make_nodes) as documents, ready to be created: with what a virtual machine's
/// kubelet adds, which is a range of addresses for pods, and a status that says that they are ready. One that is like a
/// node is as slow and as flaky, but neither dead nor being taken away. Errors: no node of the name to be like.
Result<std::vector<document::Value>> generate_nodes(const NodeGeneration& generation);

/// A Node of a manifest or of a kind Cluster, made virtual: marked as such, and with what is missing of range and
/// status. `index` tells apart the nodes of one cluster.
document::Value make_virtual(document::Value node, std::size_t index, const std::string& kubelet_version, Instant now);

}  // namespace loadline::kubelet
