#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

enum class Scope : std::uint8_t { kNamespace, kCluster };

/// A rule is about resources or about paths, and paths belong to no namespace.
void check_rule(const CheckedField& rule, Scope scope) {
  if (rule.at("verbs").size() == 0) rule.at("verbs").required("verbs must contain at least one value");
  const CheckedField urls = rule.at("nonResourceURLs");
  if (urls.size() > 0) {
    if (scope == Scope::kNamespace) urls.invalid("namespaced rules cannot apply to non-resource URLs");
    if (rule.at("apiGroups").size() + rule.at("resources").size() + rule.at("resourceNames").size() > 0) {
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    }
    return;
  }
  if (rule.at("apiGroups").size() == 0) {
    rule.at("apiGroups").required("resource rules must supply at least one api group");
  }
  if (rule.at("resources").size() == 0) {
    rule.at("resources").required("resource rules must supply at least one resource");
  }
}

void check_role(const CheckedField& object) {
  for (const CheckedField& rule : object.at("rules").elements()) check_rule(rule, Scope::kNamespace);
}

void check_cluster_role(const CheckedField& object) {
  for (const CheckedField& rule : object.at("rules").elements()) check_rule(rule, Scope::kCluster);
  if (!object.at("aggregationRule").is_set()) return;
  const CheckedField selectors = object.at({"aggregationRule", "clusterRoleSelectors"});
  if (selectors.size() == 0) {
    selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
  }
  for (const CheckedField& selector : selectors.elements()) selector.label_selector();
}

/// No rules are null, however they were written: upstream keeps roles in a form that cannot tell.
class RoleStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  document::Value prepare_for_create(document::Value role, StrategyContext& context) const override {
    return with_rules(RuledStrategy::prepare_for_create(std::move(role), context));
  }

  document::Value prepare_for_update(document::Value role, const document::Value& old,
                                     StrategyContext& context) const override {
    return with_rules(RuledStrategy::prepare_for_update(std::move(role), old, context));
  }

 private:
  static document::Value with_rules(const document::Value& role) {
    const document::Value* rules = role.find("rules");
    const bool is_empty = rules != nullptr && rules->is_array() && rules->array().empty();
    return is_empty ? role.with("rules", document::Value()) : role;
  }
};

}  // namespace

// Source: pkg/registry/rbac/{role,clusterrole} and pkg/apis/rbac/validation, v1.36. Admission checks which user may
// grant what.
std::unique_ptr<const Strategy> make_role_strategy(Traits traits) {
  return std::make_unique<RoleStrategy>(traits, Rules{nullptr, check_role, nullptr, nullptr});
}

std::unique_ptr<const Strategy> make_cluster_role_strategy(Traits traits) {
  return std::make_unique<RoleStrategy>(traits, Rules{nullptr, check_cluster_role, nullptr, nullptr});
}

}  // namespace loadline::apiserver
