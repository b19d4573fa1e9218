#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace loadline::observe {

/// Figures of a ClusterQueue that are counted when metrics are scraped.
struct ClusterQueueFigures {
  std::string name;
  bool is_active = true;
  bool is_terminating = false;
  std::int64_t active = 0;        ///< workloads that wait for a round
  std::int64_t inadmissible = 0;  ///< that failed, and wait for something to change
  std::int64_t reserving = 0;
  std::int64_t admitted = 0;
};

/// The figures of Kueue's queues, under Kueue's names, with its labels and buckets. One thread. Its label replica_role
/// is "leader".
/// Source: kueue v0.19.2, pkg/metrics/metrics.go.
class KueueMetrics {
 public:
  /// A workload, as its ClusterQueue and its priority class name it.
  struct Workload {
    std::string_view cluster_queue;
    std::string_view priority_class;
  };

  KueueMetrics();
  ~KueueMetrics();
  KueueMetrics(const KueueMetrics&) = delete;
  KueueMetrics& operator=(const KueueMetrics&) = delete;

  /// It got its quota, so long after it was created or requeued.
  void reserved(const Workload& workload, double waited_seconds);
  /// It was admitted, likewise.
  void admitted(const Workload& workload, double waited_seconds);
  /// `reason`: "Preempted"; `cause`: what is behind a deactivation; empty: nothing else.
  void evicted(const Workload& workload, std::string_view reason, std::string_view cause);

  /// `source` counts the figures for text(). Empty: they are left out.
  void set_source(std::function<std::vector<ClusterQueueFigures>()> source);

  /// Empty as long as there have been no queues.
  [[nodiscard]] std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::observe
