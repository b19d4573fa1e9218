#include <algorithm>
#include <array>
#include <set>

#include "cluster/labels.h"
#include "cluster/shape.h"
#include "cluster/shape_compiler.h"
#include "workloads/controller.h"

namespace loadline::workloads {
namespace {

using kube::TaintEffect;

constexpr std::string_view kNodeName = "metadata.name";

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

kube::PodSpec with_daemon_tolerations(kube::PodSpec spec) {
  const std::size_t count = spec.host_network ? kTolerations.size() : kTolerations.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    add_or_update(spec, {std::string(kTolerations[i].key), kube::TolerationOperator::kExists, "",
                         kTolerations[i].effect, std::nullopt});
  }
  return spec;
}

/// Required node affinity is replaced: the controller has judged it already.
std::shared_ptr<const kube::PodSpec> for_node(const kube::PodSpec& common, const std::string& node) {
  auto spec = std::make_shared<kube::PodSpec>(common);
  if (!spec->affinity) spec->affinity.emplace();
  if (!spec->affinity->node) spec->affinity->node.emplace();
  kube::NodeSelectorTerm term;
  term.match_fields.push_back({std::string(kNodeName), kube::NodeSelectorOperator::kIn, {node}});
  spec->affinity->node->required = kube::NodeSelector{{std::move(term)}};
  return spec;
}

/// Which nodes get a daemon pod. Source: NodeShouldRunDaemonPod in pkg/controller/daemon, v1.36.
class Eligibility {
 public:
  explicit Eligibility(const kube::PodSpec& spec)
      : node_name_(spec.node_name), tolerations_(cluster::compile_tolerations(spec.tolerations, symbols_)) {
    for (const auto& [key, value] : spec.node_selector) {
      rule_.node_selector.push_back({symbols_.intern(key), kube::NodeSelectorOperator::kIn, {symbols_.intern(value)}});
    }
    if (spec.affinity && spec.affinity->node && spec.affinity->node->required) {
      rule_.has_terms = true;
      rule_.terms = cluster::compile_node_terms(*spec.affinity->node->required, symbols_);
    }
  }

  bool admits(const kube::Node& node) {
    if (!node_name_.empty() && node_name_ != node.metadata.name) return false;
    const cluster::LabelSet labels(node.metadata.labels, symbols_);
    if (!cluster::matches(rule_, labels, symbols_.intern(node.metadata.name), symbols_)) return false;
    for (const cluster::CompiledTaint& taint : cluster::compile_taints(node.taints, symbols_)) {
      const bool repels = taint.effect == TaintEffect::kNoSchedule || taint.effect == TaintEffect::kNoExecute;
      if (repels && !cluster::tolerated(tolerations_, taint)) return false;
    }
    return true;
  }

 private:
  SymbolTable symbols_;
  const std::string& node_name_;
  cluster::NodeAffinityRule rule_;
  std::vector<cluster::CompiledToleration> tolerations_;
};

/// The node that a DaemonSet made a pod for: where it is bound, or what its node affinity names; empty if neither says.
std::string target_node(const kube::PodSpec& spec) {
  if (!spec.node_name.empty()) return spec.node_name;
  if (!spec.affinity || !spec.affinity->node || !spec.affinity->node->required) return "";
  for (const kube::NodeSelectorTerm& term : spec.affinity->node->required->terms) {
    for (const kube::NodeSelectorRequirement& field : term.match_fields) {
      if (field.key == kNodeName && field.op == kube::NodeSelectorOperator::kIn && field.values.size() == 1) {
        return field.values.front();
      }
    }
  }
  return "";
}

}  // namespace

void expand(const kube::DaemonSet& daemon_set, const View& view, Expansion& expansion) {
  const Workload workload{"DaemonSet", daemon_set.metadata.namespace_, daemon_set.metadata.name};
  std::set<std::string> served;
  const auto existing = view.existing.controlled_by("DaemonSet", daemon_set.metadata);
  for (const kube::Pod* const pod : existing) {
    if (!pod->finished()) served.insert(target_node(*pod->spec));
  }
  const kube::PodSpec spec = with_daemon_tolerations(*daemon_set.template_.spec);
  Eligibility eligibility(spec);
  PodMaker maker(view, workload, "apps/v1", "DaemonSet", daemon_set.metadata, daemon_set.template_, existing);
  const std::string base = daemon_set.metadata.name + "-";
  bool any_eligible = false;
  for (const kube::Node& node : view.objects.nodes) {
    if (!eligibility.admits(node)) continue;
    any_eligible = true;
    if (served.contains(node.metadata.name)) continue;
    CreatedPod created = maker.generated(base);
    created.pod.spec = for_node(spec, node.metadata.name);
    expansion.pods.push_back(std::move(created));
  }
  if (!any_eligible) expansion.notes.push_back({workload, "no node is eligible for its pods"});
}

}  // namespace loadline::workloads
