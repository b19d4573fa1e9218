#include "brain/placement/plugins/dynamic_resources.h"

#include "brain/placement/cycle.h"

namespace loadline::placement {
namespace {

struct DynamicResourcesState final : PluginState {
  bool reached = false;
};

}  // namespace

Locality DynamicResources::sign(Cycle& cycle, Signature&) const {
  return cycle.shape().spec->resource_claims.empty() ? Locality::kNode : Locality::kCluster;
}

PreFilterResult DynamicResources::pre_filter(Cycle& cycle) const {
  cycle.state<DynamicResourcesState>(this).reached = true;
  const auto& claims = cycle.shape().spec->resource_claims;
  if (claims.empty()) return PreFilterResult::skipped();
  const std::string text =
      "pod needs resource claim \"" + claims.front().name + "\", and claims cannot be allocated here";
  return PreFilterResult::rejected({name(), Code::kUnresolvable, {{ReasonKind::kOther, text}}});
}

PostFilterResult DynamicResources::post_filter(Cycle& cycle) const {
  if (!cycle.state<DynamicResourcesState>(this).reached) return {true, "not found"};
  return {false, "no new claims to deallocate"};
}

std::unique_ptr<Plugin> make_dynamic_resources(const kube::PluginArgs&) { return std::make_unique<DynamicResources>(); }

}  // namespace loadline::placement
