#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/time.h"
#include "hosts/controllers/daemon_pods.h"

namespace loadline::controllers {

/// What a step of a rolling update of a DaemonSet does.
struct DaemonStep {
  std::vector<const DaemonPod*> deleted;
  std::vector<std::string> nodes;  ///< that get another pod beside the old one
};

/// What a step depends on.
struct DaemonRollout {
  const kube::DaemonSet& daemon_set;
  const DaemonTemplate& current;
  Instant now;
  std::int32_t desired;                                 ///< how many nodes should have a pod
  std::function<bool(std::string_view)> should_run_on;  ///< whether a node should have one
};

/// Without surge: old pods that are not available go, and as many others as maxUnavailable lets. With surge: nodes
/// whose old pod is not available get a new one, and as many others as maxSurge lets; an old pod goes when the new one
/// beside it is available. `nodes` has every node that should have a pod. Nodes come in order of name, where upstream
/// takes them as Go's map has them. Source: rollingUpdate in pkg/controller/daemon/update.go, v1.36.
DaemonStep roll(const DaemonRollout& rollout, const DaemonPodsByNode& nodes);

/// Whether pods may be doubled for the time of an update.
bool allows_surge(const kube::DaemonSet& daemon_set);

}  // namespace loadline::controllers
