#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Keeps the pods of a gang out of the queue until as many are there as have to start together, and from being bound
/// until as many have a node. Source: kube-scheduler v1.36, plugin GangScheduling (KEP-4671).
class GangScheduling final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "GangScheduling"; }
  [[nodiscard]] Points points() const override { return Point::kPreEnqueue | Point::kPermit; }
  using Plugin::pre_enqueue;
  [[nodiscard]] std::optional<Rejection> pre_enqueue(const cluster::Cluster& cluster,
                                                     cluster::PodId pod) const override;
  [[nodiscard]] std::optional<Rejection> permit(const cluster::Cluster& cluster, cluster::PodId pod) const override;
};

std::unique_ptr<Plugin> make_gang_scheduling(const kube::PluginArgs& args);

}  // namespace loadline::placement
