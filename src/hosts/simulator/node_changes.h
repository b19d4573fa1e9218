#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

// What people do to nodes, each as a function on the objects. Errors are sentences that name what is wrong; the objects
// may then be half changed. NODES is what choose_nodes() reads.

/// `count` more nodes like the one named: the same labels, taints, resources and CSI drivers under the names
/// NODE-added-1, NODE-added-2, …, each with a hostname of its own, none of them cordoned or troubled (no taints of
/// node.kubernetes.io/). Returns their names. Errors: no such node; a count outside 1 .. 10,000.
Result<std::vector<std::string>> add_nodes_like(kube::Objects& objects, std::size_t count, std::string_view like);

enum class Cordon { kOn, kOff };
/// As kubectl cordon and uncordon: unschedulable, and the taint that the node lifecycle controller keeps with it.
Result<std::vector<std::size_t>> cordon(kube::Objects& objects, std::string_view nodes, Cordon wish);

/// As kubectl taint --overwrite: "key=value:Effect" or "key:Effect" puts a taint, "key:Effect-" removes it, "key-"
/// removes those of every effect. Errors: not of that form; an unknown effect; no chosen node has what is to be
/// removed.
Result<std::vector<std::size_t>> taint_nodes(kube::Objects& objects, std::string_view nodes, std::string_view taint);

/// As kubectl label --overwrite: "key=value" puts a label, "key-" removes it. Errors: not of that form; no chosen node
/// has what is to be removed.
Result<std::vector<std::size_t>> label_nodes(kube::Objects& objects, std::string_view nodes, std::string_view label);

}  // namespace loadline::simulator
