#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/capacity/node_template.h"
#include "foundation/base/result.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

// What people do to nodes, each as a function on the objects. Errors are sentences that name what is wrong; the objects
// may then be half changed. NODES is what choose_nodes() reads.

/// More nodes, as capacity::make_nodes makes them; those that are like a node have its CSI drivers, too, and those of a
/// shape are dealt out to the zones that there are. Returns their names. Errors: no node of the name to be like; a
/// count outside 1 .. 10,000.
Result<std::vector<std::string>> add_nodes(kube::Objects& objects, std::span<const capacity::NodeTemplate> templates);

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
