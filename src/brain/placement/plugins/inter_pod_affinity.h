#pragma once

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Keeps pods together or apart by the topology domains of the pods already placed, in both directions: a placed pod's
/// required anti-affinity keeps new pods away too.
///
/// Filter: every required affinity term needs, in the node's domain, a pod that matches *all* terms (or: no such pod
/// exists anywhere and the pod matches its own terms); no required anti-affinity term may match there, and no placed
/// pod's may match the new one. Score: Σ over domains of ± weight per matching pod, both ways, required affinity of
/// placed pods with hardPodAffinityWeight; then `trunc(100.0 · ((s − min) / (max − min)))` in double: 29 of 100
/// gives 28. Source: kube-scheduler v1.36, plugin InterPodAffinity (KEP-2249, 3633).
class InterPodAffinity final : public Plugin {
 public:
  explicit InterPodAffinity(const kube::InterPodAffinityArgs& args) : args_(args) {}
  [[nodiscard]] std::string_view name() const override { return "InterPodAffinity"; }
  [[nodiscard]] WakeUps wake_ups() const override { return {.by_affinity = true}; }
  [[nodiscard]] Points points() const override {
    return Point::kPreFilter | Point::kFilter | Point::kPreScore | Point::kScore;
  }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] std::string without_pre_filter() const override {
    return R"(error reading "PreFilterInterPodAffinity" from cycleState: not found)";
  }
  [[nodiscard]] std::string without_pre_score() const override {
    return R"(failed to read "PreScoreInterPodAffinity" from cycleState: not found)";
  }
  [[nodiscard]] bool normalizes() const override { return true; }
  PreFilterResult pre_filter(Cycle& cycle) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
  bool pre_score(Cycle& cycle, const FeasibleNodes& feasible) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
  void normalize(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;

 private:
  struct FilterState;
  struct ScoreState;

  [[nodiscard]] std::int64_t weight_of(const cluster::AffinityTermSpec& spec) const;

  kube::InterPodAffinityArgs args_;
};

std::unique_ptr<Plugin> make_inter_pod_affinity(const kube::PluginArgs& args);

}  // namespace loadline::placement
