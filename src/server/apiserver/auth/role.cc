#include "server/apiserver/auth/role.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace loadline::apiserver {
namespace {

using document::Value;

kube::StringMap read_map(const Value* map) {
  kube::StringMap result;
  if (map == nullptr || !map->is_object()) return result;
  for (const document::Member& member : map->object()) {
    if (member.value.is_string()) result.emplace(member.key, member.value.string());
  }
  return result;
}

std::optional<kube::LabelSelectorOperator> read_operator(std::string_view text) {
  using kube::LabelSelectorOperator;
  if (text == "In") return LabelSelectorOperator::kIn;
  if (text == "NotIn") return LabelSelectorOperator::kNotIn;
  if (text == "Exists") return LabelSelectorOperator::kExists;
  if (text == "DoesNotExist") return LabelSelectorOperator::kDoesNotExist;
  return std::nullopt;
}

std::optional<kube::LabelSelector> read_selector(const Value& document) {
  kube::LabelSelector selector;
  selector.match_labels = read_map(document.find("matchLabels"));
  const Value* expressions = document.find("matchExpressions");
  if (expressions == nullptr || !expressions->is_array()) return selector;
  for (const Value& expression : expressions->array()) {
    const auto op = read_operator(text_of(expression, "operator"));
    if (!op.has_value()) return std::nullopt;
    selector.match_expressions.push_back(
        {std::string(text_of(expression, "key")), *op, strings_of(expression.find("values"))});
  }
  return selector;
}

}  // namespace

Role read_role(const Value& document) {
  Role role;
  role.rules = read_policy_rules(document.find("rules"));
  if (const Value* metadata = document.find("metadata")) role.labels = read_map(metadata->find("labels"));
  const Value* aggregation = document.find("aggregationRule");
  role.is_aggregated = aggregation != nullptr && aggregation->is_object();
  const Value* selectors = role.is_aggregated ? aggregation->find("clusterRoleSelectors") : nullptr;
  if (selectors == nullptr || !selectors->is_array()) return role;
  for (const Value& each : selectors->array()) {
    if (auto selector = read_selector(each)) {
      role.selectors.push_back(std::move(*selector));
    } else {
      role.has_broken_selector = true;
    }
  }
  return role;
}

PolicyRules aggregated_rules(std::string_view name, const Role& role, const RolesByName& cluster_roles) {
  PolicyRules rules;
  for (const kube::LabelSelector& selector : role.selectors) {
    for (const auto& [other_name, other] : cluster_roles) {
      if (other_name == name || !kube::matches(selector, other.labels)) continue;
      for (const PolicyRule& rule : other.rules) {
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
      }
    }
  }
  return rules;
}

}  // namespace loadline::apiserver
