#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "brain/placement/extender.h"
#include "objects/kube/core/node.h"
#include "objects/kube/core/pod.h"

namespace loadline::extension {

/// Writes what extenders are sent: k8s.io/kube-scheduler/extender/v1 as Go's encoder writes it. Of pods and nodes it
/// sends what Loadline keeps of them, see kube/encoder.h.
class ExtenderRequests {
 public:
  enum class Nodes { kWhole, kNames };

  explicit ExtenderRequests(Nodes nodes) : nodes_(nodes) {}

  /// ExtenderArgs, for filter and prioritize. A node is encoded once: REQUIRES: it stays where it is, and as it is.
  std::string about_nodes(const kube::Pod& pod, std::span<const kube::Node* const> nodes);
  /// ExtenderPreemptionArgs.
  std::string about_preemption(const kube::Pod& pod, std::span<const placement::ShownCandidate> candidates);
  /// ExtenderBindingArgs.
  static std::string about_binding(const kube::Pod& pod, std::string_view node);

 private:
  const std::string& json_of(const kube::Node& node);

  Nodes nodes_;
  std::unordered_map<const kube::Node*, std::string> encoded_;
};

}  // namespace loadline::extension
