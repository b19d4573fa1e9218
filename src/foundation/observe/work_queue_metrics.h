#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace loadline::observe {

/// The figures of controllers' queues, under kube-controller-manager's names, with its labels and buckets. One thread.
/// Source: k8s.io/component-base/metrics/prometheus/workqueue/metrics.go, v0.36.
class WorkQueueMetrics {
 public:
  /// One queue.
  class Queue {
   public:
    virtual ~Queue() = default;
    /// A key came to wait; `depth`: how many wait now.
    virtual void added(std::size_t depth) = 0;
    /// A key's turn came, after that time.
    virtual void taken(std::size_t depth, double waited_seconds) = 0;
    /// All that was to be done for a key is done.
    virtual void done(double seconds) = 0;
    /// It failed, and will be tried again.
    virtual void retried() = 0;
  };

  WorkQueueMetrics();
  ~WorkQueueMetrics();
  WorkQueueMetrics(const WorkQueueMetrics&) = delete;
  WorkQueueMetrics& operator=(const WorkQueueMetrics&) = delete;

  /// Valid as long as the metrics.
  [[nodiscard]] Queue& queue(std::string_view name);

  [[nodiscard]] std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::observe
