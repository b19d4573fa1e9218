#include "foundation/document/value.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

using document::Object;
using document::Value;

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

enum class BindingScope : std::uint8_t { kNamespace, kCluster };

void check_service_account(const CheckedField& subject, BindingScope scope) {
  if (!subject.at("name").text().empty()) subject.at("name").keeps(kube::dns_subdomain_problems);
  if (!subject.at("apiGroup").text().empty()) subject.at("apiGroup").unsupported({""});
  if (scope == BindingScope::kCluster && subject.at("namespace").text().empty()) subject.at("namespace").required();
}

void check_subject(const CheckedField& subject, BindingScope scope) {
  if (subject.at("name").text().empty()) subject.at("name").required();
  const std::string_view kind = subject.at("kind").text();
  if (kind == "ServiceAccount") {
    check_service_account(subject, scope);
  } else if (kind == "User" || kind == "Group") {
    subject.at("apiGroup").one_of({kGroup});
  } else {
    subject.at("kind").unsupported({"ServiceAccount", "User", "Group"});
  }
}

void check_binding(const CheckedField& object, BindingScope scope) {
  const CheckedField role = object.at("roleRef");
  role.at("apiGroup").one_of({kGroup});
  if (scope == BindingScope::kNamespace) {
    role.at("kind").one_of({"Role", "ClusterRole"});
  } else {
    role.at("kind").one_of({"ClusterRole"});
  }
  role.at("name").is_required_name(path_segment_problems);
  for (const CheckedField& subject : object.at("subjects").elements()) check_subject(subject, scope);
}

void check_role_binding(const CheckedField& object) { check_binding(object, BindingScope::kNamespace); }
void check_cluster_role_binding(const CheckedField& object) { check_binding(object, BindingScope::kCluster); }

/// The roleRef of a binding cannot change, so that its subjects do not silently get another role. Upstream shows the
/// reference with Go's names.
void check_role_binding_change(const CheckedField& object, const CheckedField& old) {
  const CheckedField role = object.at("roleRef");
  if (role.is_same_as(old.at("roleRef"))) return;
  const auto text = [&](std::string_view name) { return Value(role.at(name).text()); };
  role.invalid(
      Value(Object{{"APIGroup", text("apiGroup"), {}}, {"Kind", text("kind"), {}}, {"Name", text("name"), {}}}),
      "cannot change roleRef");
}

}  // namespace

// Source: pkg/registry/rbac/{rolebinding,clusterrolebinding} and pkg/apis/rbac/validation, v1.36.
std::unique_ptr<const Strategy> make_role_binding_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits,
                                         Rules{nullptr, check_role_binding, check_role_binding_change, nullptr});
}

std::unique_ptr<const Strategy> make_cluster_role_binding_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{nullptr, check_cluster_role_binding, check_role_binding_change, nullptr});
}

}  // namespace loadline::apiserver
