#pragma once

#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/core/node.h"
#include "objects/kube/decoder.h"

namespace loadline::kube {

/// The nodes that kind makes of a `kind.x-k8s.io/v1alpha4` Cluster: named, labelled and tainted as kind does.
/// REQUIRES: `cluster` is an object.
///
/// kind's nodes are containers that all report the whole host. Here each has 8 CPUs, 32Gi of memory, 110 pods and 100Gi
/// of ephemeral storage, unless its labels say otherwise: `loadline.dev/capacity.<resource>: "<quantity>"`, with `__`
/// for a `/` in the resource (`loadline.dev/capacity.nvidia.com__gpu: "8"`). Labels, because they are the one free
/// place in kind's format, so that the file stays valid for kind itself. They become the node's capacity, and do not
/// stay labels.
std::vector<Node> read_kind_cluster(Decoder& decoder, const document::Value& cluster);

/// True for a Cluster of any version of kind's format.
bool is_kind_cluster(const document::Value& document);

/// kind takes numbers and words for labels, and for what else maps names to texts, as they are written: `zone: 1.30` is
/// "1.30", and nothing is "". `texts` is the same document with every scalar read as text.
/// REQUIRES: `cluster` is an object.
document::Value with_texts_as_written(const document::Value& cluster, const document::Value& texts);

}  // namespace loadline::kube
