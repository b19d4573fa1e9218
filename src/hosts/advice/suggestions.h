#pragma once

#include <vector>

#include "hosts/advice/explain.h"
#include "hosts/advice/suggestion.h"
#include "hosts/advice/untried_remedy.h"

namespace loadline::advice {

/// Tries the candidates, the cheapest first, until a handful work. Those of a subject that never reached the cluster
/// cannot be probed, so the plan is made anew for them whatever `trying` says.
std::vector<Suggestion> suggest(simulator::Planning& planning, std::size_t subject, const Target& target,
                                const std::vector<UntriedRemedy>& candidates, Trying trying);

}  // namespace loadline::advice
