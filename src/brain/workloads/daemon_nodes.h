#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/facts/labels.h"
#include "brain/cluster/shapes/shape.h"
#include "brain/workloads/pod_draft.h"
#include "foundation/base/symbol.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::workloads {

/// The template's spec with the tolerations that every daemon pod gets.
[[nodiscard]] kube::PodSpec with_daemon_tolerations(kube::PodSpec spec);

/// The node that a DaemonSet made a pod for: where it is bound, or what its node affinity names; empty if neither says.
[[nodiscard]] std::string daemon_target(const kube::PodSpec& spec);

/// Which nodes a DaemonSet wants pods on. Source: NodeShouldRunDaemonPod in pkg/controller/daemon, v1.36.
class DaemonNodes {
 public:
  /// `spec` is the template's, with_daemon_tolerations(); it must outlive this.
  explicit DaemonNodes(const kube::PodSpec& spec);

  /// Whether the node should get a daemon pod.
  [[nodiscard]] bool admits(const kube::Node& node);
  /// Whether a daemon pod that is there may stay: a NoSchedule taint that came later does not drive it away.
  [[nodiscard]] bool keeps(const kube::Node& node);

 private:
  [[nodiscard]] bool selects(const kube::Node& node);
  [[nodiscard]] bool repelled(const kube::Node& node, kube::TaintEffect effect);

  SymbolTable symbols_;
  const std::string& node_name_;
  cluster::NodeAffinityRule rule_;
  std::vector<cluster::CompiledToleration> tolerations_;
};

}  // namespace loadline::workloads
