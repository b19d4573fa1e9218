#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Refuses nodes on which a host port that the pod wants is taken. Ports conflict if number and protocol agree and the
/// addresses do, 0.0.0.0 agreeing with every address.
/// Source: kube-scheduler v1.36, plugin NodePorts.
class NodePorts final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "NodePorts"; }
  [[nodiscard]] Points points() const override { return Point::kPreFilter | Point::kFilter; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] std::string without_pre_filter() const override {
    return R"(reading "PreFilterNodePorts" from cycleState: not found)";
  }
  PreFilterResult pre_filter(Cycle& cycle) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
};

std::unique_ptr<Plugin> make_node_ports(const kube::PluginArgs& args);

}  // namespace loadline::placement
