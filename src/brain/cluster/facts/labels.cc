#include "brain/cluster/facts/labels.h"

#include <charconv>

#include "objects/kube/scalars.h"

namespace loadline::cluster {
namespace {

Requirement compile(std::string_view key, kube::NodeSelectorOperator op, const std::vector<std::string>& values,
                    SymbolTable& symbols) {
  Requirement requirement;
  requirement.key = symbols.intern(key);
  requirement.op = op;
  for (const std::string& value : values) requirement.values.push_back(symbols.intern(value));
  std::sort(requirement.values.begin(), requirement.values.end());
  requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()), requirement.values.end());
  const bool set = op == kube::NodeSelectorOperator::kIn || op == kube::NodeSelectorOperator::kNotIn;
  if (set) requirement.valid = !values.empty();
  if (op == kube::NodeSelectorOperator::kGt || op == kube::NodeSelectorOperator::kLt) {
    const auto number = values.size() == 1 ? integer_label(values.front()) : std::nullopt;
    requirement.valid = number.has_value();
    requirement.number = number.value_or(0);
  }
  const auto is_label_value = [](const std::string& value) { return kube::label_value_problems(value).empty(); };
  requirement.valid = requirement.valid && std::all_of(values.begin(), values.end(), is_label_value);
  return requirement;
}

kube::NodeSelectorOperator as_node_operator(kube::LabelSelectorOperator op) {
  switch (op) {
    case kube::LabelSelectorOperator::kIn:
      return kube::NodeSelectorOperator::kIn;
    case kube::LabelSelectorOperator::kNotIn:
      return kube::NodeSelectorOperator::kNotIn;
    case kube::LabelSelectorOperator::kExists:
      return kube::NodeSelectorOperator::kExists;
    case kube::LabelSelectorOperator::kDoesNotExist:
      return kube::NodeSelectorOperator::kDoesNotExist;
  }
  return kube::NodeSelectorOperator::kIn;
}

bool contains(const std::vector<Symbol>& sorted, Symbol wanted) {
  return std::binary_search(sorted.begin(), sorted.end(), wanted);
}

/// A field requirement on metadata.name: In and NotIn with exactly one value are all that upstream parses.
bool name_matches(const Requirement& requirement, Symbol name) {
  if (requirement.op == kube::NodeSelectorOperator::kIn) return contains(requirement.values, name);
  return !contains(requirement.values, name);
}

}  // namespace

std::optional<std::int64_t> integer_label(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);  // Go's ParseInt takes a plus sign
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

LabelSet::LabelSet(const kube::StringMap& labels, SymbolTable& symbols) {
  pairs_.reserve(labels.size());
  for (const auto& [key, value] : labels) pairs_.emplace_back(symbols.intern(key), symbols.intern(value));
  std::sort(pairs_.begin(), pairs_.end());
}

bool Requirement::matches(const LabelSet& labels, const SymbolTable& symbols) const {
  if (!valid) return false;
  const Symbol value = labels.find(key);
  switch (op) {
    case kube::NodeSelectorOperator::kIn:
      return value.valid() && contains(values, value);
    case kube::NodeSelectorOperator::kNotIn:
      return !value.valid() || !contains(values, value);
    case kube::NodeSelectorOperator::kExists:
      return value.valid();
    case kube::NodeSelectorOperator::kDoesNotExist:
      return !value.valid();
    case kube::NodeSelectorOperator::kGt:
    case kube::NodeSelectorOperator::kLt:
      break;
  }
  if (!value.valid()) return false;
  const auto actual = integer_label(symbols.text(value));
  if (!actual) return false;
  return op == kube::NodeSelectorOperator::kGt ? *actual > number : *actual < number;
}

PodSelector PodSelector::everything() {
  PodSelector selector;
  selector.nothing_ = false;
  return selector;
}

PodSelector PodSelector::of(const std::optional<kube::LabelSelector>& selector, SymbolTable& symbols) {
  if (!selector) return {};
  PodSelector compiled = of_labels(selector->match_labels, symbols);
  for (const auto& expression : selector->match_expressions) {
    compiled.requirements_.push_back(
        compile(expression.key, as_node_operator(expression.op), expression.values, symbols));
  }
  std::sort(compiled.requirements_.begin(), compiled.requirements_.end());
  return compiled;
}

PodSelector PodSelector::of_labels(const kube::StringMap& labels, SymbolTable& symbols) {
  PodSelector compiled = everything();
  for (const auto& [key, value] : labels) {
    compiled.requirements_.push_back(compile(key, kube::NodeSelectorOperator::kIn, {value}, symbols));
  }
  std::sort(compiled.requirements_.begin(), compiled.requirements_.end());
  return compiled;
}

void PodSelector::add(const PodSelector& other) {
  nothing_ = nothing_ || other.nothing_;
  requirements_.insert(requirements_.end(), other.requirements_.begin(), other.requirements_.end());
  std::sort(requirements_.begin(), requirements_.end());
  requirements_.erase(std::unique(requirements_.begin(), requirements_.end()), requirements_.end());
}

std::vector<Label> PodSelector::needed_labels() const {
  std::vector<std::pair<Symbol, Symbol>> needed;
  for (const Requirement& requirement : requirements_) {
    if (requirement.op != kube::NodeSelectorOperator::kIn || requirement.values.size() != 1) continue;
    needed.emplace_back(requirement.key, requirement.values.front());
  }
  return needed;
}

bool PodSelector::matches(const LabelSet& labels, const SymbolTable& symbols) const {
  if (nothing_) return false;
  return std::all_of(requirements_.begin(), requirements_.end(),
                     [&](const Requirement& requirement) { return requirement.matches(labels, symbols); });
}

NodeTerm compile_node_term(const kube::NodeSelectorTerm& term, SymbolTable& symbols) {
  NodeTerm compiled;
  for (const auto& expression : term.match_expressions) {
    compiled.labels.push_back(compile(expression.key, expression.op, expression.values, symbols));
  }
  for (const auto& field : term.match_fields) {
    Requirement requirement = compile(field.key, field.op, field.values, symbols);
    const bool set = field.op == kube::NodeSelectorOperator::kIn || field.op == kube::NodeSelectorOperator::kNotIn;
    requirement.valid = set && field.values.size() == 1;
    compiled.names.push_back(std::move(requirement));
  }
  return compiled;
}

std::vector<NodeTerm> compile_node_terms(const kube::NodeSelector& selector, SymbolTable& symbols) {
  std::vector<NodeTerm> terms;
  for (const auto& term : selector.terms) {
    if (term.match_expressions.empty() && term.match_fields.empty()) continue;
    terms.push_back(compile_node_term(term, symbols));
  }
  return terms;
}

std::vector<WeightedNodeTerm> compile_preferred(const std::vector<kube::PreferredSchedulingTerm>& terms,
                                                SymbolTable& symbols) {
  std::vector<WeightedNodeTerm> compiled;
  for (const auto& term : terms) {
    const bool empty = term.preference.match_expressions.empty() && term.preference.match_fields.empty();
    if (term.weight == 0 || empty) continue;
    compiled.push_back({term.weight, compile_node_term(term.preference, symbols)});
  }
  return compiled;
}

bool matches(const NodeTerm& term, const LabelSet& labels, Symbol name, const SymbolTable& symbols) {
  for (const Requirement& requirement : term.labels) {
    if (!requirement.matches(labels, symbols)) return false;
  }
  for (const Requirement& requirement : term.names) {
    if (!requirement.valid || !name_matches(requirement, name)) return false;
  }
  return true;
}

bool matches_any(const std::vector<NodeTerm>& terms, const LabelSet& labels, Symbol name, const SymbolTable& symbols) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeTerm& term) { return matches(term, labels, name, symbols); });
}

bool matches(const NodeAffinityRule& rule, const LabelSet& labels, Symbol name, const SymbolTable& symbols) {
  for (const Requirement& requirement : rule.node_selector) {
    if (!requirement.matches(labels, symbols)) return false;
  }
  return !rule.has_terms || matches_any(rule.terms, labels, name, symbols);
}

}  // namespace loadline::cluster
