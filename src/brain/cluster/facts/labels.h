#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "foundation/base/symbol.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"

namespace loadline::cluster {

/// A key and its value.
using Label = std::pair<Symbol, Symbol>;

/// Labels as sorted pairs of symbols.
class LabelSet {
 public:
  LabelSet() = default;
  LabelSet(const kube::StringMap& labels, SymbolTable& symbols);

  /// The value of `key`, or an invalid symbol. O(log labels).
  [[nodiscard]] Symbol find(Symbol key) const {
    const auto at = std::lower_bound(pairs_.begin(), pairs_.end(), key,
                                     [](const auto& pair, Symbol wanted) { return pair.first < wanted; });
    return at != pairs_.end() && at->first == key ? at->second : Symbol{};
  }
  [[nodiscard]] bool empty() const { return pairs_.empty(); }
  [[nodiscard]] const std::vector<Label>& pairs() const { return pairs_; }

  friend auto operator<=>(const LabelSet&, const LabelSet&) = default;

 private:
  std::vector<Label> pairs_;
};

/// The number that Gt and Lt read; nullopt: it is none.
std::optional<std::int64_t> integer_label(std::string_view text);

/// A requirement on one label. Gt and Lt compare integers; a label that is no integer does not match.
struct Requirement {
  Symbol key;
  kube::NodeSelectorOperator op = kube::NodeSelectorOperator::kIn;
  std::vector<Symbol> values;  ///< sorted
  std::int64_t number = 0;     ///< of Gt and Lt
  bool valid = true;           ///< false: upstream failed to parse it, so it matches nothing

  [[nodiscard]] bool matches(const LabelSet& labels, const SymbolTable& symbols) const;
  friend auto operator<=>(const Requirement&, const Requirement&) = default;
};

/// A label selector over pods, ready to be matched: all requirements must hold.
class PodSelector {
 public:
  /// Matches nothing.
  PodSelector() = default;
  static PodSelector everything();
  /// metav1.LabelSelectorAsSelector: absent matches nothing, empty matches everything.
  static PodSelector of(const std::optional<kube::LabelSelector>& selector, SymbolTable& symbols);
  static PodSelector of_labels(const kube::StringMap& labels, SymbolTable& symbols);

  void add(const PodSelector& other);

  /// True for a selector without requirements that is not "nothing".
  [[nodiscard]] bool empty() const { return !nothing_ && requirements_.empty(); }
  [[nodiscard]] bool nothing() const { return nothing_; }
  /// Labels that all it matches have: of requirements that allow one value.
  [[nodiscard]] std::vector<Label> needed_labels() const;
  [[nodiscard]] bool matches(const LabelSet& labels, const SymbolTable& symbols) const;

  friend auto operator<=>(const PodSelector&, const PodSelector&) = default;

 private:
  bool nothing_ = true;
  std::vector<Requirement> requirements_;
};

/// One node selector term: label requirements and requirements on metadata.name, all of which must hold.
struct NodeTerm {
  std::vector<Requirement> labels;
  std::vector<Requirement> names;  ///< on the node's name
  friend auto operator<=>(const NodeTerm&, const NodeTerm&) = default;
};

/// nodeSelector and required node affinity of a pod: labels AND (no terms given OR any term).
struct NodeAffinityRule {
  std::vector<Requirement> node_selector;
  bool has_terms = false;  ///< required terms were given; if none is left, nothing matches
  std::vector<NodeTerm> terms;

  [[nodiscard]] bool unconstrained() const { return node_selector.empty() && !has_terms; }
  friend auto operator<=>(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

struct WeightedNodeTerm {
  std::int32_t weight = 0;
  NodeTerm term;
  friend auto operator<=>(const WeightedNodeTerm&, const WeightedNodeTerm&) = default;
};

NodeTerm compile_node_term(const kube::NodeSelectorTerm& term, SymbolTable& symbols);
std::vector<NodeTerm> compile_node_terms(const kube::NodeSelector& selector, SymbolTable& symbols);
/// Terms of weight 0 and empty terms are left out, as upstream does.
std::vector<WeightedNodeTerm> compile_preferred(const std::vector<kube::PreferredSchedulingTerm>& terms,
                                                SymbolTable& symbols);

bool matches(const NodeTerm& term, const LabelSet& labels, Symbol name, const SymbolTable& symbols);
bool matches_any(const std::vector<NodeTerm>& terms, const LabelSet& labels, Symbol name, const SymbolTable& symbols);
bool matches(const NodeAffinityRule& rule, const LabelSet& labels, Symbol name, const SymbolTable& symbols);

}  // namespace loadline::cluster
