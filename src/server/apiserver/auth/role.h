#pragma once

#include <map>
#include <string>
#include <vector>

#include "objects/kube/meta.h"
#include "server/apiserver/auth/policy_rule.h"

namespace loadline::apiserver {

/// A Role or ClusterRole, the part that authorization reads.
struct Role {
  PolicyRules rules;
  kube::StringMap labels;
  bool is_aggregated = false;                  ///< has an aggregationRule: its rules are those of other ClusterRoles
  bool has_broken_selector = false;            ///< the controller upstream gives up on such a role
  std::vector<kube::LabelSelector> selectors;  ///< of the aggregationRule
};

using RolesByName = std::map<std::string, Role, std::less<>>;

[[nodiscard]] Role read_role(const document::Value& role);

/// The rules that an aggregated ClusterRole should have: those of the roles that its selectors pick, selector by
/// selector and role by role in order of name, each rule once. O(selectors · roles). Source:
/// k8s.io/kubernetes/pkg/controller/clusterroleaggregation, v1.36.
[[nodiscard]] PolicyRules aggregated_rules(std::string_view name, const Role& role, const RolesByName& cluster_roles);

}  // namespace loadline::apiserver
