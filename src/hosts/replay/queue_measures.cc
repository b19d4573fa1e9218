#include "hosts/replay/queue_measures.h"

#include <algorithm>
#include <utility>

#include "objects/kube/gpu_resource.h"

namespace loadline::replay {

namespace kueue = queue::kueue;

namespace {

constexpr double kMilli = 1000;  // CPUs are counted by thousandths

double amount_of(std::string_view resource, kueue::Amount amount) {
  const auto value = static_cast<double>(amount.value());
  return resource == "cpu" ? value / kMilli : value;
}

double seconds_between(Instant from, Instant to) { return static_cast<double>((to - from).nanoseconds) / 1e9; }

/// The resource that a queue is pictured by: GPUs, if it has quota of any, else its first.
std::string main_resource(const std::vector<QueueQuota>& quotas) {
  for (const QueueQuota& quota : quotas) {
    if (kube::is_gpu_resource(quota.resource)) return quota.resource;
  }
  return quotas.empty() ? std::string() : quotas.front().resource;
}

}  // namespace

QueueMeasures::QueueMeasures(const kueue::KueueScheduler& scheduler, Instant start)
    : scheduler_(scheduler), start_(start) {
  const kueue::Quotas& quotas = scheduler.quotas();
  const cluster::QuotaTree& tree = quotas.tree();
  for (const kueue::QueueId queue : scheduler.queues().all()) {
    places_.emplace(queue, tallies_.size());
    Tally& tally = tallies_.emplace_back();
    tally.queue = queue;
    tally.since = start;
    tally.summary.name = tree.name(queue);
    if (tree.parent(queue).valid()) tally.summary.cohort = tree.name(tree.parent(queue));
    for (const kueue::QuotaCellId cell : quotas.declared(queue)) {
      const cluster::QuotaColumn& column = tree.column(tree.column_of(cell));
      QueueQuota& quota = tally.summary.quotas.emplace_back();
      quota.flavor = tree.symbols().text(column.flavor);
      quota.resource = tree.symbols().text(column.resource);
      quota.nominal = amount_of(quota.resource, quotas.nominal(cell));
      tally.uses.push_back({cell, quota.resource});
    }
    tally.summary.resource = main_resource(tally.summary.quotas);
  }
}

void QueueMeasures::work_arrived(kueue::QueueId queue) { ++of(queue).summary.arrived; }

void QueueMeasures::work_admitted(kueue::QueueId queue, Duration waited) {
  ++of(queue).summary.admitted;
  of(queue).waiting.push_back(static_cast<double>(waited.nanoseconds) / 1e9);
}

void QueueMeasures::work_stopped(kueue::QueueId queue) { ++of(queue).summary.stopped; }

void QueueMeasures::read(Use& use) const {
  const kueue::Quotas& quotas = scheduler_.quotas();
  use.used = amount_of(use.resource, quotas.used(use.cell));
  use.borrowed = amount_of(use.resource, kueue::at_least_nothing(quotas.used(use.cell) - quotas.subtree(use.cell)));
}

void QueueMeasures::usage_changed(kueue::QueueId queue, Instant now) {
  Tally& tally = of(queue);
  const double seconds = seconds_between(tally.since, now);
  tally.since = now;
  for (Use& use : tally.uses) {
    use.used_seconds += use.used * seconds;
    use.borrowed_seconds += use.borrowed * seconds;
    read(use);
  }
}

std::vector<QueueSample> QueueMeasures::sample() const {
  std::vector<QueueSample> samples;
  samples.reserve(tallies_.size());
  for (const Tally& tally : tallies_) {
    QueueSample& sample = samples.emplace_back();
    sample.queue = tally.summary.name;
    sample.resource = tally.summary.resource;
    sample.pending =
        scheduler_.pending().ready_count(tally.queue) + scheduler_.pending().inadmissible_count(tally.queue);
    sample.admitted = scheduler_.workloads().holders(tally.queue).size();
    for (std::size_t i = 0; i < tally.uses.size(); ++i) {
      if (tally.uses[i].resource != sample.resource) continue;
      sample.nominal += tally.summary.quotas[i].nominal;
      sample.used += tally.uses[i].used;
      sample.borrowed += tally.uses[i].borrowed;
    }
  }
  return samples;
}

std::vector<QueueSummary> QueueMeasures::summarize(Instant now) {
  std::vector<QueueSummary> summaries;
  const double seconds = seconds_between(start_, now);
  for (Tally& tally : tallies_) {
    usage_changed(tally.queue, now);
    QueueSummary summary = tally.summary;
    summary.pending_at_end =
        scheduler_.pending().ready_count(tally.queue) + scheduler_.pending().inadmissible_count(tally.queue);
    summary.waiting = distribution_of(tally.waiting);
    for (std::size_t i = 0; i < tally.uses.size() && seconds > 0; ++i) {
      summary.quotas[i].used = tally.uses[i].used_seconds / seconds;
      summary.quotas[i].borrowed = tally.uses[i].borrowed_seconds / seconds;
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

}  // namespace loadline::replay
