#include "brain/placement/plugins/taint_toleration.h"

#include <fmt/format.h>

#include <string_view>

#include "brain/placement/cycle.h"
#include "objects/kube/core/affinity_schema.h"

namespace loadline::placement {
namespace {

/// Upstream scores with the tolerations that could apply to PreferNoSchedule only, which changes nothing: a toleration
/// of another effect tolerates no such taint.
std::int64_t untolerated_preferences(const cluster::NodeFacts& facts, const cluster::PodShape& shape) {
  std::int64_t count = 0;
  for (const cluster::CompiledTaint& taint : facts.taints) {
    const bool preference = taint.effect == kube::TaintEffect::kPreferNoSchedule;
    if (preference && !cluster::tolerated(shape.tolerations, taint)) ++count;
  }
  return count;
}

bool keeps_out(const cluster::CompiledTaint& taint, const cluster::PodShape& shape) {
  return taint.effect != kube::TaintEffect::kPreferNoSchedule && !cluster::tolerated(shape.tolerations, taint);
}

}  // namespace

Locality TaintToleration::sign(Cycle& cycle, Signature& signature) const {
  signature.add(cycle.shape().tolerations.size());
  for (const cluster::CompiledToleration& toleration : cycle.shape().tolerations) {
    signature.add(toleration.key);
    signature.add(toleration.value);
    signature.add(toleration.op, toleration.effect);
  }
  return Locality::kFacts;
}

RejectionId TaintToleration::filter(Cycle& cycle, cluster::NodeId node) const {
  for (const cluster::CompiledTaint& taint : cycle.cluster().facts(node).taints) {
    if (keeps_out(taint, cycle.shape())) {
      return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kUntoleratedTaint);
    }
  }
  return kPassed;
}

void TaintToleration::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  const SymbolTable& symbols = cycle.cluster().symbols();
  for (const cluster::CompiledTaint& taint : cycle.cluster().facts(node).taints) {
    if (!keeps_out(taint, cycle.shape())) continue;
    Obstacle& obstacle = obstacles.emplace_back();
    obstacle.plugin = name();
    obstacle.code = Code::kUnresolvable;
    obstacle.reason = {ReasonKind::kUntoleratedTaint, ""};
    const std::string_view value = symbols.text(taint.value);
    obstacle.subject =
        fmt::format("{}{}{}:{}", symbols.text(taint.key), value.empty() ? "" : "=", value, kube::name_of(taint.effect));
  }
}

void TaintToleration::score(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                            std::span<std::int64_t> scores) const {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    scores[i] = untolerated_preferences(cycle.cluster().facts(nodes[i]), cycle.shape());
  }
}

void TaintToleration::normalize(Cycle&, std::span<const cluster::NodeId>, std::span<std::int64_t> scores) const {
  normalize_by_maximum(scores, true);
}

std::unique_ptr<Plugin> make_taint_toleration(const kube::PluginArgs&) { return std::make_unique<TaintToleration>(); }

}  // namespace loadline::placement
