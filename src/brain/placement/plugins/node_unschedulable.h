#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Refuses cordoned nodes (spec.unschedulable) to pods that do not tolerate the taint that cordoning adds.
/// Source: kube-scheduler v1.36, plugin NodeUnschedulable.
class NodeUnschedulable final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "NodeUnschedulable"; }
  [[nodiscard]] Points points() const override { return Point::kFilter; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
};

std::unique_ptr<Plugin> make_node_unschedulable(const kube::PluginArgs& args);

}  // namespace loadline::placement
