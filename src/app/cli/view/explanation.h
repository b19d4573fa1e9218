#pragma once

#include "app/cli/terminal/terminal.h"
#include "app/cli/view/sections.h"
#include "hosts/advice/explanation.h"

namespace loadline::cli {

/// One line: which pod it is, what became of it; then what it asks for.
Lines standing_section(const advice::Explanation& explanation, const Terminal& terminal);

/// What became of the pod group that the pod belongs to, and what that lacks. Empty if it belongs to none.
Lines pod_group_section(const advice::Explanation& explanation, const Terminal& terminal);

/// Why no node will do, nodes with the same reasons on one line; or Kubernetes' message where no node was looked at.
Lines obstacles_section(const advice::Explanation& explanation, const Terminal& terminal);

/// How the nodes that would do were ranked. Empty for a pod without a node.
Lines scores_section(const advice::Explanation& explanation, const Terminal& terminal);

/// What would help, the cheapest first, with what to type. Empty for a pod that has a node.
Lines suggestions_section(const advice::Explanation& explanation, const Terminal& terminal);

}  // namespace loadline::cli
