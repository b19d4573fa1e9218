#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Keeps a pod out of the queue while its spec names scheduling gates.
/// Source: kube-scheduler v1.36, plugin SchedulingGates (KEP-3521).
class SchedulingGates final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "SchedulingGates"; }
  [[nodiscard]] Points points() const override { return Point::kPreEnqueue; }
  using Plugin::pre_enqueue;
  [[nodiscard]] std::optional<Rejection> pre_enqueue(const kube::PodSpec& spec) const override;
};

std::unique_ptr<Plugin> make_scheduling_gates(const kube::PluginArgs& args);

}  // namespace loadline::placement
