#include "hosts/advice/lint/spread.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "hosts/advice/lint/affinity_terms.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

constexpr std::string_view kSpreadPlugin = "PodTopologySpread";

std::string constraint_path(const JudgedWorkload& workload, std::size_t index, std::string_view field) {
  return workload.path(fmt::format("topologySpreadConstraints[{}].{}", index, field));
}

std::set<std::string> domains_of(const LintInput& input, const std::string& key, const NodeNumbers& nodes) {
  std::set<std::string> domains;
  for (const std::size_t node : nodes) {
    const kube::StringMap& labels = input.nodes()[node].metadata.labels;
    if (const auto found = labels.find(key); found != labels.end()) domains.insert(found->second);
  }
  return domains;
}

NodeNumbers all_nodes(const LintInput& input) {
  NodeNumbers numbers(input.nodes().size());
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = i;
  return numbers;
}

std::string labels_text(const kube::StringMap& labels) {
  if (labels.empty()) return "its pods have no labels";
  std::vector<std::string> texts;
  texts.reserve(labels.size());
  for (const auto& [key, value] : labels) texts.push_back(fmt::format("{}={}", key, value));
  return "its pods have " + listed(texts);
}

void judge_domains(const LintInput& input, const JudgedWorkload& workload, std::size_t index, Findings& findings) {
  const std::string& key = workload.written->topology_spread_constraints[index].topology_key;
  const std::set<std::string> usable = domains_of(input, key, workload.fit->takers);
  const std::set<std::string> all = domains_of(input, key, all_nodes(input));
  if (usable.size() != 1 || all.size() < 2) return;
  findings.add(workload.subject(), workload.metadata->source, constraint_path(workload, index, "topologyKey"),
               fmt::format("changes nothing: of the {} values of {}, only {} has nodes that its pods could run on",
                           all.size(), key, *usable.begin()));
}

/// Every label key of the nodes.
std::vector<std::string> label_keys(const LintInput& input) {
  std::set<std::string> keys;
  for (const kube::Node& node : input.nodes()) {
    for (const auto& [key, value] : node.metadata.labels) keys.insert(key);
  }
  return {keys.begin(), keys.end()};
}

void judge_key(const JudgedWorkload& workload, const std::vector<std::string>& keys, const std::string& key,
               std::string path, std::string_view consequence, Findings& findings) {
  if (key.empty() || key == "kubernetes.io/hostname" || std::ranges::binary_search(keys, key)) return;
  findings.add(workload.subject(), workload.metadata->source, std::move(path),
               fmt::format("no node has label {}, so {}", key, consequence), did_you_mean(key, keys));
}

}  // namespace

void check_spread_selectors(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const auto& constraints = workload.written->topology_spread_constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const auto& selector = constraints[i].label_selector;
      if (selector && kube::matches(*selector, workload.pod.metadata.labels)) continue;
      const std::string_view field = selector ? "labelSelector" : "topologyKey";
      findings.add(workload.subject(), workload.metadata->source, constraint_path(workload, i, field),
                   selector ? "does not select the workload's own pods, so they are not spread"
                            : "has no labelSelector, so it selects no pod and spreads nothing",
                   labels_text(workload.pod.metadata.labels));
    }
  }
}

void check_spread_domains(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || workload.replicas < 2 || workload.fit->room.blocker == kSpreadPlugin) continue;
    for (std::size_t i = 0; i < workload.written->topology_spread_constraints.size(); ++i) {
      judge_domains(input, workload, i, findings);
    }
  }
}

void check_topology_keys(const LintInput& input, Findings& findings) {
  const std::vector<std::string> keys = label_keys(input);
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    const auto& constraints = workload.written->topology_spread_constraints;
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const bool hard = constraints[i].when_unsatisfiable == kube::UnsatisfiableAction::kDoNotSchedule;
      judge_key(workload, keys, constraints[i].topology_key, constraint_path(workload, i, "topologyKey"),
                hard ? "no pod can ever be scheduled" : "nothing is spread", findings);
    }
    for (const PlacedTerm& each : affinity_terms(workload)) {
      judge_key(workload, keys, each.term->topology_key, each.path + ".topologyKey",
                each.required && !each.anti ? "no pod can ever be scheduled" : "the term has no effect", findings);
    }
  }
}

}  // namespace loadline::advice::lint
