#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "brain/placement/cycle.h"
#include "brain/placement/preemption.h"

namespace loadline::placement {

/// How many nodes gave one reason.
struct ReasonCount {
  std::size_t nodes = 0;
  std::string_view plugin;
  std::string text;
};

/// The reasons of a failed attempt, most nodes first, then by text. A pod refused as a whole has one, for all nodes.
std::vector<ReasonCount> count_reasons(const Attempt& attempt, const RejectionTable& rejections, std::size_t nodes);

/// The message of the PodScheduled=False condition: "0/3 nodes are available: 1 Insufficient cpu, 2 …. preemption: …".
/// Word for word FitError.Error() of v1.36; `post_filter` is what the PostFilter plugins said, empty if one helped.
std::string fit_error(const Attempt& attempt, const RejectionTable& rejections, std::size_t nodes,
                      const std::string& post_filter);

/// What DefaultPreemption says at PostFilter; empty if it found victims.
std::string preemption_message(const Preemption& preemption, const RejectionTable& rejections, std::size_t nodes);

}  // namespace loadline::placement
