#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// A pod that names its node goes there or nowhere.
/// Source: kube-scheduler v1.36, plugin NodeName.
class NodeName final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "NodeName"; }
  [[nodiscard]] Points points() const override { return Point::kFilter; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
};

std::unique_ptr<Plugin> make_node_name(const kube::PluginArgs& args);

}  // namespace loadline::placement
