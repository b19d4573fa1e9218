#include "hosts/replay/measures.h"

#include <algorithm>
#include <cmath>

namespace loadline::replay {

using cluster::NodeId;

namespace {

double seconds(Duration span) { return static_cast<double>(span.nanoseconds) / 1e9; }

std::int64_t amount_of(const cluster::PodShape& shape, cluster::ResourceId resource) {
  for (const cluster::ResourceAmount& amount : shape.requests) {
    if (amount.resource == resource) return amount.amount;
  }
  return 0;
}

/// Shorter runs count as so long: else a second's wait of a job of a second would outweigh an hour's of a long one.
constexpr double kShortestRun = 10;

}  // namespace

Measures::Measures(const cluster::Cluster& cluster) : cluster_(cluster), gpus_(cluster), typical_(gpus_) {
  for (const NodeId node : cluster.nodes()) {
    cpu_capacity_ += static_cast<double>(cluster.allocatable(node, cluster::kCpu));
    memory_capacity_ += static_cast<double>(cluster.allocatable(node, cluster::kMemory));
    gpu_capacity_ += static_cast<double>(gpus_.allocatable(cluster, node));
    cpu_ += cluster.requested(node, cluster::kCpu);
    memory_ += cluster.requested(node, cluster::kMemory);
    gpu_ += gpus_.requested(cluster, node);
  }
}

void Measures::pass(Duration now) {
  const double span = seconds(now - now_);
  if (has_begun_) {
    cpu_time_ += static_cast<double>(cpu_) * span;
    memory_time_ += static_cast<double>(memory_) * span;
    gpu_time_ += static_cast<double>(gpu_) * span;
  }
  now_ = now;
}

void Measures::work_arrived(Duration now) {
  if (!has_begun_) begin_ = last_left_ = now;
  has_begun_ = true;
  ++current_.arrived;
}

void Measures::pods_arrived(const cluster::PodShape& shape, std::size_t pods) {
  pods_ += pods;
  gpu_arrived_ += gpus_.requested(shape) * static_cast<std::int64_t>(pods);
  typical_.arrived(shape, pods);
}

void Measures::count_on_nodes(const cluster::PodShape& shape, int sign) {
  cpu_ += sign * amount_of(shape, cluster::kCpu);
  memory_ += sign * amount_of(shape, cluster::kMemory);
  gpu_ += sign * gpus_.requested(shape);
  current_.running_pods += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
}

void Measures::pod_waits(const cluster::PodShape& shape, int sign) {
  gpu_pending_ += sign * gpus_.requested(shape);
  current_.pending_pods += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
}

void Measures::pod_evicted(decision::EvictionCause cause) {
  if (cause == decision::EvictionCause::kQueue) return;  // told by queue, see QueueMeasures
  ++(cause == decision::EvictionCause::kPreemption ? current_.preemptions : releases_);
}

void Measures::work_waits(int sign) {
  current_.pending_works += static_cast<std::size_t>(static_cast<std::int64_t>(sign));
  most_pending_ = std::max(most_pending_, current_.pending_works);
}

void Measures::promise_settled(Duration late) {
  ++promises_.settled;
  if (late <= Duration()) ++promises_.kept;
  promise_errors_.push_back(seconds(late));
}

void Measures::gpu_time(std::int64_t milli_gpus, Duration span, bool is_lost) {
  const double amount = static_cast<double>(milli_gpus) / 1000 * seconds(span);
  (is_lost ? gpu_seconds_lost_ : gpu_seconds_) += amount;
}

void Measures::add(Samples& samples, const WorkTimes& times) {
  WorkSummary& counts = samples.counts;
  ++counts.arrived;
  if (times.has_started) {
    ++counts.started;
    samples.waiting.push_back(seconds(times.first_started - times.arrived));
  }
  if (times.end == WorkEnd::kStillThere) {
    ++(times.is_whole ? counts.running_at_end : counts.pending_at_end);
    return;
  }
  if (!times.has_started) {
    ++counts.deleted_in_line;
    return;
  }
  ++(times.end == WorkEnd::kEnded ? counts.ended : counts.deleted);
  const double completion = seconds(times.left - times.arrived);
  samples.completion.push_back(completion);
  if (times.end == WorkEnd::kEnded) {
    samples.slowdown.push_back(std::max(1.0, completion / std::max(seconds(times.run), kShortestRun)));
  }
}

void Measures::work_left(const std::string& work_class, const WorkTimes& times) {
  add(all_, times);
  if (!work_class.empty()) add(by_class_[work_class], times);
  if (times.end == WorkEnd::kStillThere) return;
  ++current_.ended;
  last_left_ = times.left;
}

void Measures::arrival_settled() {
  if (gpu_capacity_ <= 0) return;
  const int percent = static_cast<int>(std::lround(100 * share_of_gpus(static_cast<double>(gpu_arrived_))));
  constexpr int kMostPercent = 1000;  // beyond ten times the cluster, work has come and gone
  if (percent > kMostPercent) return;
  const auto [found, is_new] = allocation_.try_emplace(percent);
  if (is_new) found->second.fragmentation = share_of_gpus(typical_.fragmented(cluster_));
  found->second.allocated += share_of_gpus(static_cast<double>(gpu_));
  ++found->second.arrivals;
}

Sample Measures::sample(Duration at) {
  Sample sample = current_;
  sample.at = at;
  const auto share = [](std::int64_t part, double whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; };
  sample.cpu_used = share(cpu_, cpu_capacity_);
  sample.memory_used = share(memory_, memory_capacity_);
  sample.gpus_used = share(gpu_, gpu_capacity_);
  sample.gpus_requested = static_cast<double>(gpu_) / 1000;
  sample.gpus_arrived = static_cast<double>(gpu_arrived_) / 1000;
  sample.gpus_pending = static_cast<double>(gpu_pending_) / 1000;
  sample.fragmentation = share_of_gpus(typical_.fragmented(cluster_));
  fragmentation_sum_ += sample.fragmentation;
  ++samples_taken_;
  return sample;
}

WorkSummary Measures::conclude(Samples& samples) {
  samples.counts.waiting = distribution_of(samples.waiting);
  samples.counts.completion = distribution_of(samples.completion);
  samples.counts.slowdown = distribution_of(samples.slowdown);
  return samples.counts;
}

Summary Measures::summarize(Duration end, bool was_cut, std::size_t decisions) {
  Summary summary;
  summary.end = end;
  summary.was_cut = was_cut;
  summary.makespan = last_left_ - begin_;
  summary.all = conclude(all_);
  for (auto& [name, samples] : by_class_) summary.by_class[name] = conclude(samples);
  summary.nodes = cluster_.node_count();
  summary.pods = pods_;
  summary.cpus = cpu_capacity_ / 1000;
  summary.gpus = gpu_capacity_ / 1000;
  const double span = seconds(now_ - begin_);
  const auto mean = [&](double amount_time, double capacity) {
    return span > 0 && capacity > 0 ? amount_time / span / capacity : 0;
  };
  summary.cpu_used = mean(cpu_time_, cpu_capacity_);
  summary.memory_used = mean(memory_time_, memory_capacity_);
  summary.gpus_used = mean(gpu_time_, gpu_capacity_);
  summary.fragmentation = samples_taken_ > 0 ? fragmentation_sum_ / static_cast<double>(samples_taken_) : 0;
  summary.most_pending_works = most_pending_;
  summary.preemptions = current_.preemptions;
  summary.releases = releases_;
  summary.gpu_hours = gpu_seconds_ / 3600;
  summary.gpu_hours_lost = gpu_seconds_lost_ / 3600;
  for (const auto& [percent, bucket] : allocation_) {
    summary.allocation.push_back(
        {percent, bucket.allocated / static_cast<double>(bucket.arrivals), bucket.fragmentation});
  }
  summary.decisions = decisions;
  summary.promises = promises_;
  summary.promises.error = distribution_of(promise_errors_);
  return summary;
}

}  // namespace loadline::replay
