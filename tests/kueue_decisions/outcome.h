#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "brain/queue/kueue/kueue_scheduler.h"
#include "foundation/document/value.h"

namespace loadline::kueue_decisions {

/// What a cycle decided, in words that can be compared: the real one's as the trace has it, or ours in the same form.
struct Outcome {
  using ByQueue = std::map<std::string, std::vector<std::string>>;  ///< workloads, sorted
  std::vector<std::string> events;                                  ///< "namespace/name Reason: message", sorted
  std::map<std::string, std::string> admitted;                      ///< by workload, its pod sets
  ByQueue ready;
  ByQueue waiting;
  /// Of ours, who waits for a time or a word: upstream's queues know some of these workloads, and some not.
  std::set<std::string> backing_off;
};

/// Of the trace.
Outcome outcome_of(const document::Value& cycle);
/// Of ours, right after the round.
Outcome outcome_of(const queue::kueue::KueueScheduler& scheduler, const queue::kueue::Round& round);

/// How what is told of one part of an outcome differs.
struct Difference {
  std::string what;
  std::string expected;
  std::string actual;
};

std::vector<Difference> differences(Outcome real, Outcome ours);

}  // namespace loadline::kueue_decisions
