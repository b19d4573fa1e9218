#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// The place of dynamic resource allocation in the framework. Pods without resource claims pass it untouched; pods with
/// claims are refused with a clear reason, for a placement that ignored their claims would be wrong.
///
/// At PostFilter it answers before preemption does, so its message is part of every failure message, also the odd "not
/// found" of upstream when PreFilter ended before this plugin's turn: then nothing is preempted either. Source:
/// kube-scheduler v1.36, plugin DynamicResources.
class DynamicResources final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "DynamicResources"; }
  [[nodiscard]] Points points() const override { return Point::kPreFilter | Point::kPostFilter; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  PreFilterResult pre_filter(Cycle& cycle) const override;
  PostFilterResult post_filter(Cycle& cycle) const override;
};

std::unique_ptr<Plugin> make_dynamic_resources(const kube::PluginArgs& args);

}  // namespace loadline::placement
