#include "hosts/advice/lint/unsatisfiable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/contradictions.h"
#include "hosts/advice/lint/pod_fields.h"
#include "hosts/advice/lint/wording.h"
#include "hosts/advice/taints.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/schema.h"

namespace loadline::advice::lint {
namespace {

using kube::NodeSelectorOperator;

constexpr std::string_view kRequiredTerms =
    "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";

enum class Cause : std::uint8_t { kNone, kSelector, kUnknownResource, kRequests, kTaints };

NodeNumbers both(const NodeNumbers& a, const NodeNumbers& b) {
  NodeNumbers common;
  std::ranges::set_intersection(a, b, std::back_inserter(common));
  return common;
}

bool any_offers(const LintInput& input, std::string_view resource) {
  return std::ranges::any_of(input.nodes(), [&](const kube::Node& node) {
    return node.allocatable.contains(resource) || node.capacity.contains(resource);
  });
}

/// Extended resources that the workload demands and no node has. REQUIRES: no node takes its pods.
std::vector<std::string> unknown_resources(const LintInput& input, const JudgedWorkload& workload) {
  std::vector<std::string> names;
  if (input.nodes().empty()) return names;
  for (const auto& [name, amount] : kube::pod_requests(*workload.pod.spec, nullptr, {})) {
    const bool is_demanded = amount.sign() > 0 && workload.fit->demanded.contains(name);
    if (is_demanded && kube::is_extended_resource(name) && !any_offers(input, name)) names.push_back(name);
  }
  return names;
}

Cause cause_of(const LintInput& input, const JudgedWorkload& workload) {
  if (!workload.fit || !workload.fit->takers.empty() || contradiction_of(workload)) return Cause::kNone;
  const Fit& fit = *workload.fit;
  if (fit.selected.empty()) return Cause::kSelector;
  if (!unknown_resources(input, workload).empty()) return Cause::kUnknownResource;
  return both(fit.selected, fit.large).empty() ? Cause::kRequests : Cause::kTaints;
}

template <class Report>
void each_with(const LintInput& input, Cause cause, const Report& report) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (workload.judged && cause_of(input, workload) == cause) report(workload);
  }
}

// ---- selectors -----------------------------------------------------------------------------------------------------

/// What stands on nodes under a label: "nodes have gpu-type=v100 (3), t4 (2)", or which label was meant.
std::string nodes_have(const LintInput& input, const std::string& key) {
  std::map<std::string, std::size_t> values;
  std::set<std::string> keys;
  for (const kube::Node& node : input.nodes()) {
    for (const auto& [label, value] : node.metadata.labels) keys.insert(label);
    if (const auto found = node.metadata.labels.find(key); found != node.metadata.labels.end()) ++values[found->second];
  }
  if (!values.empty()) return fmt::format("nodes have {}={}", key, tallied(values));
  return did_you_mean(key, {keys.begin(), keys.end()});
}

bool any_has_key(const LintInput& input, const std::string& key) {
  return std::ranges::any_of(input.nodes(), [&](const kube::Node& node) { return node.metadata.labels.contains(key); });
}

kube::NodeSelectorTerm single(kube::NodeSelectorRequirement requirement) {
  kube::NodeSelectorTerm term;
  term.match_expressions.push_back(std::move(requirement));
  return term;
}

std::string requirement_text(const kube::NodeSelectorRequirement& requirement) {
  using enum NodeSelectorOperator;
  const bool alone = requirement.op == kIn && requirement.values.size() == 1;
  if (alone) return requirement.key + "=" + requirement.values.front();
  return fmt::format("{} {}{}{}", requirement.key, kube::name_of(requirement.op), requirement.values.empty() ? "" : " ",
                     listed(requirement.values));
}

class SelectorReport {
 public:
  SelectorReport(const LintInput& input, const JudgedWorkload& workload, Findings& findings)
      : input_(input), workload_(workload), findings_(findings) {}

  void write() {
    for (const auto& [key, value] : workload_.written->node_selector) {
      judge({key, NodeSelectorOperator::kIn, {value}}, "nodeSelector[" + key + "]");
    }
    judge_terms();
    if (written_ == 0) add_combination();
  }

 private:
  bool judge(const kube::NodeSelectorRequirement& requirement, const std::string& field) {
    if (!input_.nodes_matching(single(requirement)).empty()) return false;
    const bool known = any_has_key(input_, requirement.key);
    const bool needs_value = requirement.op != NodeSelectorOperator::kExists;
    add(field,
        known || !needs_value ? fmt::format("no node has {}", requirement_text(requirement))
                              : fmt::format("no node has label {}", requirement.key),
        nodes_have(input_, requirement.key));
    return true;
  }

  /// If no term can be met: the first requirement of each that no node meets.
  void judge_terms() {
    const auto& affinity = workload_.written->affinity;
    if (!affinity || !affinity->node || !affinity->node->required) return;
    const std::vector<kube::NodeSelectorTerm>& terms = affinity->node->required->terms;
    const auto hopeless = [&](const kube::NodeSelectorTerm& term) { return input_.nodes_matching(term).empty(); };
    if (!std::ranges::all_of(terms, hopeless)) return;
    for (std::size_t i = 0; i < terms.size(); ++i) judge_term(terms[i], i);
  }

  void judge_term(const kube::NodeSelectorTerm& term, std::size_t index) {
    const std::string field = fmt::format("{}[{}]", kRequiredTerms, index);
    bool named = false;
    for (std::size_t j = 0; j < term.match_expressions.size(); ++j) {
      named |= judge(term.match_expressions[j], fmt::format("{}.matchExpressions[{}]", field, j));
    }
    if (named) return;
    if (!term.match_fields.empty()) {
      add(field + ".matchFields", "no node has that name", "");
    } else {
      add(field, "no node meets all of its requirements at once, though each is met by some node", "");
    }
  }

  void add_combination() {
    std::vector<std::string> wanted;
    wanted.reserve(workload_.written->node_selector.size());
    for (const auto& [key, value] : workload_.written->node_selector) {
      wanted.push_back(fmt::format("{}={}", key, value));
    }
    const bool has_affinity = workload_.written->affinity && workload_.written->affinity->node;
    const std::string message =
        wanted.size() > 1 && !has_affinity
            ? fmt::format("no node has all of {}, though each is on some node", listed(wanted))
            : "no node satisfies nodeSelector and required node affinity together, though some satisfy each";
    add(wanted.empty() ? "affinity.nodeAffinity" : "nodeSelector", message, "");
  }

  void add(const std::string& field, std::string message, std::string hint) {
    ++written_;
    findings_.add(workload_.subject(), workload_.metadata->source, workload_.path(field), std::move(message),
                  std::move(hint));
  }

  const LintInput& input_;
  const JudgedWorkload& workload_;
  Findings& findings_;
  std::size_t written_ = 0;
};

// ---- requests ------------------------------------------------------------------------------------------------------

kube::Quantity offered(const kube::Node& node, const std::string& resource) {
  const auto found = node.allocatable.find(resource);
  return found == node.allocatable.end() ? kube::Quantity() : found->second;
}

/// The most that one of the nodes offers.
kube::Quantity largest(const LintInput& input, const NodeNumbers& nodes, const std::string& resource) {
  kube::Quantity most;
  for (const std::size_t node : nodes) most = std::max(most, offered(input.nodes()[node], resource));
  return most;
}

void report_requests(const LintInput& input, const JudgedWorkload& workload, Findings& findings) {
  const NodeNumbers& nodes = workload.fit->selected;
  const bool all = nodes.size() == input.nodes().size();
  const std::string which = all                 ? "the largest node"
                            : nodes.size() == 1 ? "the only node that its node selector and affinity allow"
                                                : fmt::format(
                                                      "the largest of the {} that its node selector and "
                                                      "affinity allow",
                                                      counted(nodes.size(), "node"));
  bool named = false;
  for (const auto& [resource, amount] : kube::pod_requests(*workload.pod.spec, nullptr, {})) {
    const kube::Quantity most = largest(input, nodes, resource);
    if (!workload.fit->demanded.contains(resource) || amount <= most) continue;
    findings.add(workload.subject(), workload.metadata->source, resource_path(workload, resource),
                 fmt::format("a pod asks for {} {}; {} has {}", amount.to_string(), resource, which, most.to_string()));
    named = true;
  }
  if (named) return;
  findings.add(workload.subject(), workload.metadata->source, workload.path("containers[0].resources"),
               fmt::format("no node has all that a pod asks for at once, though for each resource {}",
                           all ? "one is large enough" : "one of those that its node selector allows is large enough"));
}

void report_unknown(const LintInput& input, const JudgedWorkload& workload, Findings& findings) {
  std::set<std::string> offered_names;
  for (const kube::Node& node : input.nodes()) {
    for (const auto& [name, amount] : node.allocatable) {
      if (kube::is_extended_resource(name)) offered_names.insert(name);
    }
  }
  const std::vector<std::string> known(offered_names.begin(), offered_names.end());
  for (const std::string& resource : unknown_resources(input, workload)) {
    std::string hint = did_you_mean(resource, known);
    if (hint.empty() && !known.empty()) hint = "nodes have " + listed(known);
    findings.add(workload.subject(), workload.metadata->source, resource_path(workload, resource),
                 fmt::format("no node has the resource {}", resource), hint);
  }
}

/// Without nodes: only what is nearly a well-known name.
void report_misspelt(const LintInput& input, Findings& findings) {
  static constexpr std::string_view kWellKnown[] = {"nvidia.com/gpu", "amd.com/gpu", "google.com/tpu",
                                                    "aws.amazon.com/neuron", "habana.ai/gaudi"};
  const std::vector<std::string> known(std::begin(kWellKnown), std::end(kWellKnown));
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    for (const auto& [name, amount] : kube::pod_requests(*workload.written, nullptr, {})) {
      if (!kube::is_extended_resource(name) || std::ranges::find(known, name) != known.end()) continue;
      const std::string meant = nearest(name, known);
      const bool variant = !meant.empty() && name.starts_with(meant + ".");  // nvidia.com/gpu.shared
      if (meant.empty() || variant) continue;
      findings.add(workload.subject(), workload.metadata->source, resource_path(workload, name),
                   fmt::format("{} is no resource that a device plugin is known to offer", name),
                   fmt::format("did you mean {}?", meant));
    }
  }
}

// ---- taints --------------------------------------------------------------------------------------------------------

/// "nvidia.com/gpu=present:NoSchedule".
std::string taint_text(const kube::Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value, kube::name_of(taint.effect));
}

std::string toleration_for(const kube::Taint& taint) {
  return fmt::format("add a toleration: {{key: {}, operator: Exists, effect: {}}}", taint.key,
                     kube::name_of(taint.effect));
}

/// What to write, given that a toleration of the same key may be there and say the wrong thing.
std::string cure_for(const JudgedWorkload& workload, const kube::Taint& taint) {
  for (const kube::Toleration& toleration : workload.written->tolerations) {
    if (toleration.key != taint.key) continue;
    if (toleration.op == kube::TolerationOperator::kEqual && toleration.value != taint.value) {
      return fmt::format("its toleration of {} names value \"{}\"; the taint's is \"{}\"", taint.key, toleration.value,
                         taint.value);
    }
    return fmt::format("its toleration of {} names another effect than {}", taint.key, kube::name_of(taint.effect));
  }
  return toleration_for(taint);
}

void report_taints(const LintInput& input, const JudgedWorkload& workload, Findings& findings) {
  const NodeNumbers fitting = both(workload.fit->selected, workload.fit->large);
  std::map<std::string, std::size_t> counts;
  const kube::Taint* common = nullptr;
  for (const std::size_t node : fitting) {
    for (const kube::Taint& taint : input.nodes()[node].taints) {
      if (!keeps_out(taint) || tolerates(workload, taint)) continue;
      ++counts[taint_text(taint)];
      if (common == nullptr || counts[taint_text(taint)] > counts[taint_text(*common)]) common = &taint;
    }
  }
  const std::string nodes =
      fitting.size() == 1
          ? fmt::format("the only node that it could run on, {}, has", input.nodes()[fitting.front()].metadata.name)
          : fmt::format("each of the {} that it could run on has", counted(fitting.size(), "node"));
  std::vector<std::string> names;
  names.reserve(counts.size());
  for (const auto& [name, count] : counts) names.push_back(name);
  findings.add(workload.subject(), workload.metadata->source, workload.path("tolerations"),
               fmt::format("{} taints that it does not tolerate: {}", nodes, listed(names)),
               common == nullptr ? "" : cure_for(workload, *common));
}

}  // namespace

void check_selectors(const LintInput& input, Findings& findings) {
  each_with(input, Cause::kSelector,
            [&](const JudgedWorkload& workload) { SelectorReport(input, workload, findings).write(); });
}

void check_requests(const LintInput& input, Findings& findings) {
  each_with(input, Cause::kRequests,
            [&](const JudgedWorkload& workload) { report_requests(input, workload, findings); });
}

void check_resources_exist(const LintInput& input, Findings& findings) {
  if (input.nodes().empty()) return report_misspelt(input, findings);
  each_with(input, Cause::kUnknownResource,
            [&](const JudgedWorkload& workload) { report_unknown(input, workload, findings); });
}

void check_taints(const LintInput& input, Findings& findings) {
  each_with(input, Cause::kTaints, [&](const JudgedWorkload& workload) { report_taints(input, workload, findings); });
}

}  // namespace loadline::advice::lint
