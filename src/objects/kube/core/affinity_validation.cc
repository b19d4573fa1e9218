#include "objects/kube/core/affinity_validation.h"

#include <algorithm>

#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/meta_validation.h"

namespace loadline::kube {
namespace {

void validate_value_count(FieldReport& report, const Path& values, const NodeSelectorRequirement& requirement) {
  switch (requirement.op) {
    case NodeSelectorOperator::kIn:
    case NodeSelectorOperator::kNotIn:
      if (requirement.values.empty()) report.required(values, "must be specified when `operator` is 'In' or 'NotIn'");
      break;
    case NodeSelectorOperator::kExists:
    case NodeSelectorOperator::kDoesNotExist:
      if (!requirement.values.empty()) {
        report.forbidden(values, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case NodeSelectorOperator::kGt:
    case NodeSelectorOperator::kLt:
      if (requirement.values.size() != 1) {
        report.required(values, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
  }
}

void validate_expression(FieldReport& report, const Path& at, const NodeSelectorRequirement& requirement,
                         LabelValues rule) {
  const Path values(at, "values");
  validate_value_count(report, values, requirement);
  validate_label_key(report, Path(at, "key"), requirement.key);
  if (rule == LabelValues::kUnchecked) return;
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    report.invalid_name(Path::element(values, i), requirement.values[i], label_value_problems(requirement.values[i]));
  }
}

void validate_field(FieldReport& report, const Path& at, const NodeSelectorRequirement& requirement) {
  const Path values(at, "values");
  if (requirement.op != NodeSelectorOperator::kIn && requirement.op != NodeSelectorOperator::kNotIn) {
    report.invalid(Path(at, "operator"), name_of(requirement.op), "not a valid selector operator");
  } else if (requirement.values.size() != 1) {
    report.required(values, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
  }
  if (requirement.key != "metadata.name") {
    report.invalid(Path(at, "key"), requirement.key, "not a valid field selector key");
    return;
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    report.invalid_name(Path::element(values, i), requirement.values[i], dns_subdomain_problems(requirement.values[i]));
  }
}

void validate_weight(FieldReport& report, const Path& at, std::int32_t weight) {
  if (weight <= 0 || weight > 100) report.invalid(at, weight, "must be in the range 1-100");
}

void validate_keys(FieldReport& report, const Path& at, const std::vector<std::string>& keys,
                   const std::optional<LabelSelector>& selector) {
  if (keys.empty()) return;
  if (!selector) {
    report.forbidden(at, "must not be specified when labelSelector is not set");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i) validate_label_key(report, Path::element(at, i), keys[i]);
}

bool selects_by(const LabelSelector& selector, std::string_view key) {
  return selector.match_labels.contains(key) ||
         std::any_of(selector.match_expressions.begin(), selector.match_expressions.end(),
                     [&](const LabelSelectorRequirement& requirement) { return requirement.key == key; });
}

/// An API server has merged the keys into the selector already when it finds this; objects here are as written, unless
/// they come from a live cluster, whose merged requirement `key In (one value)` is none of the author's.
bool repeats_key(const LabelSelector& selector, std::string_view key) {
  std::size_t merged = 0;
  std::size_t others = selector.match_labels.contains(key) ? 1 : 0;
  for (const LabelSelectorRequirement& requirement : selector.match_expressions) {
    if (requirement.key != key) continue;
    const bool looks_merged = requirement.op == LabelSelectorOperator::kIn && requirement.values.size() == 1;
    ++(looks_merged ? merged : others);
  }
  return others > 0 || merged > 1;
}

void validate_label_keys(FieldReport& report, const Path& at, const std::vector<std::string>& match,
                         const std::vector<std::string>& mismatch, const std::optional<LabelSelector>& selector) {
  const Path match_path(at, "matchLabelKeys");
  validate_keys(report, match_path, match, selector);
  validate_keys(report, Path(at, "mismatchLabelKeys"), mismatch, selector);
  for (std::size_t i = 0; selector && i < match.size(); ++i) {
    if (selects_by(*selector, match[i]) && repeats_key(*selector, match[i])) {
      report.invalid(Path::element(at, i), match[i], "exists in both matchLabelKeys and labelSelector");
    }
  }
  for (std::size_t i = 0; i < match.size(); ++i) {
    if (std::find(mismatch.begin(), mismatch.end(), match[i]) != mismatch.end()) {
      report.invalid(Path::element(match_path, i), match[i], "exists in both matchLabelKeys and mismatchLabelKeys");
    }
  }
}

void validate_term(FieldReport& report, const Path& at, const PodAffinityTerm& term) {
  validate_label_selector(report, Path(at, "labelSelector"), term.label_selector);
  validate_label_selector(report, Path(at, "namespaceSelector"), term.namespace_selector);
  for (const std::string& name : term.namespaces) {
    report.invalid_name(Path(at, "namespace"), name, dns_label_problems(name));
  }
  validate_label_keys(report, at, term.match_label_keys, term.mismatch_label_keys, term.label_selector);
  const Path topology_key(at, "topologyKey");
  if (term.topology_key.empty()) report.required(topology_key, "can not be empty");
  validate_label_key(report, topology_key, term.topology_key);
}

void validate_pod_affinity(FieldReport& report, const Path& at, const PodAffinity& affinity) {
  const Path required(at, "requiredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < affinity.required.size(); ++i) {
    validate_term(report, Path::element(required, i), affinity.required[i]);
  }
  const Path preferred(at, "preferredDuringSchedulingIgnoredDuringExecution");
  for (std::size_t i = 0; i < affinity.preferred.size(); ++i) {
    const Path place = Path::element(preferred, i);
    validate_weight(report, Path(place, "weight"), affinity.preferred[i].weight);
    validate_term(report, Path(place, "podAffinityTerm"), affinity.preferred[i].term);
  }
}

void validate_min_domains(FieldReport& report, const Path& at, const TopologySpreadConstraint& constraint) {
  if (!constraint.min_domains) return;
  if (*constraint.min_domains <= 0) report.invalid(at, *constraint.min_domains, "must be greater than zero");
  if (constraint.when_unsatisfiable == UnsatisfiableAction::kDoNotSchedule) return;
  report.invalid(at, *constraint.min_domains,
                 "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " +
                     std::string(name_of(constraint.when_unsatisfiable)));
}

}  // namespace

void validate_node_selector_term(FieldReport& report, const Path& at, const NodeSelectorTerm& term,
                                 LabelValues values) {
  const Path expressions(at, "matchExpressions");
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    validate_expression(report, Path::element(expressions, i), term.match_expressions[i], values);
  }
  const Path fields(at, "matchFields");
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    validate_field(report, Path::element(fields, i), term.match_fields[i]);
  }
}

void validate_node_selector(FieldReport& report, const Path& at, const NodeSelector& selector) {
  const Path terms(at, "nodeSelectorTerms");
  if (selector.terms.empty()) report.required(terms, "must have at least one node selector term");
  for (std::size_t i = 0; i < selector.terms.size(); ++i) {
    validate_node_selector_term(report, Path::element(terms, i), selector.terms[i], LabelValues::kStrict);
  }
}

void validate_preferred_terms(FieldReport& report, const Path& at, const std::vector<PreferredSchedulingTerm>& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Path place = Path::element(at, i);
    validate_weight(report, Path(place, "weight"), terms[i].weight);
    validate_node_selector_term(report, Path(place, "preference"), terms[i].preference, LabelValues::kUnchecked);
  }
}

void validate_affinity(FieldReport& report, const Path& at, const Affinity& affinity) {
  if (affinity.node) {
    const Path node(at, "nodeAffinity");
    if (affinity.node->required) {
      validate_node_selector(report, Path(node, "requiredDuringSchedulingIgnoredDuringExecution"),
                             *affinity.node->required);
    }
    validate_preferred_terms(report, Path(node, "preferredDuringSchedulingIgnoredDuringExecution"),
                             affinity.node->preferred);
  }
  if (affinity.pod) validate_pod_affinity(report, Path(at, "podAffinity"), *affinity.pod);
  if (affinity.pod_anti) validate_pod_affinity(report, Path(at, "podAntiAffinity"), *affinity.pod_anti);
}

void validate_spread_constraints(FieldReport& report, const Path& at,
                                 const std::vector<TopologySpreadConstraint>& constraints) {
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const TopologySpreadConstraint& constraint = constraints[i];
    const Path place = Path::element(at, i);
    if (constraint.max_skew <= 0) {
      report.invalid(Path(place, "maxSkew"), constraint.max_skew, "must be greater than zero");
    }
    if (constraint.topology_key.empty()) report.required(Path(place, "topologyKey"), "can not be empty");
    const auto repeats = [&](const TopologySpreadConstraint& other) {
      return other.topology_key == constraint.topology_key && other.when_unsatisfiable == constraint.when_unsatisfiable;
    };
    if (std::any_of(constraints.begin() + static_cast<std::ptrdiff_t>(i) + 1, constraints.end(), repeats)) {
      report.duplicate(
          Path(place, "{topologyKey, whenUnsatisfiable}"),
          "{" + constraint.topology_key + ", " + std::string(name_of(constraint.when_unsatisfiable)) + "}");
    }
    validate_min_domains(report, Path(place, "minDomains"), constraint);
    validate_label_keys(report, place, constraint.match_label_keys, {}, constraint.label_selector);
    validate_label_selector(report, Path(place, "labelSelector"), constraint.label_selector);
  }
}

}  // namespace loadline::kube
