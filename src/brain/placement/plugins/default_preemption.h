#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Marks a profile as one that preempts. The search for victims is not a step of the cycle but follows a failed one:
/// see placement/preemption.h. Source: kube-scheduler v1.36, plugin DefaultPreemption.
class DefaultPreemption final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "DefaultPreemption"; }
  [[nodiscard]] Points points() const override { return Point::kPostFilter; }
};

std::unique_ptr<Plugin> make_default_preemption(const kube::PluginArgs& args);

}  // namespace loadline::placement
