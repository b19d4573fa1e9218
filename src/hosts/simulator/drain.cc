#include "hosts/simulator/drain.h"

#include <algorithm>

namespace loadline::simulator {
namespace {

bool is_static(const kube::Pod& pod) {
  const kube::OwnerReference* const controller = pod.metadata.controller();
  return pod.metadata.annotations.contains(kube::kMirrorAnnotation) ||
         (controller != nullptr && controller->kind == "Node");
}

bool is_daemon(const kube::Pod& pod) {
  const kube::OwnerReference* const controller = pod.metadata.controller();
  return controller != nullptr && controller->kind == "DaemonSet";
}

bool keeps_local_data(const kube::Pod& pod) {
  return std::any_of(pod.spec->volumes.begin(), pod.spec->volumes.end(),
                     [](const kube::Volume& volume) { return volume.empty_dir; });
}

}  // namespace

DrainedNode drain(const kube::Objects& objects, const std::string& node, Unmanaged wish) {
  DrainedNode drained;
  drained.node = node;
  for (const kube::Pod& pod : objects.of<kube::Pod>()) {
    if (pod.spec->node_name != node || pod.finished() || pod.metadata.deletion_timestamp) continue;
    if (is_static(pod)) continue;
    if (is_daemon(pod)) {
      ++drained.daemons;
      continue;
    }
    const PodName name{pod.metadata.namespace_, pod.metadata.name};
    if (pod.metadata.controller() == nullptr && wish == Unmanaged::kStay) {
      drained.unmanaged.push_back(name);
      continue;
    }
    drained.evicted.push_back(name);
    if (keeps_local_data(pod)) drained.local_data.push_back(name);
  }
  return drained;
}

}  // namespace loadline::simulator
