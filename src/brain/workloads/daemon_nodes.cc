#include "brain/workloads/daemon_nodes.h"

#include <array>
#include <string_view>

#include "brain/cluster/shapes/shape_compiler.h"

namespace loadline::workloads {
namespace {

using kube::TaintEffect;

struct DaemonToleration {
  std::string_view key;
  TaintEffect effect;
};

/// What every daemon pod tolerates, in upstream's order; the last only on the host's network.
constexpr std::array<DaemonToleration, 7> kTolerations = {{
    {"node.kubernetes.io/not-ready", TaintEffect::kNoExecute},
    {"node.kubernetes.io/unreachable", TaintEffect::kNoExecute},
    {"node.kubernetes.io/disk-pressure", TaintEffect::kNoSchedule},
    {"node.kubernetes.io/memory-pressure", TaintEffect::kNoSchedule},
    {"node.kubernetes.io/pid-pressure", TaintEffect::kNoSchedule},
    {"node.kubernetes.io/unschedulable", TaintEffect::kNoSchedule},
    {"node.kubernetes.io/network-unavailable", TaintEffect::kNoSchedule},
}};

void add_or_update(kube::PodSpec& spec, const kube::Toleration& wanted) {
  bool updated = false;
  for (kube::Toleration& toleration : spec.tolerations) {
    if (toleration.key != wanted.key || toleration.op != wanted.op || toleration.value != wanted.value ||
        toleration.effect != wanted.effect) {
      continue;
    }
    toleration = wanted;
    updated = true;
  }
  if (!updated) spec.tolerations.push_back(wanted);
}

}  // namespace

kube::PodSpec with_daemon_tolerations(kube::PodSpec spec) {
  const std::size_t count = spec.host_network ? kTolerations.size() : kTolerations.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    add_or_update(spec, {std::string(kTolerations[i].key), kube::TolerationOperator::kExists, "",
                         kTolerations[i].effect, std::nullopt});
  }
  return spec;
}

std::string daemon_target(const kube::PodSpec& spec) {
  if (!spec.node_name.empty()) return spec.node_name;
  if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return "";
  for (const kube::NodeSelectorTerm& term : spec.affinity->node->required->terms) {
    for (const kube::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key == kNodeNameField && field.op == kube::NodeSelectorOperator::kIn && field.values.size() == 1) {
        return field.values.front();
      }
    }
  }
  return "";
}

DaemonNodes::DaemonNodes(const kube::PodSpec& spec)
    : node_name_(spec.node_name), tolerations_(cluster::compile_tolerations(spec.tolerations, symbols_)) {
  for (const auto& [key, value] : spec.node_selector) {
    rule_.node_selector.push_back({symbols_.intern(key), kube::NodeSelectorOperator::kIn, {symbols_.intern(value)}});
  }
  if (spec.affinity && spec.affinity->node && spec.affinity->node->required) {
    rule_.has_terms = true;
    rule_.terms = cluster::compile_node_terms(*spec.affinity->node->required, symbols_);
  }
}

bool DaemonNodes::selects(const kube::Node& node) {
  if (!node_name_.empty() && node_name_ != node.metadata.name) return false;
  const cluster::LabelSet labels(node.metadata.labels, symbols_);
  return cluster::matches(rule_, labels, symbols_.intern(node.metadata.name), symbols_);
}

bool DaemonNodes::repelled(const kube::Node& node, TaintEffect effect) {
  for (const cluster::CompiledTaint& taint : cluster::compile_taints(node.taints, symbols_)) {
    if (taint.effect == effect && !cluster::tolerated(tolerations_, taint)) return true;
  }
  return false;
}

bool DaemonNodes::admits(const kube::Node& node) {
  return selects(node) && !repelled(node, TaintEffect::kNoSchedule) && !repelled(node, TaintEffect::kNoExecute);
}

bool DaemonNodes::keeps(const kube::Node& node) { return selects(node) && !repelled(node, TaintEffect::kNoExecute); }

}  // namespace loadline::workloads
