#pragma once

#include <cstddef>
#include <string>

#include "bench/placement/workload.h"

namespace loadline::bench {

/// The same pods one by one, as a group that starts, and as a group that is placed and rolled back: medians, in
/// seconds, of rounds that take turns.
struct GangRow {
  std::string workload;
  std::size_t nodes = 0;
  std::size_t pods = 0;
  double singly_s = 0;
  double as_group_s = 0;
  double placing_s = 0;  ///< of the group that is rolled back
  double undoing_s = 0;
};

/// The first `pods` measured pods of the workload, on its nodes with its init pods; each round ends with the cluster
/// as it began.
GangRow measure_gang(const Workload& workload, std::size_t pods, std::size_t rounds);

/// A table, and what its columns are.
std::string format_gangs(const GangRow& row);

}  // namespace loadline::bench
