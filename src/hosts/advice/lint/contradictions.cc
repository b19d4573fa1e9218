#include "hosts/advice/lint/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include "hosts/advice/lint/wording.h"

namespace loadline::advice::lint {
namespace {

using kube::NodeSelectorOperator;
using kube::NodeSelectorRequirement;

/// One requirement and where it stands.
struct Placed {
  NodeSelectorRequirement requirement;
  std::string path;
};

std::optional<std::int64_t> integer(const std::vector<std::string>& values) {
  if (values.size() != 1) return std::nullopt;
  std::int64_t number = 0;
  const std::string& text = values.front();
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string said(const NodeSelectorRequirement& requirement) {
  const std::string values = listed(requirement.values);
  const std::string_view or_one = requirement.values.size() > 1 ? "one of " : "";
  switch (requirement.op) {
    case NodeSelectorOperator::kIn:
      return fmt::format("be {}{}", or_one, values);
    case NodeSelectorOperator::kNotIn:
      return fmt::format("not be {}{}", or_one, values);
    case NodeSelectorOperator::kExists:
      return "exist";
    case NodeSelectorOperator::kDoesNotExist:
      return "be absent";
    case NodeSelectorOperator::kGt:
      return "be more than " + values;
    case NodeSelectorOperator::kLt:
      return "be less than " + values;
  }
  return "";
}

bool contains(const std::vector<std::string>& values, const std::string& value) {
  return std::ranges::find(values, value) != values.end();
}

bool needs_label(NodeSelectorOperator op) {
  return op != NodeSelectorOperator::kNotIn && op != NodeSelectorOperator::kDoesNotExist;
}

/// Whether no value, and no absence, satisfies both.
bool exclude(const NodeSelectorRequirement& a, const NodeSelectorRequirement& b) {
  using enum NodeSelectorOperator;
  if (a.op == kDoesNotExist) return needs_label(b.op);
  if (b.op == kDoesNotExist) return needs_label(a.op);
  if (a.op == kIn && (b.op == kIn || b.op == kNotIn)) {
    return std::ranges::none_of(a.values,
                                [&](const std::string& value) { return contains(b.values, value) == (b.op == kIn); });
  }
  if (b.op == kIn && a.op == kNotIn) return exclude(b, a);
  const auto from = a.op == kGt ? integer(a.values) : b.op == kGt ? integer(b.values) : std::nullopt;
  const auto to = a.op == kLt ? integer(a.values) : b.op == kLt ? integer(b.values) : std::nullopt;
  if (!from || !to || *from == std::numeric_limits<std::int64_t>::max()) return false;
  return *from + 1 > *to - 1 || *to == std::numeric_limits<std::int64_t>::min();
}

std::optional<Contradiction> among(const std::vector<Placed>& requirements) {
  for (std::size_t later = 1; later < requirements.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const auto& [a, a_path] = requirements[earlier];
      const auto& [b, b_path] = requirements[later];
      if (a.key != b.key || !exclude(a, b)) continue;
      return Contradiction{b_path, fmt::format("contradicts {}: label {} must {} here, and {} there; no node can ever "
                                               "satisfy both",
                                               a_path, b.key, said(b), said(a))};
    }
  }
  return std::nullopt;
}

std::vector<Placed> of_selector(const JudgedWorkload& workload) {
  std::vector<Placed> placed;
  for (const auto& [key, value] : workload.written->node_selector) {
    placed.push_back({{key, NodeSelectorOperator::kIn, {value}}, workload.path("nodeSelector[" + key + "]")});
  }
  return placed;
}

}  // namespace

std::optional<Contradiction> contradiction_of(const JudgedWorkload& workload) {
  const std::vector<Placed> selector = of_selector(workload);
  const auto& affinity = workload.written->affinity;
  if (!affinity || !affinity->node || !affinity->node->required) return std::nullopt;
  std::optional<Contradiction> first;
  const std::vector<kube::NodeSelectorTerm>& terms = affinity->node->required->terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    std::vector<Placed> all = selector;
    for (std::size_t j = 0; j < terms[i].match_expressions.size(); ++j) {
      all.push_back({terms[i].match_expressions[j],
                     workload.path(fmt::format("affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
                                               "nodeSelectorTerms[{}].matchExpressions[{}]",
                                               i, j))});
    }
    std::optional<Contradiction> found = among(all);
    if (!found) return std::nullopt;
    if (!first) first = std::move(found);
  }
  return first;
}

void check_contradictions(const LintInput& input, Findings& findings) {
  for (const JudgedWorkload& workload : input.workloads()) {
    if (!workload.judged) continue;
    if (const auto found = contradiction_of(workload)) {
      findings.add(workload.subject(), workload.metadata->source, found->path, found->message);
    }
  }
}

}  // namespace loadline::advice::lint
