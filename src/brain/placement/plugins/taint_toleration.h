#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Refuses nodes with a NoSchedule or NoExecute taint that the pod does not tolerate; prefers those with the fewest
/// PreferNoSchedule taints that it does not tolerate.
///
/// Score: untolerated PreferNoSchedule taints c, normalised in reverse: `100 − 100·c / max c`; 100 if no node has any.
/// Example: taints 0, 1, 2 → 100, 50, 0.
/// Source: kube-scheduler v1.36, plugin TaintToleration.
class TaintToleration final : public Plugin {
 public:
  [[nodiscard]] std::string_view name() const override { return "TaintToleration"; }
  [[nodiscard]] Points points() const override { return Point::kFilter | Point::kPreScore | Point::kScore; }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] std::string without_pre_score() const override {
    return R"(failed to read "PreScoreTaintToleration" from cycleState: not found)";
  }
  [[nodiscard]] bool normalizes() const override { return true; }
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
  void normalize(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
};

std::unique_ptr<Plugin> make_taint_toleration(const kube::PluginArgs& args);

}  // namespace loadline::placement
