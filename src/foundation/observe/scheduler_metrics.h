#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace loadline::observe {

/// Figures that are counted when metrics are scraped, not when they change.
struct SchedulerFigures {
  // Pods that wait: for their turn, for the cluster to change after a failed attempt, behind a scheduling gate.
  std::size_t active = 0;
  std::size_t unschedulable = 0;
  std::size_t gated = 0;
  // What the model of the cluster holds; pods that are assumed have a node that the API server has not confirmed.
  std::size_t nodes = 0;
  std::size_t pods = 0;
  std::size_t assumed_pods = 0;
  /// Nothing else is served while a turn is taken. Since the process began.
  double longest_turn_seconds = 0;
  /// How many unschedulable pods a plugin has refused, by plugin and profile.
  std::map<std::pair<std::string, std::string>, std::size_t> refused;
};

/// The figures of the scheduler, under kube-scheduler's names, with its labels and buckets. One thread.
/// Source: pkg/scheduler/metrics/metrics.go, v1.36.
class SchedulerMetrics {
 public:
  enum class Result : std::uint8_t { kScheduled, kUnschedulable, kError };

  SchedulerMetrics();
  ~SchedulerMetrics();
  SchedulerMetrics(const SchedulerMetrics&) = delete;
  SchedulerMetrics& operator=(const SchedulerMetrics&) = delete;

  /// One attempt is over: the decision, and the binding if there was one. O(log profiles), without allocation for
  /// profiles that are known.
  void attempted(std::string_view profile, Result result, double seconds);
  /// The decision alone.
  void decided(double seconds);
  /// A pod is bound, in its n-th attempt, that long after it began to wait.
  void scheduled(std::size_t attempts, double seconds);
  /// A preemption attempt looked for victims, and found that many.
  void looked_for_victims(std::size_t victims);
  /// A pod began to wait in the queue ("active", "unschedulable", "backoff") because of `event` ("PodAdd"). The texts
  /// must be from a small set: each pair stays for good.
  void queued(std::string_view queue, std::string_view event);

  /// `source` counts the figures for text(). Empty: they are left out.
  void set_source(std::function<SchedulerFigures()> source);

  [[nodiscard]] std::string text();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace loadline::observe
