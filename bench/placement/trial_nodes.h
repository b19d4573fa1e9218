#pragma once

#include <cstddef>
#include <string>

#include "bench/placement/workload.h"

namespace loadline::bench {

/// One pod placed in a transaction that is rolled back: on the nodes there are, and with a node that is added in the
/// transaction. Medians of rounds that take turns, in seconds; each counts the rollback.
struct TrialNodeRow {
  std::string workload;
  std::size_t nodes = 0;
  double without_s = 0;
  double with_node_s = 0;
};

/// The first measured pod of the workload, on its nodes with its init pods.
TrialNodeRow measure_trial_node(const Workload& workload, std::size_t rounds);

std::string format_trial_node(const TrialNodeRow& row);

}  // namespace loadline::bench
