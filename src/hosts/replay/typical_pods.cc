#include "hosts/replay/typical_pods.h"

#include <algorithm>

namespace loadline::replay {
namespace {

constexpr double kTypicalShare = 0.95;

std::int64_t cpu_of(const cluster::PodShape& shape) {
  for (const cluster::ResourceAmount& amount : shape.requests) {
    if (amount.resource == cluster::kCpu) return amount.amount;
  }
  return 0;
}

}  // namespace

void TypicalPods::arrived(const cluster::PodShape& shape, std::size_t pods) {
  counts_[{cpu_of(shape), gpus_.requested(shape)}] += pods;
  total_ += pods;
}

std::vector<TypicalPods::Typical> TypicalPods::typical() const {
  std::vector<std::pair<std::size_t, Amounts>> by_count;
  by_count.reserve(counts_.size());
  for (const auto& [amounts, count] : counts_) by_count.emplace_back(count, amounts);
  std::sort(by_count.rbegin(), by_count.rend());
  std::vector<Typical> typical;
  std::size_t covered = 0;
  for (const auto& [count, amounts] : by_count) {
    if (static_cast<double>(covered) >= kTypicalShare * static_cast<double>(total_)) break;
    covered += count;
    typical.push_back({std::get<0>(amounts), std::get<1>(amounts), static_cast<double>(count)});
  }
  for (Typical& each : typical) each.share /= static_cast<double>(covered);
  return typical;
}

double TypicalPods::fragmented(const cluster::Cluster& cluster) const {
  const std::vector<Typical> mix = typical();
  double sum = 0;
  for (const cluster::NodeId node : cluster.nodes()) {
    const std::int64_t free = gpus_.allocatable(cluster, node) - gpus_.requested(cluster, node);
    if (free <= 0) continue;
    const std::int64_t cpu = cluster.allocatable(node, cluster::kCpu) - cluster.requested(node, cluster::kCpu);
    double useless = 0;
    for (const Typical& pod : mix) {
      if (pod.gpus == 0 || pod.gpus > free || pod.cpu > cpu) useless += pod.share;
    }
    sum += useless * static_cast<double>(free);
  }
  return sum;
}

}  // namespace loadline::replay
