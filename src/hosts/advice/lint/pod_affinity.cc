#include "hosts/advice/lint/pod_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "hosts/advice/lint/affinity_terms.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

bool selects(const PlacedTerm& each, const JudgedWorkload& owner, const kube::ObjectMeta& pod) {
  return term_matches(*each.term, owner.name_space(), pod.namespace_, pod.labels);
}

bool selects_anything(const LintInput& input, const PlacedTerm& each, const JudgedWorkload& owner) {
  return std::ranges::any_of(input.workloads(),
                             [&](const JudgedWorkload& other) { return selects(each, owner, other.pod.metadata); }) ||
         std::ranges::any_of(input.other_pods(),
                             [&](const kube::Pod* other) { return selects(each, owner, other->metadata); }) ||
         std::ranges::any_of(input.made_pods(),
                             [&](const kube::ObjectMeta& other) { return selects(each, owner, other); });
}

/// What pods have under the keys that the selector names: "pods have app=redis (2), web (1)".
std::string labels_there(const LintInput& input, const kube::LabelSelector& selector) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : selector.match_labels) keys.push_back(key);
  for (const auto& requirement : selector.match_expressions) keys.push_back(requirement.key);
  for (const std::string& key : keys) {
    std::map<std::string, std::size_t> values;
    for (const JudgedWorkload& workload : input.workloads()) {
      const auto found = workload.pod.metadata.labels.find(key);
      if (found != workload.pod.metadata.labels.end()) ++values[found->second];
    }
    if (!values.empty()) return fmt::format("workloads have {}={}", key, tallied(values));
  }
  return keys.empty() ? "" : fmt::format("no workload has label {}", keys.front());
}

std::string selector_path(const PlacedTerm& each) {
  return each.path + (each.term->label_selector ? ".labelSelector" : ".topologyKey");
}

template <class Wanted>
void report(const LintInput& input, Findings& findings, std::string_view message, const Wanted& wanted) {
  if (!input.knows_pods()) return;
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    for (const PlacedTerm& each : affinity_terms(workload)) {
      if (!wanted(each) || selects_anything(input, each, workload)) continue;
      findings.add(workload.subject(), workload.metadata->source, selector_path(each), std::string(message),
                   each.term->label_selector ? labels_there(input, *each.term->label_selector)
                                             : "a term without labelSelector selects no pod");
    }
  }
}

}  // namespace

void check_affinity_targets(const LintInput& input, Findings& findings) {
  report(input, findings, "selects no pod of the input, so its pods wait forever",
         [](const PlacedTerm& each) { return each.required && !each.anti; });
}

void check_terms_without_pods(const LintInput& input, Findings& findings) {
  report(input, findings, "selects no pod of the input, so it changes nothing",
         [](const PlacedTerm& each) { return !each.required || each.anti; });
}

void check_priority_inversion(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged || workload.priority_rejection) continue;
    for (const PlacedTerm& each : affinity_terms(workload)) {
      if (!each.required || each.anti || selects(each, workload, workload.pod.metadata)) continue;
      const JudgedWorkload* best = nullptr;
      for (const JudgedWorkload& other : input.workloads()) {
        if (!selects(each, workload, other.pod.metadata)) continue;
        if (best == nullptr || other.priority() > best->priority()) best = &other;
      }
      if (best == nullptr || best->priority_rejection || best->priority() >= workload.priority()) continue;
      findings.add(workload.subject(), workload.metadata->source, each.path,
                   fmt::format("must run beside {}, whose priority {} is lower than its own {}: whatever preempts that "
                               "one takes away what it needs",
                               best->subject(), best->priority(), workload.priority()));
    }
  }
}

}  // namespace loadline::advice::lint
