#include "server/apiserver/auth/rbac.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/text.h"
#include "objects/kube/decoder.h"

namespace loadline::apiserver {
namespace {

using document::Value;

RoleReference role_reference_of(const Value* role) {
  if (role == nullptr) return {};
  return {std::string(text_of(*role, "kind")), std::string(text_of(*role, "name")),
          std::string(text_of(*role, "apiGroup"))};
}

std::string missing_role_text(const RoleReference& role, std::string_view resource) {
  if (role.kind != "Role" && role.kind != "ClusterRole") {
    return "unsupported role reference kind: " + kube::quoted(role.kind);
  }
  if (resource.empty()) resource = role.kind == "Role" ? "role" : "clusterrole";
  return fmt::format("{}.rbac.authorization.k8s.io {} not found", resource, kube::quoted(role.name));
}

}  // namespace

std::string missing_roles_text(const std::vector<RoleReference>& missing, std::string_view resource) {
  std::vector<std::string> texts;
  for (const RoleReference& role : missing) {
    std::string text = missing_role_text(role, resource);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(std::move(text));
  }
  if (texts.size() == 1) return texts.front();
  return texts.empty() ? std::string() : "[" + joined(texts, ", ") + "]";
}

void Rbac::update(std::string_view resource, std::string_view name_space, std::string_view name, const Value* object) {
  if (resource == "clusterrolebindings" || resource == "rolebindings") {
    update_binding(name_space, name, object);
  } else if (resource == "clusterroles" || resource == "roles") {
    RolesByName& roles = resource == "roles" ? roles_[std::string(name_space)] : cluster_roles_;
    if (object != nullptr) {
      roles.insert_or_assign(std::string(name), read_role(*object));
    } else if (const auto found = roles.find(name); found != roles.end()) {
      roles.erase(found);
    }
    if (resource == "roles" && roles.empty()) roles_.erase(std::string(name_space));
  }
}

std::optional<Rbac::Place> Rbac::place_of(Scope& scope, const Subject& subject, std::string_view name_space) {
  if (subject.kind == "User") return Place{&scope.by_user, subject.name};
  if (subject.kind == "Group") return Place{&scope.by_group, subject.name};
  if (subject.kind != "ServiceAccount") return std::nullopt;
  const std::string_view home = subject.name_space.empty() ? name_space : std::string_view(subject.name_space);
  if (home.empty()) return std::nullopt;
  return Place{&scope.by_user, service_account_user(home, subject.name)};
}

void Rbac::forget(Scope& scope, const Binding& binding, std::string_view name_space) {
  for (const Subject& subject : binding.subjects) {
    const auto place = place_of(scope, subject, name_space);
    const auto found = place.has_value() ? place->index->find(place->key) : scope.by_user.end();
    if (!place.has_value() || found == place->index->end()) continue;
    std::erase_if(found->second, [&](const Match& match) { return match.binding == &binding; });
    if (found->second.empty()) place->index->erase(found);
  }
}

void Rbac::update_binding(std::string_view name_space, std::string_view name, const Value* object) {
  Scope& scope = scopes_[std::string(name_space)];
  if (const auto found = scope.bindings.find(name); found != scope.bindings.end()) {
    forget(scope, found->second, name_space);
    scope.bindings.erase(found);
  }
  if (object == nullptr) {
    if (scope.bindings.empty()) scopes_.erase(std::string(name_space));
    return;
  }
  Binding& binding = scope.bindings[std::string(name)];
  binding.name = name;
  binding.role = role_reference_of(object->find("roleRef"));
  const Value* subjects = object->find("subjects");
  if (subjects == nullptr || !subjects->is_array()) return;
  for (const Value& each : subjects->array()) {
    Subject subject = {std::string(text_of(each, "kind")), std::string(text_of(each, "name")),
                       std::string(text_of(each, "namespace"))};
    if (const auto place = place_of(scope, subject, name_space)) {
      (*place->index)[place->key].push_back({&binding, binding.subjects.size()});
    }
    binding.subjects.push_back(std::move(subject));
  }
}

const PolicyRules* Rbac::find_rules(const RoleReference& role, std::string_view name_space) const {
  const RolesByName* roles = nullptr;
  if (role.kind == "ClusterRole") {
    roles = &cluster_roles_;
  } else if (role.kind == "Role") {
    const auto found = roles_.find(name_space);
    if (found != roles_.end()) roles = &found->second;
  }
  if (roles == nullptr) return nullptr;
  const auto found = roles->find(role.name);
  return found == roles->end() ? nullptr : &found->second.rules;
}

Rbac::Matches Rbac::find_matches(const User& user, std::string_view name_space) const {
  Matches matches;
  const auto scope = scopes_.find(name_space);
  if (scope == scopes_.end()) return matches;
  const auto add = [&](const Index& index, std::string_view key) {
    const auto found = index.find(key);
    if (found != index.end()) matches.insert(matches.end(), found->second.begin(), found->second.end());
  };
  add(scope->second.by_user, user.name);
  for (const std::string& group : user.groups) add(scope->second.by_group, group);
  std::sort(matches.begin(), matches.end(), [](const Match& a, const Match& b) {
    const int order = a.binding == b.binding ? 0 : a.binding->name.compare(b.binding->name);
    return order != 0 ? order < 0 : a.subject < b.subject;
  });
  const auto same = [](const Match& a, const Match& b) { return a.binding == b.binding; };
  matches.erase(std::unique(matches.begin(), matches.end(), same), matches.end());
  return matches;
}

template <class Visit>
bool Rbac::visit_scope(const User& user, std::string_view name_space, const Visit& visit) const {
  for (const Match& match : find_matches(user, name_space)) {
    if (!visit(match, find_rules(match.binding->role, name_space))) return false;
  }
  return true;
}

std::string Rbac::description(const Match& match, std::string_view name_space) {
  const Binding& binding = *match.binding;
  const Subject& subject = binding.subjects[match.subject];
  std::string who = subject.name;
  if (subject.kind == "ServiceAccount") {
    who.append("/").append(subject.name_space.empty() ? name_space : std::string_view(subject.name_space));
  }
  const std::string name = name_space.empty() ? binding.name : binding.name + "/" + std::string(name_space);
  return fmt::format("{} {} of {} {} to {} {}", name_space.empty() ? "ClusterRoleBinding" : "RoleBinding",
                     kube::quoted(name), binding.role.kind, kube::quoted(binding.role.name), subject.kind,
                     kube::quoted(who));
}

Decision Rbac::authorize(const Attributes& asked) const {
  if (asked.user == nullptr) return {};
  if (asked.user->is_in(kMasters)) return {true, {}};
  Decision decision;
  std::vector<RoleReference> missing;
  const auto try_scope = [&](std::string_view name_space) {
    return visit_scope(*asked.user, name_space, [&](const Match& match, const PolicyRules* rules) {
      if (rules == nullptr) {
        missing.push_back(match.binding->role);
        return true;
      }
      decision.is_allowed =
          std::any_of(rules->begin(), rules->end(), [&](const PolicyRule& rule) { return allows(rule, asked); });
      if (decision.is_allowed) decision.reason = "RBAC: allowed by " + description(match, name_space);
      return !decision.is_allowed;
    });
  };
  if (try_scope({}) && !asked.name_space.empty()) try_scope(asked.name_space);
  if (!decision.is_allowed && !missing.empty()) {
    decision.reason = "RBAC: " + missing_roles_text(missing);
  }
  return decision;
}

ResolvedRules Rbac::rules_for(const User& user, std::string_view name_space) const {
  ResolvedRules resolved;
  const auto add = [&](const Match& match, const PolicyRules* rules) {
    if (rules == nullptr) {
      resolved.missing.push_back(match.binding->role);
    } else {
      resolved.rules.insert(resolved.rules.end(), rules->begin(), rules->end());
    }
    return true;
  };
  visit_scope(user, {}, add);
  if (!name_space.empty()) visit_scope(user, name_space, add);
  return resolved;
}

std::vector<std::pair<std::string, Value>> Rbac::stale_aggregations() const {
  std::vector<std::pair<std::string, Value>> stale;
  for (const auto& [name, role] : cluster_roles_) {
    if (!role.is_aggregated || role.has_broken_selector) continue;
    const PolicyRules rules = aggregated_rules(name, role, cluster_roles_);
    if (rules != role.rules) stale.emplace_back(name, policy_rules_document(rules));
  }
  return stale;
}

}  // namespace loadline::apiserver
