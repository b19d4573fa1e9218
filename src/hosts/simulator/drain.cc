#include "hosts/simulator/drain.h"

#include <algorithm>

#include "brain/workloads/drain_filter.h"

namespace loadline::simulator {

using workloads::DrainVerdict;

namespace {

bool keeps_local_data(const kube::Pod& pod) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(),
                     [](const kube::Volume& volume) { return volume.empty_dir; });
}

}  // namespace

DrainedNode drain(const kube::Objects& objects, const std::string& node, Unmanaged wish) {
  DrainedNode drained;
  drained.node = node;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    if (pod.spec->node_name != node) continue;
    const DrainVerdict verdict = workloads::drain_verdict(pod);
    if (verdict == DrainVerdict::kOver || verdict == DrainVerdict::kOfNode) continue;
    if (verdict == DrainVerdict::kOfDaemon) {
      ++drained.daemons;
      continue;
    }
    const PodName name{pod.metadata.namespace_, pod.metadata.name};
    if (verdict == DrainVerdict::kUnmanaged && wish == Unmanaged::kStay) {
      drained.unmanaged.push_back(name);
      continue;
    }
    drained.evicted.push_back(name);
    if (keeps_local_data(pod)) drained.local_data.push_back(name);
  }
  return drained;
}

}  // namespace loadline::simulator
