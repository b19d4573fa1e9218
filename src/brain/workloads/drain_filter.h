#pragma once

#include <cstdint>

#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// What `kubectl drain --ignore-daemonsets` does with a pod on the node.
enum class DrainVerdict : std::uint8_t {
  kEvicted,
  kOver,       ///< it has finished or is being deleted: nothing is to be done
  kOfNode,     ///< stays: a static pod, which only the kubelet ends
  kOfDaemon,   ///< stays: a DaemonSet would put it there again
  kUnmanaged,  ///< no controller would bring it back: kubectl evicts it with --force only
};

/// Source: k8s.io/kubectl/pkg/drain/filters.go, v1.36. O(owners).
DrainVerdict drain_verdict(const kube::Pod& pod);

}  // namespace loadline::workloads
