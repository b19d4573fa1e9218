#pragma once

#include <vector>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Spreads matching pods evenly over the domains of a topology key.
///
/// Filter (DoNotSchedule): refuses a node if, with the pod there, its domain would hold more than maxSkew matching pods
/// above the emptiest domain. Domains are those of nodes that have every hard key and that the node policies admit;
/// with fewer than minDomains of them the emptiest counts as 0. Score (ScheduleAnyway): Σ `matching · ln(domains + 2) +
/// (maxSkew − 1)`, rounded, then reversed: `100 · (max + min − s) / max`; nodes that lack a key score 0. Example: two
/// zones with 3 and 1 pods: 3·ln 4 → 4 and 1. Pods without constraints get the configured defaults, or the system's
/// (hostname 3, zone 5, soft), with the selector of the services and controllers they belong to. Source: kube-scheduler
/// v1.36, plugin PodTopologySpread (KEP-895, 3022, 3094, 3243).
class PodTopologySpread final : public Plugin {
 public:
  explicit PodTopologySpread(const kube::PodTopologySpreadArgs& args);
  [[nodiscard]] std::string_view name() const override { return "PodTopologySpread"; }
  [[nodiscard]] WakeUps wake_ups() const override { return {.by_namespace = true}; }
  [[nodiscard]] Points points() const override {
    return Point::kPreFilter | Point::kFilter | Point::kPreScore | Point::kScore;
  }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] std::string without_pre_filter() const override {
    return R"(reading "PreFilterPodTopologySpread" from cycleState: not found)";
  }
  [[nodiscard]] std::string without_pre_score() const override {
    return R"(error reading "PreScorePodTopologySpread" from cycleState: not found)";
  }
  [[nodiscard]] bool normalizes() const override { return true; }
  PreFilterResult pre_filter(Cycle& cycle) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
  void pod_added(Cycle& cycle, cluster::PodId pod, cluster::NodeId node) const override;
  void pod_removed(Cycle& cycle, cluster::PodId pod, cluster::NodeId node) const override;
  bool pre_score(Cycle& cycle, const FeasibleNodes& feasible) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
  void normalize(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
  /// Whether pods that name no constraints may have some that refuse nodes.
  [[nodiscard]] bool has_hard_defaults() const;

 private:
  struct Constraint;
  struct FilterState;
  struct ScoreState;

  [[nodiscard]] std::vector<Constraint> constraints(Cycle& cycle, kube::UnsatisfiableAction action) const;
  void count_on(Cycle& cycle, Constraint& constraint, const std::vector<cluster::TopologyKeyId>& required_keys) const;
  [[nodiscard]] std::vector<cluster::TopologyKeyId> required_keys(const Cycle& cycle,
                                                                  const std::vector<Constraint>& constraints,
                                                                  bool hard) const;
  static void find_minima(const cluster::Cluster& cluster, FilterState& state);
  static std::string_view emptiest(const cluster::Cluster& cluster, const Constraint& constraint, std::int64_t minimum);
  bool count_by_node(Cycle& cycle, Constraint& constraint) const;
  void follow(Cycle& cycle, cluster::PodId pod, cluster::NodeId node, std::int32_t sign) const;

  std::vector<kube::TopologySpreadConstraint> defaults_;
  bool system_defaults_;
};

std::unique_ptr<Plugin> make_pod_topology_spread(const kube::PluginArgs& args);

}  // namespace loadline::placement
