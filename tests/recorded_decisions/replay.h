#pragma once

#include <cstddef>
#include <vector>

#include "foundation/base/result.h"
#include "recorded_decisions/divergence.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

struct Replay {
  std::size_t attempts = 0;
  std::size_t group_turns = 0;  ///< that were compared from end to end: see compare_group_turn()
  std::vector<Divergence> divergences;
};

/// Walks the recorded attempts in order. Before each, the cluster is as the real scheduler saw it. Two decisions are
/// asked of one scheduler, which lives as long as the case: first the ordinary one, as a host asks for it, then the
/// full one (feasible set, reasons, every plugin's score, best nodes, message, preemption candidates). Both are
/// compared with the recording and with each other; then the recorded decision is applied, so that a tie broken the
/// other way never makes the runs drift apart. What the cluster keeps incrementally is compared with its recomputation:
/// at the end, and after each attempt if the cluster is small. Errors: the case contradicts itself (an unknown pod or
/// node), or its configuration does.
Result<Replay> replay(const RecordedCase& recorded);

}  // namespace loadline::recorded_decisions
