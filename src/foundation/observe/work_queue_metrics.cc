#include "foundation/observe/work_queue_metrics.h"

#include <functional>
#include <map>

#include "foundation/observe/buckets.h"
#include "foundation/observe/families.h"

namespace loadline::observe {
namespace {

class MeasuredQueue final : public WorkQueueMetrics::Queue {
 public:
  MeasuredQueue(Gauge& depth, Counter& adds, Counter& retries, Histogram& waited, Histogram& worked)
      : depth_(depth), adds_(adds), retries_(retries), waited_(waited), worked_(worked) {}

  void added(std::size_t depth) override {
    adds_.Increment();
    depth_.Set(static_cast<double>(depth));
  }
  void taken(std::size_t depth, double waited_seconds) override {
    depth_.Set(static_cast<double>(depth));
    waited_.Observe(waited_seconds);
  }
  void done(double seconds) override { worked_.Observe(seconds); }
  void retried() override { retries_.Increment(); }

 private:
  Gauge& depth_;
  Counter& adds_;
  Counter& retries_;
  Histogram& waited_;
  Histogram& worked_;
};

}  // namespace

struct WorkQueueMetrics::State {
  Registry registry;
  Family<Gauge>& depth = gauges(registry, "workqueue_depth", "Keys that wait for their turn");
  Family<Counter>& adds = counters(registry, "workqueue_adds_total", "Keys that came to wait for their turn");
  Family<Counter>& retries = counters(registry, "workqueue_retries_total", "Keys that failed, and are tried again");
  Family<Histogram>& waited =
      histograms(registry, "workqueue_queue_duration_seconds", "How long a key waits for its turn");
  Family<Histogram>& worked =
      histograms(registry, "workqueue_work_duration_seconds", "How long a key's turn takes, its requests included");
  std::map<std::string, std::unique_ptr<MeasuredQueue>, std::less<>> queues;
};

WorkQueueMetrics::WorkQueueMetrics() : state_(std::make_unique<State>()) {}
WorkQueueMetrics::~WorkQueueMetrics() = default;

WorkQueueMetrics::Queue& WorkQueueMetrics::queue(std::string_view name) {
  const auto known = state_->queues.find(name);
  if (known != state_->queues.end()) return *known->second;
  const Labels labels{{"name", std::string(name)}};
  const std::vector<double> buckets = exponential_buckets(10e-9, 10, 10);
  auto queue =
      std::make_unique<MeasuredQueue>(state_->depth.Add(labels), state_->adds.Add(labels), state_->retries.Add(labels),
                                      state_->waited.Add(labels, buckets), state_->worked.Add(labels, buckets));
  return *state_->queues.emplace(std::string(name), std::move(queue)).first->second;
}

std::string WorkQueueMetrics::text() { return text_of(state_->registry); }

}  // namespace loadline::observe
