#include "hosts/advice/lint/preferences.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/text.h"
#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

/// How many of the nodes that could run the pods meet the term.
std::size_t meeting(const LintInput& input, const NodeNumbers& takers, const kube::NodeSelectorTerm& term) {
  if (term.match_expressions.empty() && term.match_fields.empty()) return 0;  // matches no node
  NodeNumbers met;
  std::ranges::set_intersection(takers, input.nodes_matching(term), std::back_inserter(met));
  return met.size();
}

/// What the takers have under the first label that the term names.
std::string nodes_have(const LintInput& input, const NodeNumbers& takers, const kube::NodeSelectorTerm& term) {
  if (term.match_expressions.empty()) return "";
  const std::string& key = term.match_expressions.front().key;
  std::map<std::string, std::size_t> values;
  for (const std::size_t node : takers) {
    const kube::StringMap& labels = input.nodes()[node].metadata.labels;
    if (const auto found = labels.find(key); found != labels.end()) ++values[found->second];
  }
  return values.empty() ? fmt::format("none of them has label {}", key)
                        : fmt::format("they have {}={}", key, tallied(values));
}

}  // namespace

void check_preferences(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.fit || workload.daemon || workload.fit->takers.size() < 2) continue;
    const auto& affinity = workload.written->affinity;
    if (!affinity || !affinity->node) continue;
    const NodeNumbers& takers = workload.fit->takers;
    for (std::size_t i = 0; i < affinity->node->preferred.size(); ++i) {
      const kube::NodeSelectorTerm& term = affinity->node->preferred[i].preference;
      const std::size_t met = meeting(input, takers, term);
      if (met != 0 && met != takers.size()) continue;
      findings.add(workload.subject(), workload.metadata->source,
                   workload.path(fmt::format(
                       "affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[{}].preference", i)),
                   fmt::format("changes nothing: {} of the {} that could run it meets it", met == 0 ? "none" : "each",
                               counted(takers.size(), "node")),
                   met == 0 ? nodes_have(input, takers, term) : "");
    }
  }
}

}  // namespace loadline::advice::lint
