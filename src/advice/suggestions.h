#pragma once

#include <vector>

#include "advice/candidate.h"
#include "advice/explain.h"
#include "advice/suggestion.h"

namespace loadline::advice {

/// Tries the candidates, the cheapest first, until a handful work. REQUIRES: of a subject that never reached the
/// cluster none can be probed, so they are rehearsed whatever `trying` says.
std::vector<Suggestion> suggest(simulator::Planning& planning, std::size_t subject, const Target& target,
                                const std::vector<Candidate>& candidates, Trying trying);

}  // namespace loadline::advice
