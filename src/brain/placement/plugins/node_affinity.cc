#include "brain/placement/plugins/node_affinity.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "brain/cluster/shapes/shape_key.h"
#include "brain/placement/cycle.h"
#include "foundation/base/text.h"
#include "objects/kube/scalars.h"

namespace loadline::placement {
namespace {

struct FilterState final : PluginState {
  std::optional<std::vector<cluster::NodeTerm>> enforced;
};

struct NodeAffinityScoreState final : PluginState {
  std::optional<std::vector<cluster::WeightedNodeTerm>> enforced;
};

std::int64_t weigh(const std::vector<cluster::WeightedNodeTerm>& terms, const cluster::NodeFacts& facts,
                   const SymbolTable& symbols) {
  std::int64_t sum = 0;
  for (const cluster::WeightedNodeTerm& weighted : terms) {
    if (cluster::matches(weighted.term, facts.labels, facts.name, symbols)) sum += weighted.weight;
  }
  return sum;
}

/// What upstream cannot parse of a preferred term's requirement, which API validation lets pass.
void add_problems(const kube::NodeSelectorRequirement& requirement, const std::string& path,
                  std::vector<std::string>& problems) {
  const auto& values = requirement.values;
  const bool number =
      requirement.op == kube::NodeSelectorOperator::kGt || requirement.op == kube::NodeSelectorOperator::kLt;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string at = fmt::format("{}.values[{}]", path, i);
    if (number && !cluster::integer_label(values[i])) {
      problems.push_back(fmt::format(
          "{}: Invalid value: \"{}\": for 'Gt', 'Lt' operators, the value must be an integer", at, values[i]));
    }
    for (const std::string& problem : kube::label_value_problems(values[i])) {
      problems.push_back(fmt::format("{}[{}]: Invalid value: \"{}\": {}", at, requirement.key, values[i], problem));
    }
  }
}

/// The error with which upstream refuses to parse preferred terms; empty: it parses them.
std::string parse_error(const std::vector<kube::PreferredSchedulingTerm>& terms) {
  std::vector<std::string> problems;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].weight == 0) continue;
    const auto& expressions = terms[i].preference.match_expressions;
    for (std::size_t j = 0; j < expressions.size(); ++j) {
      add_problems(expressions[j], fmt::format("[{}].matchExpressions[{}]", i, j), problems);
    }
  }
  if (problems.size() < 2) return problems.empty() ? "" : problems.front();
  return "[" + joined(problems, ", ") + "]";
}

/// "a100", "in (a100,h100)", "not in (spot)", "any value", "no value", "> 4".
std::string wish_text(const cluster::Requirement& requirement, const SymbolTable& symbols) {
  std::vector<std::string_view> values;
  values.reserve(requirement.values.size());
  for (const Symbol value : requirement.values) values.push_back(symbols.text(value));
  std::sort(values.begin(), values.end());
  std::string list = "(" + joined(values, ",") + ")";
  switch (requirement.op) {
    case kube::NodeSelectorOperator::kIn:
      return values.size() == 1 ? std::string(values.front()) : "in " + list;
    case kube::NodeSelectorOperator::kNotIn:
      return "not in " + list;
    case kube::NodeSelectorOperator::kExists:
      return "any value";
    case kube::NodeSelectorOperator::kDoesNotExist:
      return "no value";
    case kube::NodeSelectorOperator::kGt:
      return fmt::format("> {}", requirement.number);
    case kube::NodeSelectorOperator::kLt:
      return fmt::format("< {}", requirement.number);
  }
  return list;
}

/// What the node would have to be, and is not, by the requirements on its labels and name.
class Mismatches {
 public:
  Mismatches(const cluster::NodeFacts& facts, const SymbolTable& symbols, std::string_view plugin)
      : facts_(facts), symbols_(symbols), plugin_(plugin) {}

  void add(const cluster::Requirement& requirement, std::vector<Obstacle>& to) const {
    if (requirement.matches(facts_.labels, symbols_)) return;
    const Symbol found = facts_.labels.find(requirement.key);
    to.push_back(mismatch(symbols_.text(requirement.key), requirement, found.valid() ? symbols_.text(found) : ""));
  }

  /// Those of the term that lacks least.
  void add_nearest(const std::vector<cluster::NodeTerm>& terms, std::vector<Obstacle>& to) const {
    std::optional<std::vector<Obstacle>> nearest;
    for (const cluster::NodeTerm& term : terms) {
      std::vector<Obstacle> lacking;
      for (const cluster::Requirement& requirement : term.labels) add(requirement, lacking);
      const cluster::NodeTerm names{{}, term.names};
      if (!term.names.empty() && !cluster::matches(names, facts_.labels, facts_.name, symbols_)) {
        lacking.push_back(mismatch("metadata.name", term.names.front(), symbols_.text(facts_.name)));
      }
      if (!nearest || lacking.size() < nearest->size()) nearest = std::move(lacking);
    }
    if (nearest) to.insert(to.end(), nearest->begin(), nearest->end());
  }

 private:
  [[nodiscard]] Obstacle mismatch(std::string_view subject, const cluster::Requirement& requirement,
                                  std::string_view found) const {
    Obstacle obstacle;
    obstacle.plugin = plugin_;
    obstacle.code = Code::kUnresolvable;
    obstacle.reason = {ReasonKind::kNodeAffinityMismatch, ""};
    obstacle.subject = subject;
    obstacle.wanted = wish_text(requirement, symbols_);
    obstacle.found = found;
    return obstacle;
  }

  const cluster::NodeFacts& facts_;
  const SymbolTable& symbols_;
  std::string_view plugin_;
};

}  // namespace

Locality NodeAffinity::sign(Cycle& cycle, Signature& signature) const {
  if (cycle.shape().candidate_node_names) return Locality::kCluster;  // a handful of nodes: nothing to rank
  signature.add(cluster::node_rules_key(*cycle.shape().spec));
  return Locality::kFacts;
}

PreFilterResult NodeAffinity::pre_filter(Cycle& cycle) const {
  const cluster::PodShape& shape = cycle.shape();
  const bool enforced = added_ && added_->required;
  if (!enforced && shape.node_affinity.unconstrained()) return PreFilterResult::skipped();
  PreFilterResult result;
  if (!shape.candidate_node_names) return result;
  if (shape.candidate_node_names->empty()) {
    return PreFilterResult::rejected({name(), Code::kUnresolvable, {{ReasonKind::kAffinityTermsConflict, ""}}});
  }
  result.only_nodes = shape.candidate_node_names;
  return result;
}

RejectionId NodeAffinity::filter(Cycle& cycle, cluster::NodeId node) const {
  const cluster::NodeFacts& facts = cycle.cluster().facts(node);
  const SymbolTable& symbols = cycle.cluster().symbols();
  const bool enforces = added_ && added_->required;
  std::optional<std::vector<cluster::NodeTerm>>& enforced = cycle.state<FilterState>(this).enforced;
  // Here rather than in PreFilter, which a profile may leave out.
  if (enforces && !enforced) enforced = cluster::compile_node_terms(*added_->required, cycle.cluster().symbols());
  if (enforces && !cluster::matches_any(*enforced, facts.labels, facts.name, symbols)) {
    return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kEnforcedAffinityMismatch);
  }
  if (cluster::matches(cycle.shape().node_affinity, facts.labels, facts.name, symbols)) return kPassed;
  return cycle.reject(*this, Code::kUnresolvable, ReasonKind::kNodeAffinityMismatch);
}

void NodeAffinity::explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const {
  const RejectionId rejection = filter(cycle, node);
  if (rejection == kPassed) return;
  const cluster::NodeFacts& facts = cycle.cluster().facts(node);
  const SymbolTable& symbols = cycle.cluster().symbols();
  const Mismatches mismatches(facts, symbols, name());
  const std::size_t before = obstacles.size();
  if (cycle.rejection(rejection).reasons.front().kind == ReasonKind::kNodeAffinityMismatch) {
    const cluster::NodeAffinityRule& rule = cycle.shape().node_affinity;
    for (const cluster::Requirement& requirement : rule.node_selector) mismatches.add(requirement, obstacles);
    if (rule.has_terms && !cluster::matches_any(rule.terms, facts.labels, facts.name, symbols)) {
      mismatches.add_nearest(rule.terms, obstacles);
    }
  }
  if (obstacles.size() > before) return;
  for (Obstacle& obstacle : obstacles_of(cycle.rejection(rejection))) obstacles.push_back(std::move(obstacle));
}

bool NodeAffinity::pre_score(Cycle& cycle, const FeasibleNodes&) const {
  const auto& spec = *cycle.shape().spec;
  const bool own = spec.affinity && spec.affinity->node && !spec.affinity->node->preferred.empty();
  const bool enforced = added_ && !added_->preferred.empty();
  if (!own && !enforced) return false;
  if (own) {
    if (std::string error = parse_error(spec.affinity->node->preferred); !error.empty()) {
      cycle.fail(std::move(error));
      return false;
    }
  }
  return true;
}

void NodeAffinity::score(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::span<std::int64_t> scores) const {
  const SymbolTable& symbols = cycle.cluster().symbols();
  std::optional<std::vector<cluster::WeightedNodeTerm>>& enforced = cycle.state<NodeAffinityScoreState>(this).enforced;
  if (!enforced) {  // here rather than in PreScore, which a profile may leave out
    enforced.emplace();
    if (added_) *enforced = cluster::compile_preferred(added_->preferred, cycle.cluster().symbols());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const cluster::NodeFacts& facts = cycle.cluster().facts(nodes[i]);
    scores[i] = weigh(*enforced, facts, symbols) + weigh(cycle.shape().preferred_node_affinity, facts, symbols);
  }
}

void NodeAffinity::normalize(Cycle&, std::span<const cluster::NodeId>, std::span<std::int64_t> scores) const {
  normalize_by_maximum(scores, false);
}

std::unique_ptr<Plugin> make_node_affinity(const kube::PluginArgs& args) {
  return std::make_unique<NodeAffinity>(args.node_affinity);
}

}  // namespace loadline::placement
