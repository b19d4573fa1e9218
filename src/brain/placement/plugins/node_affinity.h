#pragma once

#include <optional>

#include "brain/placement/plugin.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// Holds pods to their nodeSelector and required node affinity, and prefers nodes whose preferred terms weigh most. The
/// profile may add an affinity of its own (addedAffinity), which every pod must satisfy as well.
///
/// Score: the sum of the weights of matching terms, then `100 · sum / max`, truncated; all zero if no term matches.
/// Example: weights 80 (matches a) and 20 (matches a, b): a = 100, b = 20.
/// matchFields on metadata.name narrow the search to the named nodes before any filter runs.
/// Source: kube-scheduler v1.36, plugin NodeAffinity.
class NodeAffinity final : public Plugin {
 public:
  explicit NodeAffinity(const kube::NodeAffinityArgs& args) : added_(args.added_affinity) {}
  [[nodiscard]] std::string_view name() const override { return "NodeAffinity"; }
  [[nodiscard]] Points points() const override {
    return Point::kPreFilter | Point::kFilter | Point::kPreScore | Point::kScore;
  }
  Locality sign(Cycle& cycle, Signature& signature) const override;
  [[nodiscard]] bool normalizes() const override { return true; }
  PreFilterResult pre_filter(Cycle& cycle) const override;
  RejectionId filter(Cycle& cycle, cluster::NodeId node) const override;
  void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const override;
  bool pre_score(Cycle& cycle, const FeasibleNodes& feasible) const override;
  void score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;
  void normalize(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const override;

 private:
  std::optional<kube::NodeAffinity> added_;
};

std::unique_ptr<Plugin> make_node_affinity(const kube::PluginArgs& args);

}  // namespace loadline::placement
