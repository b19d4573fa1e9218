#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::workloads {

/// Completion indexes as a Job's status writes them, "0-3,7": intervals in order, none next to another.
/// Source: orderedIntervals in pkg/controller/job/indexed_job_utils.go, v1.36.
class IndexIntervals {
 public:
  struct Interval {
    std::int64_t first = 0;
    std::int64_t last = 0;
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  IndexIntervals() = default;
  explicit IndexIntervals(const std::set<std::int64_t>& indexes);
  /// What is no interval is passed over, and what is beyond the completions cut off.
  static IndexIntervals parse(std::string_view text, std::int64_t completions);

  /// The indexes of both. O(intervals).
  [[nodiscard]] IndexIntervals merged(const IndexIntervals& other) const;
  [[nodiscard]] std::int64_t total() const;
  [[nodiscard]] bool has(std::int64_t index) const;
  [[nodiscard]] bool empty() const { return intervals_.empty(); }
  /// How many indexes are in both.
  [[nodiscard]] std::int64_t overlap(const IndexIntervals& other) const;
  /// The first `count` indexes below `completions` that are not in it.
  [[nodiscard]] std::vector<std::int64_t> first_missing(std::int64_t count, std::int64_t completions) const;
  [[nodiscard]] std::string to_string() const;

 private:
  void add(Interval interval);

  std::vector<Interval> intervals_;
};

}  // namespace loadline::workloads
