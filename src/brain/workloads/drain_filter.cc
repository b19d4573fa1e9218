#include "brain/workloads/drain_filter.h"

namespace loadline::workloads {

DrainVerdict drain_verdict(const kube::Pod& pod) {
  if (pod.finished() || pod.metadata.deletion_timestamp) return DrainVerdict::kOver;
  const kube::OwnerReference* const controller = pod.metadata.controller();
  const bool is_static = pod.metadata.annotations.contains(kube::kMirrorAnnotation) ||
                         (controller != nullptr && controller->kind == "Node");
  if (is_static) return DrainVerdict::kOfNode;
  if (controller == nullptr) return DrainVerdict::kUnmanaged;
  return controller->kind == "DaemonSet" ? DrainVerdict::kOfDaemon : DrainVerdict::kEvicted;
}

}  // namespace loadline::workloads
