#include "hosts/advice/lint/labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/advice/lint/affinity_terms.h"
#include "hosts/advice/lint/wording.h"
#include "objects/kube/core/namespace.h"

namespace loadline::advice::lint {
namespace {

struct RetiredName {
  std::string_view name;
  std::string_view successor;
};

constexpr std::array kRetiredLabels = {
    RetiredName{"beta.kubernetes.io/arch", "kubernetes.io/arch"},
    RetiredName{"beta.kubernetes.io/os", "kubernetes.io/os"},
    RetiredName{"beta.kubernetes.io/instance-type", "node.kubernetes.io/instance-type"},
    RetiredName{"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    RetiredName{"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    RetiredName{"node-role.kubernetes.io/master", "node-role.kubernetes.io/control-plane"},
};

constexpr std::array kRetiredAnnotations = {
    RetiredName{"scheduler.alpha.kubernetes.io/critical-pod", "priorityClassName"},
    RetiredName{"scheduler.alpha.kubernetes.io/affinity", "spec.affinity"},
    RetiredName{"scheduler.alpha.kubernetes.io/tolerations", "spec.tolerations"},
};

template <class Table>
const RetiredName* find_retired(const Table& table, std::string_view name) {
  const auto found = std::ranges::find_if(table, [&](const RetiredName& each) { return each.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// Every place of a workload that names a node's label.
class LabelUses {
 public:
  LabelUses(const JudgedWorkload& workload, Findings& findings) : workload_(workload), findings_(findings) {}

  void judge() {
    const kube::PodSpec& spec = *workload_.written;
    for (const auto& [key, value] : spec.node_selector) use(key, workload_.path("nodeSelector[" + key + "]"));
    for (std::size_t i = 0; i < spec.topology_spread_constraints.size(); ++i) {
      use(spec.topology_spread_constraints[i].topology_key,
          workload_.path(fmt::format("topologySpreadConstraints[{}].topologyKey", i)));
    }
    for (const PlacedTerm& each : affinity_terms(workload_)) use(each.term->topology_key, each.path + ".topologyKey");
    if (spec.affinity && spec.affinity->node) judge(*spec.affinity->node);
    for (const auto& [key, value] : workload_.pod.metadata.annotations) {
      const RetiredName* retired = find_retired(kRetiredAnnotations, key);
      if (retired == nullptr) continue;
      add(fmt::format("{}annotations[{}]", workload_.template_path.empty() ? "metadata." : "spec.template.metadata.",
                      key),
          fmt::format("annotation {} has had no effect for years", key), fmt::format("use {}", retired->successor));
    }
  }

 private:
  void judge(const kube::NodeAffinity& affinity) {
    if (affinity.required) {
      for (std::size_t i = 0; i < affinity.required->terms.size(); ++i) {
        judge(affinity.required->terms[i],
              fmt::format("requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[{}]", i));
      }
    }
    for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
      judge(affinity.preferred[i].preference,
            fmt::format("preferredDuringSchedulingIgnoredDuringExecution[{}].preference", i));
    }
  }

  void judge(const kube::NodeSelectorTerm& term, const std::string& field) {
    for (std::size_t j = 0; j < term.match_expressions.size(); ++j) {
      use(term.match_expressions[j].key,
          workload_.path(fmt::format("affinity.nodeAffinity.{}.matchExpressions[{}].key", field, j)));
    }
  }

  void use(const std::string& key, std::string path) {
    const RetiredName* retired = find_retired(kRetiredLabels, key);
    if (retired == nullptr) return;
    add(std::move(path), fmt::format("label {} is deprecated, and new nodes may lack it", key),
        fmt::format("use {}", retired->successor));
  }

  void add(std::string path, std::string message, std::string hint) {
    findings_.add(workload_.subject(), workload_.metadata->source, std::move(path), std::move(message),
                  std::move(hint));
  }

  const JudgedWorkload& workload_;
  Findings& findings_;
};

}  // namespace

void check_retired_labels(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (workload.judged) LabelUses(workload, findings).judge();
  }
}

void check_namespaces(const LintInput& input, Findings& findings) {
  if (input.objects().of<kube::Namespace>().empty()) return;
  std::vector<std::string> declared = {"default", "kube-system", "kube-public", "kube-node-lease"};
  for (const kube::Namespace& each : input.objects().of<kube::Namespace>()) declared.push_back(each.metadata.name);
  for (const JudgedWorkload& workload : input.workloads()) {
    const std::string& name = workload.name_space();
    if (!workload.judged || std::ranges::find(declared, name) != declared.end()) continue;
    const std::string meant = nearest(name, declared);
    if (meant.empty()) continue;
    findings.add(workload.subject(), workload.metadata->source, "metadata.namespace",
                 fmt::format("no namespace {} is declared, and {} nearly is", name, meant),
                 fmt::format("did you mean {}?", meant));
  }
}

}  // namespace loadline::advice::lint
