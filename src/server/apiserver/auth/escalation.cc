#include "server/apiserver/auth/escalation.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::string_view kRbacGroup = "rbac.authorization.k8s.io";

/// The object without what garbage collection, and every write, may change.
Value without_collection_fields(const Value& object) {
  const Value* metadata = object.find("metadata");
  if (metadata == nullptr || !metadata->is_object()) return object;
  return object.with("metadata", metadata->without("ownerReferences").without("finalizers").without("managedFields"));
}

bool changes_only_collection_fields(const Value& proposed, const Value* previous) {
  return previous != nullptr && without_collection_fields(proposed) == without_collection_fields(*previous);
}

/// Nothing if the user has all of `wanted` already.
std::optional<std::string> find_escalation(const Rbac& rbac, const Attributes& request, const PolicyRules& wanted) {
  const ResolvedRules owned = rbac.rules_for(*request.user, request.name_space);
  const PolicyRules lacking = not_covered(owned.rules, wanted);
  if (lacking.empty()) return std::nullopt;
  std::string text =
      fmt::format("user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
                  kube::quoted(request.user->name), quoted_list(request.user->groups), described(lacking));
  if (!owned.missing.empty()) {
    text += fmt::format("; resolution errors: [{}]", missing_roles_text(owned.missing, request.resource));
  }
  return text;
}

bool has_aggregation_rule(const Value* role) {
  if (role == nullptr) return false;
  const Value* rule = role->find("aggregationRule");
  const Value* selectors = rule == nullptr ? nullptr : rule->find("clusterRoleSelectors");
  return selectors != nullptr && selectors->is_array() && !selectors->array().empty();
}

std::string_view name_of(const Value& object) {
  const Value* metadata = object.find("metadata");
  return metadata == nullptr ? std::string_view() : text_of(*metadata, "name");
}

StatusError forbidden_write(const Attributes& request, const Value& proposed, std::string_view why) {
  return forbidden({std::string(kRbacGroup), request.resource}, name_of(proposed), why);
}

std::optional<StatusError> check_role(const Rbac& rbac, const Attributes& request, const Value& proposed,
                                      const Value* previous) {
  Attributes escalate = request;
  escalate.verb = "escalate";
  escalate.version = "*";
  escalate.subresource.clear();
  if (rbac.authorize(escalate).is_allowed || changes_only_collection_fields(proposed, previous)) return std::nullopt;
  if (const auto why = find_escalation(rbac, request, read_policy_rules(proposed.find("rules")))) {
    return forbidden_write(request, proposed, *why);
  }
  if (request.resource == "roles" || (!has_aggregation_rule(&proposed) && !has_aggregation_rule(previous))) {
    return std::nullopt;
  }
  // An aggregated role can gather anything.
  const PolicyRules everything = {{{"*"}, {"*"}, {"*"}, {}, {}}, {{"*"}, {}, {}, {}, {"*"}}};
  if (!find_escalation(rbac, request, everything)) return std::nullopt;
  return forbidden_write(request, proposed, "must have cluster-admin privileges to use the aggregationRule");
}

RoleReference role_reference(const Value& binding) {
  const Value* role = binding.find("roleRef");
  if (role == nullptr) return {};
  return {std::string(text_of(*role, "kind")), std::string(text_of(*role, "name")),
          std::string(text_of(*role, "apiGroup"))};
}

/// Whether the user may `bind` the role, whatever is in it.
bool may_bind(const Rbac& rbac, const Attributes& request, const RoleReference& role) {
  if (role.kind != "ClusterRole" && role.kind != "Role") return false;
  Attributes bind;
  bind.user = request.user;
  bind.verb = "bind";
  bind.is_resource = true;
  bind.group = role.group;
  bind.version = "*";
  bind.resource = role.kind == "Role" ? "roles" : "clusterroles";
  bind.name = role.name;
  bind.name_space = request.name_space;
  return rbac.authorize(bind).is_allowed;
}

std::optional<StatusError> check_binding(const Rbac& rbac, const Attributes& request, const Value& proposed,
                                         const Value* previous) {
  const RoleReference role = role_reference(proposed);
  if (changes_only_collection_fields(proposed, previous) || may_bind(rbac, request, role)) return std::nullopt;
  const PolicyRules* rules = rbac.find_rules(role, request.name_space);
  if (rules == nullptr) {
    if (role.kind != "Role" && role.kind != "ClusterRole") {
      return internal_error(missing_roles_text({role}));
    }
    // The registry looks the role up on behalf of the request, and so calls it what the request is about.
    return not_found({std::string(kRbacGroup), request.resource}, role.name);
  }
  if (const auto why = find_escalation(rbac, request, *rules)) return forbidden_write(request, proposed, *why);
  return std::nullopt;
}

}  // namespace

std::optional<StatusError> check_escalation(const Rbac& rbac, const Attributes& request, const Value& proposed,
                                            const Value* previous) {
  if (request.group != kRbacGroup || request.user->is_in(kMasters)) return std::nullopt;
  if (request.resource == "roles" || request.resource == "clusterroles") {
    return check_role(rbac, request, proposed, previous);
  }
  if (request.resource == "rolebindings" || request.resource == "clusterrolebindings") {
    return check_binding(rbac, request, proposed, previous);
  }
  return std::nullopt;
}

}  // namespace loadline::apiserver
