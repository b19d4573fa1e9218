#include "hosts/operators/grove/grove_objects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "foundation/document/at.h"
#include "foundation/document/same_document.h"
#include "hosts/controllers/pod_template.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using workloads::ObjectDraft;

constexpr std::string_view kGroveVersion = "grove.io/v1alpha1";
constexpr std::string_view kTopologyAnnotation = "grove.io/topology-name";

/// An object of the set's with the labels that all have.
Value part(const kube::PodCliqueSet& set, std::string_view api_version, std::string_view kind, std::string_view name,
           std::string_view component, Value owner) {
  ObjectDraft::Entries labels = workloads::grove_labels(set.metadata.name);
  std::string told(name);
  std::ranges::replace(told, ':', '-');
  labels.emplace_back(kube::kAppName, std::move(told));
  labels.emplace_back(kube::kComponent, std::string(component));
  return Value(Object{{"apiVersion", Value(api_version), {}},
                      {"kind", Value(kind), {}},
                      {"metadata",
                       Value(Object{{"name", Value(name), {}},
                                    {"namespace", Value(set.metadata.namespace_), {}},
                                    {"labels", controllers::with_entries(Value(Object{}), labels), {}},
                                    {"ownerReferences", Value(Array{std::move(owner)}), {}}}),
                       {}}});
}

Value of_replica(Value object, std::int64_t replica) {
  return document::with_at(std::move(object), {"metadata", "labels", kube::kGroveSetIndex},
                           Value(std::to_string(replica)));
}

std::string role_name(const kube::PodCliqueSet& set) { return "grove.io:pcs:" + set.metadata.name; }

Value variable_of_label(std::string_view name, std::string_view label) {
  Value field(Object{{"fieldPath", Value(fmt::format("metadata.labels['{}']", label)), {}}});
  return Value(Object{{"name", Value(name), {}}, {"valueFrom", Value(Object{{"fieldRef", std::move(field), {}}}), {}}});
}

/// Pods of a scaling group are told which, and how many they are.
Value with_group_variables(Value spec, const workloads::CliqueOfSet& clique) {
  std::int64_t pods = 0;
  for (const std::string& name : clique.group->cliques) {
    const kube::CliqueTemplate* const each = workloads::find_clique(clique.set, name);
    if (each != nullptr) pods += each->spec.replicas;
  }
  const Value variables[] = {
      variable_of_label("GROVE_PCSG_NAME", kube::kGroveScalingGroup),
      Value(Object{{"name", Value("GROVE_PCSG_TEMPLATE_NUM_PODS"), {}}, {"value", Value(std::to_string(pods)), {}}}),
      variable_of_label("GROVE_PCSG_INDEX", kube::kGroveScalingGroupIndex)};
  for (const std::string_view list : {"containers", "initContainers"}) {
    Array containers = document::items_at(spec, {"podSpec", list});
    if (containers.empty()) continue;
    for (Value& container : containers) {
      Array env = document::items_at(container, {"env"});
      env.insert(env.end(), std::begin(variables), std::end(variables));
      container = std::move(container).with("env", Value(std::move(env)));
    }
    spec = document::with_at(std::move(spec), {"podSpec", list}, Value(std::move(containers)));
  }
  return spec;
}

Value with_dependencies(Value spec, const std::vector<std::string>& names) {
  if (names.empty()) return document::without_at(std::move(spec), {"startsAfter"});
  Array parents;
  for (const std::string& name : names) parents.emplace_back(name);
  return std::move(spec).with("startsAfter", Value(std::move(parents)));
}

bool is_empty(const Value& value) { return value.is_null() || (value.is_object() && value.object().empty()); }

}  // namespace

Value clique_document(const workloads::CliqueOfSet& clique, const SetTemplates& templates, Value owner) {
  const Value* const written = templates.written(clique.clique.name);
  if (written == nullptr) return {};
  ObjectDraft draft = workloads::clique_draft(clique);
  draft.labels.emplace_back(kube::kGroveTemplateHash, templates.hash_of(clique.clique.name));
  Object metadata{{"name", Value(draft.name), {}},
                  {"namespace", Value(clique.set.metadata.namespace_), {}},
                  {"labels", controllers::with_entries(document::value_at(*written, {"labels"}), draft.labels), {}},
                  {"ownerReferences", Value(Array{std::move(owner)}), {}},
                  {"finalizers", Value(Array{Value(kGroveCliqueFinalizer)}), {}}};
  Value annotations = document::without_at(document::value_at(*written, {"annotations"}), {kTopologyAnnotation});
  if (!is_empty(annotations)) metadata.push_back({"annotations", std::move(annotations), {}});
  Value spec = with_dependencies(document::value_at(*written, {"spec"}), clique.starts_after());
  if (clique.group != nullptr) spec = with_group_variables(std::move(spec), clique);
  return Value(Object{{"apiVersion", Value(kGroveVersion), {}},
                      {"kind", Value("PodClique"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", std::move(spec), {}}});
}

Value scaling_group_document(const kube::PodCliqueSet& set, std::int64_t replica, const kube::CliqueScalingGroup& group,
                             Value owner) {
  Array cliques;
  for (const std::string& name : group.cliques) cliques.emplace_back(name);
  Value object =
      of_replica(part(set, kGroveVersion, "PodCliqueScalingGroup", workloads::scaling_group_name(set, replica, group),
                      "pcs-podcliquescalinggroup", std::move(owner)),
                 replica);
  for (const auto& [name, value] : group.annotations) {
    object = document::with_at(std::move(object), {"metadata", "annotations", name}, Value(value));
  }
  object = document::with_at(std::move(object), {"metadata", "finalizers"}, Value(Array{Value(kGroveGroupFinalizer)}));
  return std::move(object).with("spec", Value(Object{{"replicas", Value(std::int64_t{group.replicas.value_or(1)}), {}},
                                                     {"minAvailable", Value(workloads::least_available(group)), {}},
                                                     {"cliqueNames", Value(std::move(cliques)), {}}}));
}

Value replica_service_document(const kube::PodCliqueSet& set, std::int64_t replica, Value owner) {
  Value selector(Object{});
  for (const auto& [name, value] : workloads::service_selector(set, replica)) {
    selector = std::move(selector).with(name, Value(value));
  }
  Object spec{{"selector", std::move(selector), {}}, {"clusterIP", Value("None"), {}}};
  if (set.publishes_not_ready_addresses) spec.push_back({"publishNotReadyAddresses", Value(true), {}});
  return of_replica(part(set, "v1", "Service", workloads::replica_name(set, replica), "pcs-headless-service",
                         std::move(owner)),
                    replica)
      .with("spec", Value(std::move(spec)));
}

Value account_document(const kube::PodCliqueSet& set, Value owner) {
  return part(set, "v1", "ServiceAccount", set.metadata.name, "pod-service-account", std::move(owner))
      .with("automountServiceAccountToken", Value(true));
}

Value role_document(const kube::PodCliqueSet& set, Value owner) {
  Value rule(Object{{"apiGroups", Value(Array{Value("")}), {}},
                    {"resources", Value(Array{Value("pods"), Value("pods/status")}), {}},
                    {"verbs", Value(Array{Value("get"), Value("list"), Value("watch")}), {}}});
  return part(set, "rbac.authorization.k8s.io/v1", "Role", role_name(set), "pod-role", std::move(owner))
      .with("rules", Value(Array{std::move(rule)}));
}

Value role_binding_document(const kube::PodCliqueSet& set, Value owner) {
  Value subject(Object{{"kind", Value("ServiceAccount"), {}},
                       {"name", Value(set.metadata.name), {}},
                       {"namespace", Value(set.metadata.namespace_), {}}});
  Value role(Object{{"apiGroup", Value("rbac.authorization.k8s.io"), {}},
                    {"kind", Value("Role"), {}},
                    {"name", Value(role_name(set)), {}}});
  return part(set, "rbac.authorization.k8s.io/v1", "RoleBinding", role_name(set), "pod-role-binding", std::move(owner))
      .with("subjects", Value(Array{std::move(subject)}))
      .with("roleRef", std::move(role));
}

std::string token_name(std::string_view set) { return fmt::format("{}-initc-sa-token-secret", set); }

Value token_document(const kube::PodCliqueSet& set, Value owner) {
  Value secret = part(set, "v1", "Secret", token_name(set.metadata.name), "pod-sa-token-secret", std::move(owner))
                     .with("type", Value("kubernetes.io/service-account-token"));
  return document::with_at(std::move(secret), {"metadata", "annotations", "kubernetes.io/service-account.name"},
                           Value(set.metadata.name));
}

Value autoscaler_document(const kube::PodCliqueSet& set, std::string_view kind, const std::string& name,
                          const Value& scaling, Value owner) {
  Object spec{
      {"scaleTargetRef",
       Value(Object{{"kind", Value(kind), {}}, {"name", Value(name), {}}, {"apiVersion", Value(kGroveVersion), {}}}),
       {}}};
  for (const std::string_view field : {"minReplicas", "maxReplicas", "metrics"}) {
    const Value* const written = scaling.find(field);
    if (written != nullptr) spec.push_back({std::string(field), *written, {}});
  }
  return part(set, "autoscaling/v2", "HorizontalPodAutoscaler", name, "pcs-hpa", std::move(owner))
      .with("spec", Value(std::move(spec)));
}

Value mended(const Value& object, const Value& wanted) {
  Value result = object;
  for (const std::string_view field : {"labels", "annotations"}) {
    Value entries = document::value_at(wanted, {"metadata", field});
    result = is_empty(entries) ? document::without_at(std::move(result), {"metadata", field})
                               : document::with_at(std::move(result), {"metadata", field}, std::move(entries));
  }
  Value spec = document::value_at(wanted, {"spec"});
  const Value* const replicas = document::find_at(object, {"spec", "replicas"});
  if (replicas != nullptr) spec = std::move(spec).with("replicas", *replicas);
  result = std::move(result).with("spec", std::move(spec));
  return document::same_document(result, object) ? Value() : result;
}

}  // namespace loadline::operators
