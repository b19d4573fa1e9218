#include "hosts/simulator/pod_runs.h"

#include <algorithm>
#include <optional>

#include "brain/workloads/expected_runs.h"
#include "brain/workloads/workload.h"
#include "objects/kube/gpu_resource.h"
#include "objects/kube/pod_resources.h"

namespace loadline::simulator {
namespace {

std::int64_t gpus_of(const kube::Pod& pod) {
  std::int64_t gpus = 0;
  for (const auto& [resource, amount] : kube::pod_requests(*pod.spec, nullptr, {})) {
    if (kube::is_gpu_resource(resource)) gpus += amount.value();
  }
  return gpus;
}

/// nullopt: none of them has saved its work by then.
std::optional<Instant> oldest_checkpoint(std::span<const PodRun> runs, Instant at) {
  std::optional<Instant> oldest;
  for (const PodRun& run : runs) {
    const std::optional<Instant>& saved = run.known.last_checkpoint;
    if (saved && *saved <= at) oldest = std::min(oldest.value_or(*saved), *saved);
  }
  return oldest;
}

}  // namespace

PodRuns runs_of(const kube::Objects& cluster) {
  const workloads::ExpectedRuns said(cluster);
  const workloads::Owners owners(cluster);
  PodRuns runs;
  for (const kube::Pod& pod : cluster.of<kube::Pod>()) {
    if (pod.spec->node_name.empty() || pod.finished()) continue;
    PodRun run{gang::run_of(pod), gpus_of(pod), pod.metadata.controller() != nullptr};
    if (!run.known.expected) run.known.expected = said.of(pod.metadata, owners.owner_of(pod));
    runs[{pod.metadata.namespace_, pod.metadata.name}] = run;
  }
  return runs;
}

std::int64_t lost_gpu_seconds(std::span<const PodRun> runs, Instant at) {
  const std::optional<Instant> saved = oldest_checkpoint(runs, at);
  std::int64_t lost = 0;
  for (const PodRun& run : runs) {
    if (!run.known.started) continue;
    const Instant since = saved ? std::max(*run.known.started, *saved) : *run.known.started;
    lost += std::max(at - since, Duration{}).nanoseconds / Duration::seconds(1).nanoseconds * run.gpus;
  }
  return lost;
}

}  // namespace loadline::simulator
