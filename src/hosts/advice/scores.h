#pragma once

#include <cstddef>

#include "brain/cluster/cluster.h"
#include "brain/placement/cycle.h"
#include "hosts/advice/explanation.h"

namespace loadline::advice {

/// The foremost nodes of an attempt that was made with Detail::kFull and found at least one, at most `most` of them.
ScoreTable score_table(const placement::Attempt& attempt, const cluster::Cluster& cluster, std::size_t most);

}  // namespace loadline::advice
