#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "server/apiserver/auth/attributes.h"

namespace loadline::apiserver {

/// rbac.authorization.k8s.io's PolicyRule: which verbs on which resources, or on which paths.
struct PolicyRule {
  std::vector<std::string> verbs;
  std::vector<std::string> groups;
  std::vector<std::string> resources;  ///< "pods", "pods/log", "*/scale", "*"
  std::vector<std::string> names;      ///< empty: all
  std::vector<std::string> urls;       ///< "/healthz", "/api/*", "*"

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

using PolicyRules = std::vector<PolicyRule>;

/// Reads the `rules` of a role; what is of a wrong type counts as absent, since roles are checked when they are
/// written.
[[nodiscard]] PolicyRules read_policy_rules(const document::Value* rules);
[[nodiscard]] document::Value policy_rules_document(const PolicyRules& rules);

/// The strings of an array; others are passed over.
[[nodiscard]] std::vector<std::string> strings_of(const document::Value* array);
[[nodiscard]] document::Value strings_document(const std::vector<std::string>& strings);
/// The string member of that name; empty if there is none.
[[nodiscard]] std::string_view text_of(const document::Value& object, std::string_view key);

/// Whether the rule allows what is asked. O(strings of the rule).
/// Source: k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac RuleAllows, v1.36.
[[nodiscard]] bool allows(const PolicyRule& rule, const Attributes& asked);

/// What of `wanted` no single rule of `owned` covers, broken down to one verb on one resource or path each.
/// Source: k8s.io/component-helpers/auth/rbac/validation Covers, v0.36.
[[nodiscard]] PolicyRules not_covered(const PolicyRules& owned, const PolicyRules& wanted);

/// One rule a line, sorted, rules of one resource that differ by verb joined:
/// `{APIGroups:["apps"], Resources:["deployments"], Verbs:["create" "get"]}`.
[[nodiscard]] std::string described(const PolicyRules& rules);

/// `["a" "b"]`, as Go prints strings with %q.
[[nodiscard]] std::string quoted_list(const std::vector<std::string>& strings);

}  // namespace loadline::apiserver
