#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "objects/kube/core/node.h"

namespace loadline::simulator {

/// The nodes that a text means, as indices in their order, each once and at least one:
///   - a list of names and of globs with * and ?, separated by commas: "l4-a,l4-b", "l4-*"
///   - a label selector as of kubectl -l, if it has a "=", a "!" or an " in " or " notin ": "pool=gpu,!spot"
/// Errors: a name that no node has (with the nearest that one has), a glob or selector that none matches, a selector
/// that cannot be read. O(nodes × parts).
Result<std::vector<std::size_t>> choose_nodes(std::string_view text, const std::vector<kube::Node>& nodes);

}  // namespace loadline::simulator
