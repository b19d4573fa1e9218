#pragma once

#include <string>
#include <string_view>

#include "brain/workloads/pod_draft.h"
#include "objects/kube/apps/apps.h"

namespace loadline::workloads {

// A DaemonSet's pods: one on each node that daemon_nodes.h admits, `<set>-<5 characters>`, pinned to its node by
// affinity. Pods that have finished are replaced.
// Source: pkg/controller/daemon, v1.36.

/// What all pods of the DaemonSet get, but for their tolerations: with_daemon_tolerations().
[[nodiscard]] PodDraft shared_draft(const kube::DaemonSet& set);

/// What the pod of a node gets besides.
[[nodiscard]] PodDraft node_draft(std::string_view node);

}  // namespace loadline::workloads
