#include "server/apiserver/auth/bootstrap_policy.h"

#include <utility>

#include "foundation/base/text.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/auth/data/default_roles.h"
#include "server/apiserver/auth/policy_rule.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::string_view kApiGroup = "rbac.authorization.k8s.io";
using Words = std::vector<std::string_view>;

std::pair<std::string_view, std::string_view> split_at(std::string_view text, char separator) {
  const std::size_t at = text.find(separator);
  if (at == std::string_view::npos) return {{}, text};
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<std::string> items(std::string_view list) {
  std::vector<std::string> result;
  for (const std::string_view item : split(list, ",")) result.emplace_back(item == "core" ? "" : item);
  return result;
}

/// `allow VERBS GROUPS RESOURCES [named NAMES]` or `visit VERBS URLS`.
PolicyRule read_rule(const Words& part) {
  if (part[0] == "visit") return {items(part[1]), {}, {}, {}, items(part[2])};
  PolicyRule rule = {items(part[1]), items(part[2]), items(part[3]), {}, {}};
  if (part.size() > 5) rule.names = items(part[5]);
  return rule;
}

Value read_subject(const Words& part) {
  const auto [name_space, name] = split_at(part[2], '/');
  Object subject = {{"kind", Value(part[1]), {}}};
  if (part[1] != "ServiceAccount") subject.push_back({"apiGroup", Value(kApiGroup), {}});
  subject.push_back({"name", Value(name), {}});
  if (!name_space.empty()) subject.push_back({"namespace", Value(name_space), {}});
  return Value(std::move(subject));
}

/// The parts of one line, as they come.
struct Parts {
  Object labels = {{"kubernetes.io/bootstrapping", Value("rbac-defaults"), {}}};
  Array selectors;
  PolicyRules rules;
  Value role;
  Array subjects;

  void add(const Words& part) {
    if (part[0] == "label") {
      const auto [key, value] = split_at(part[1], '=');
      labels.push_back({std::string(key), Value(value), {}});
    } else if (part[0] == "aggregate") {
      const auto [key, value] = split_at(part[1], '=');
      const Value match(Object{{std::string(key), Value(value), {}}});
      selectors.emplace_back(Object{{"matchLabels", match, {}}});
    } else if (part[0] == "role") {
      role =
          Value(Object{{"apiGroup", Value(kApiGroup), {}}, {"kind", Value(part[1]), {}}, {"name", Value(part[2]), {}}});
    } else if (part[0] == "subject") {
      subjects.push_back(read_subject(part));
    } else {
      rules.push_back(read_rule(part));
    }
  }
};

Value metadata_document(const BootstrapObject& object, Object labels) {
  Object metadata = {{"name", Value(object.name), {}}};
  if (!object.name_space.empty()) metadata.push_back({"namespace", Value(object.name_space), {}});
  metadata.push_back({"labels", Value(std::move(labels)), {}});
  const Value updated(Object{{"rbac.authorization.kubernetes.io/autoupdate", Value("true"), {}}});
  metadata.push_back({"annotations", updated, {}});
  return Value(std::move(metadata));
}

BootstrapObject read_line(std::string_view line) {
  const std::vector<std::string_view> texts = split(line, " ; ");
  const Words head = words(texts.front());
  const auto [name_space, name] = split_at(head[1], '/');
  const bool is_binding = head[0].ends_with("Binding");
  Parts parts;
  for (std::size_t i = 1; i < texts.size(); ++i) parts.add(words(texts[i]));

  BootstrapObject object = {kube::lower_case(head[0]) + "s", std::string(name_space), std::string(name), {}};
  Object document = {{"apiVersion", Value(std::string(kApiGroup) + "/v1"), {}}, {"kind", Value(head[0]), {}}};
  document.push_back({"metadata", metadata_document(object, std::move(parts.labels)), {}});
  if (is_binding) {
    if (!parts.subjects.empty()) document.push_back({"subjects", Value(std::move(parts.subjects)), {}});
    document.push_back({"roleRef", parts.role, {}});
  } else {
    const bool is_aggregated = !parts.selectors.empty();
    document.push_back({"rules", is_aggregated ? Value() : policy_rules_document(parts.rules), {}});
    if (is_aggregated) {
      const Value rule(Object{{"clusterRoleSelectors", Value(std::move(parts.selectors)), {}}});
      document.push_back({"aggregationRule", rule, {}});
    }
  }
  object.document = Value(std::move(document));
  return object;
}

}  // namespace

std::vector<BootstrapObject> bootstrap_policy() { return read_bootstrap_table(kDefaultRoles); }

std::vector<BootstrapObject> read_bootstrap_table(std::string_view table) {
  std::vector<BootstrapObject> objects;
  for (const std::string_view line : words(table, "\n")) objects.push_back(read_line(line));
  return objects;
}

}  // namespace loadline::apiserver
