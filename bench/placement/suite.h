#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/results/row.h"
#include "foundation/base/result.h"

namespace loadline::bench {

/// What to measure, and how.
struct SuiteOptions {
  std::string program;                          ///< this program, which runs each measurement in a process of its own
  std::filesystem::path folder;                 ///< bench/placement
  std::optional<std::string> peer;              ///< the program that measures the real scheduler; nullopt: none
  std::string workload;                         ///< measure only those whose name or file has this in it; empty: all
  std::size_t repetitions = 3;                  ///< of which the one with the median speed is reported
  double limit_s = 600;                         ///< a run stops measuring after this time
  double peer_limit_s = 20;                     ///< the same for the real scheduler
  std::function<void(const std::string&)> say;  ///< hears what is being measured
};

struct SuiteRows {
  std::vector<Row> upstream;  ///< scheduler_perf's workloads, through the engine and through the host
  std::vector<Row> scale;     ///< ours, through the engine
};

/// Measures the workloads of `folder`. Errors: a program failed, or nothing has that name.
Result<SuiteRows> run_suite(const SuiteOptions& options);

/// Lines of "nodes, p50 in us, p99 in us, mean in us, mean of the peer in us" for each row of the curve of cost over
/// nodes, "nan" where nothing was measured: what gnuplot reads. Empty: there are no such rows.
std::string curve(const std::vector<Row>& scale);

}  // namespace loadline::bench
