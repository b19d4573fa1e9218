#include "foundation/observe/kueue_metrics.h"

#include <map>
#include <utility>

#include "foundation/observe/buckets.h"
#include "foundation/observe/families.h"

namespace loadline::observe {
namespace {

/// Each set of labels stays for good, and anybody may make up names of priority classes: further ones are not told.
constexpr std::size_t kMostClasses = 200;

std::vector<double> kueue_buckets(int count) {
  std::vector<double> buckets = exponential_buckets(2.5, 2, count - 1);
  buckets.insert(buckets.begin(), 1);
  return buckets;
}

}  // namespace

struct KueueMetrics::State {
  Labels labels_of(const Workload& workload) {
    std::string of_class(workload.priority_class);
    if (classes.size() < kMostClasses) {
      classes.emplace(of_class, true);
    } else if (!classes.contains(of_class)) {
      of_class.clear();
    }
    is_used = true;
    return {{"cluster_queue", std::string(workload.cluster_queue)},
            {"priority_class", std::move(of_class)},
            {"replica_role", "leader"}};
  }

  void set(Family<Gauge>& family, Labels labels, double value) {
    labels.emplace("replica_role", "leader");
    Gauge*& gauge = gauges_of[{&family, labels}];
    if (gauge == nullptr) gauge = &family.Add(labels);
    gauge->Set(value);
  }

  void count_figures() {
    if (!source) return;
    for (auto& [of, gauge] : gauges_of) of.first->Remove(gauge);
    gauges_of.clear();
    for (const ClusterQueueFigures& queue : source()) {
      is_used = true;
      const auto labels = [&](const char* of_status) -> Labels {
        return {{"cluster_queue", queue.name}, {"status", of_status}};
      };
      set(pending, labels("active"), static_cast<double>(queue.active));
      set(pending, labels("inadmissible"), static_cast<double>(queue.inadmissible));
      set(reserving, {{"cluster_queue", queue.name}}, static_cast<double>(queue.reserving));
      set(active_admitted, {{"cluster_queue", queue.name}}, static_cast<double>(queue.admitted));
      set(status, labels("active"), queue.is_active ? 1 : 0);
      set(status, labels("terminating"), queue.is_terminating ? 1 : 0);
      set(status, labels("pending"), !queue.is_active && !queue.is_terminating ? 1 : 0);
    }
  }

  Registry registry;
  Family<Gauge>& pending =
      gauges(registry, "kueue_pending_workloads", "Workloads that wait, by ClusterQueue and status");
  Family<Gauge>& reserving =
      gauges(registry, "kueue_reserving_active_workloads", "Workloads that have quota, by ClusterQueue");
  Family<Gauge>& active_admitted =
      gauges(registry, "kueue_admitted_active_workloads", "Workloads that are admitted, by ClusterQueue");
  Family<Gauge>& status = gauges(registry, "kueue_cluster_queue_status", "1 for the status that a ClusterQueue has");
  Family<Counter>& reserved_total =
      counters(registry, "kueue_quota_reserved_workloads_total", "Workloads that got quota, by ClusterQueue");
  Family<Histogram>& reserved_wait =
      histograms(registry, "kueue_quota_reserved_wait_time_seconds",
                 "Time from a workload's creation or requeueing until it got quota, by ClusterQueue");
  Family<Counter>& admitted_total =
      counters(registry, "kueue_admitted_workloads_total", "Workloads that were admitted, by ClusterQueue");
  Family<Histogram>& admitted_wait =
      histograms(registry, "kueue_admission_wait_time_seconds",
                 "Time from a workload's creation or requeueing until it was admitted, by ClusterQueue");
  Family<Counter>& evicted_total =
      counters(registry, "kueue_evicted_workloads_total", "Workloads that were evicted, by ClusterQueue and reason");

  std::map<std::string, bool, std::less<>> classes;
  std::map<std::pair<Family<Gauge>*, Labels>, Gauge*> gauges_of;
  std::function<std::vector<ClusterQueueFigures>()> source;
  bool is_used = false;
};

KueueMetrics::KueueMetrics() : state_(std::make_unique<State>()) {}
KueueMetrics::~KueueMetrics() = default;

void KueueMetrics::reserved(const Workload& workload, double waited_seconds) {
  const Labels labels = state_->labels_of(workload);
  state_->reserved_total.Add(labels).Increment();
  state_->reserved_wait.Add(labels, kueue_buckets(14)).Observe(waited_seconds);
}

void KueueMetrics::admitted(const Workload& workload, double waited_seconds) {
  const Labels labels = state_->labels_of(workload);
  state_->admitted_total.Add(labels).Increment();
  state_->admitted_wait.Add(labels, kueue_buckets(16)).Observe(waited_seconds);
}

void KueueMetrics::evicted(const Workload& workload, std::string_view reason, std::string_view cause) {
  Labels labels = state_->labels_of(workload);
  labels.emplace("reason", reason);
  labels.emplace("underlying_cause", cause);
  state_->evicted_total.Add(labels).Increment();
}

void KueueMetrics::set_source(std::function<std::vector<ClusterQueueFigures>()> source) {
  state_->source = std::move(source);
}

std::string KueueMetrics::text() {
  state_->count_figures();
  return state_->is_used ? text_of(state_->registry) : std::string();
}

}  // namespace loadline::observe
