#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::bench {

/// What a run over a generator comes to. Seconds are virtual, but `cpu_s`.
struct QueueFigures {
  /// Of workloads that have finished: from when they came to their last admission.
  struct Class {
    std::string name;
    double mean_wait_s = 0;
    double max_wait_s = 0;
  };
  std::string name;
  std::int64_t batch_ms = 0;
  std::size_t workloads = 0;
  std::size_t queues = 0;
  std::size_t admissions = 0;
  std::size_t evictions = 0;
  std::size_t rounds = 0;  ///< that had heads
  std::size_t finished = 0;
  double makespan_s = 0;  ///< until the last one of them finished
  double cpu_s = 0;       ///< processor time of all that, without making the objects
  double peak_mb = 0;
  std::vector<Class> classes = {};

  [[nodiscard]] double admissions_per_cpu_second() const {
    return cpu_s > 0 ? static_cast<double>(admissions) / cpu_s : 0;
  }
};

/// As the peer prints it.
document::Value to_value(const QueueFigures& figures);
/// The reverse; what is missing is 0.
QueueFigures queue_figures_from(const document::Value& value);

/// One generator with one setting: ours, and the peer's, if it was measured.
struct QueueComparison {
  QueueFigures ours;
  std::optional<QueueFigures> peer;
};

std::string format_queue_table(const std::vector<QueueComparison>& comparisons);
document::Value to_value(const std::vector<QueueComparison>& comparisons);

}  // namespace loadline::bench
