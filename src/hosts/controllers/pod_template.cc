#include "hosts/controllers/pod_template.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/encoder.h"

namespace loadline::controllers {
namespace {

using document::Array;
using document::items_at;
using document::Object;
using document::Value;
using document::with_at;
using workloads::PodDraft;

bool has_name(const Value& item, std::string_view name) { return document::text_at(item, {"name"}) == name; }

Value with_metadata(Value pod, std::string_view field, const PodDraft::Entries& entries) {
  if (entries.empty()) return pod;
  Value map = document::value_at(pod, {"metadata", field});
  return with_at(std::move(pod), {"metadata", field}, with_entries(std::move(map), entries));
}

Value with_finalizers(Value pod, const std::vector<std::string_view>& added) {
  if (added.empty()) return pod;
  Array finalizers = items_at(pod, {"metadata", "finalizers"});
  const std::size_t before = finalizers.size();
  for (const std::string_view finalizer : added) {
    const Value value(finalizer);
    if (std::find(finalizers.begin(), finalizers.end(), value) == finalizers.end()) finalizers.push_back(value);
  }
  if (finalizers.size() == before) return pod;
  return with_at(std::move(pod), {"metadata", "finalizers"}, Value(std::move(finalizers)));
}

Value field_variable(const PodDraft::Variable& variable) {
  Value reference(Object{{"fieldRef", Value(Object{{"fieldPath", Value(variable.field_path), {}}}), {}}});
  return Value(Object{{"name", Value(variable.name), {}}, {"valueFrom", std::move(reference), {}}});
}

Value with_variable(Value container, const PodDraft::Variable& variable) {
  Array variables = items_at(container, {"env"});
  const bool declared =
      std::any_of(variables.begin(), variables.end(), [&](const Value& one) { return has_name(one, variable.name); });
  if (declared) return container;
  variables.push_back(field_variable(variable));
  return std::move(container).with("env", Value(std::move(variables)));
}

Value with_variables(Value pod, const std::vector<PodDraft::Variable>& variables) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    Array containers = variables.empty() ? Array() : items_at(pod, {"spec", list});
    if (containers.empty()) continue;
    for (Value& container : containers) {
      for (const PodDraft::Variable& variable : variables) container = with_variable(std::move(container), variable);
    }
    pod = with_at(std::move(pod), {"spec", list}, Value(std::move(containers)));
  }
  return pod;
}

/// The claims' volumes, and the template's others.
Value with_volumes(Value pod, const std::vector<PodDraft::ClaimVolume>& claims) {
  if (claims.empty()) return pod;
  Array volumes;
  Array others = items_at(pod, {"spec", "volumes"});
  for (const PodDraft::ClaimVolume& claim : claims) {
    Value source(Object{{"claimName", Value(claim.claim), {}}});
    volumes.push_back(
        Value(Object{{"name", Value(claim.volume), {}}, {"persistentVolumeClaim", std::move(source), {}}}));
    std::erase_if(others, [&](const Value& other) { return has_name(other, claim.volume); });
  }
  std::move(others.begin(), others.end(), std::back_inserter(volumes));
  return with_at(std::move(pod), {"spec", "volumes"}, Value(std::move(volumes)));
}

/// Required node affinity is replaced: the controller has judged it already.
Value pinned(Value pod, std::string_view node) {
  if (node.empty()) return pod;
  Value field(Object{{"key", Value(workloads::kNodeNameField), {}},
                     {"operator", Value("In"), {}},
                     {"values", Value(Array{Value(node)}), {}}});
  Value term(Object{{"matchFields", Value(Array{std::move(field)}), {}}});
  return with_at(
      std::move(pod),
      {"spec", "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"},
      Value(Array{std::move(term)}));
}

/// Behind the items that are there.
Value with_items(Value pod, document::Names names, const Array& items) {
  if (items.empty()) return pod;
  Array all = items_at(pod, names);
  all.insert(all.end(), items.begin(), items.end());
  return with_at(std::move(pod), names, Value(std::move(all)));
}

Value with_node_selector(Value pod, const kube::StringMap& labels) {
  for (const auto& [name, value] : labels) pod = with_at(std::move(pod), {"spec", "nodeSelector", name}, Value(value));
  return pod;
}

Value with_tolerations(Value pod, const std::vector<kube::Toleration>& tolerations) {
  Array added;
  for (const kube::Toleration& each : tolerations) added.push_back(kube::encode_object(kube::kTolerationSchema, &each));
  return with_items(std::move(pod), {"spec", "tolerations"}, added);
}

/// Near some pods and away from others, behind what the template requires.
Value with_required_pods(Value pod, const PodDraft& draft) {
  if (draft.near.empty() && draft.away_from.empty()) return pod;
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  kube::Affinity affinity;
  affinity.pod.emplace().required = draft.near;
  affinity.pod_anti.emplace().required = draft.away_from;
  const Value added = kube::encode_object(kube::kAffinitySchema, &affinity);
  for (const std::string_view field : {"podAffinity", "podAntiAffinity"}) {
    pod = with_items(std::move(pod), {"spec", "affinity", field, kRequired}, items_at(added, {field, kRequired}));
  }
  return pod;
}

Value with_text(Value pod, document::Names names, const std::string& text) {
  return text.empty() ? pod : with_at(std::move(pod), names, Value(text));
}

}  // namespace

Value pod_from_template(const Value& pod_template, const PodDraft& shared, Value owner_reference) {
  Object metadata{{"generateName", Value(shared.generate_name), {}}};
  for (const std::string_view name : {"labels", "annotations", "finalizers"}) {
    const Value* copied = document::find_at(pod_template, {"metadata", name});
    if (copied != nullptr && !copied->is_null()) metadata.push_back({std::string(name), *copied, {}});
  }
  metadata.push_back({"ownerReferences", Value(Array{std::move(owner_reference)}), {}});
  const Value* spec = pod_template.find("spec");
  Value pod(Object{{"apiVersion", Value("v1"), {}},
                   {"kind", Value("Pod"), {}},
                   {"metadata", Value(std::move(metadata)), {}},
                   {"spec", spec == nullptr ? Value(Object()) : *spec, {}}});
  return with_draft(std::move(pod), shared);
}

Value with_entries(Value map, const workloads::ObjectDraft::Entries& entries) {
  for (const auto& [name, value] : entries) map = std::move(map).with(name, Value(value));
  return map;
}

Value with_draft(Value pod, const PodDraft& draft) {
  pod = with_text(std::move(pod), {"metadata", "name"}, draft.name);
  pod = with_text(std::move(pod), {"metadata", "generateName"}, draft.generate_name);
  pod = with_metadata(std::move(pod), "labels", draft.labels);
  pod = with_metadata(std::move(pod), "annotations", draft.annotations);
  pod = with_finalizers(std::move(pod), draft.finalizers);
  pod = with_text(std::move(pod), {"spec", "hostname"}, draft.hostname);
  pod = with_text(std::move(pod), {"spec", "subdomain"}, draft.subdomain);
  pod = with_text(std::move(pod), {"spec", "restartPolicy"}, draft.restart_policy);
  pod = with_text(std::move(pod), {"spec", "schedulingGroup", "podGroupName"}, draft.pod_group);
  pod = with_variables(std::move(pod), draft.variables);
  pod = with_volumes(std::move(pod), draft.volumes);
  pod = with_items(std::move(pod), {"spec", "initContainers"},
                   {draft.init_containers.begin(), draft.init_containers.end()});
  pod = with_items(std::move(pod), {"spec", "containers"}, {draft.containers.begin(), draft.containers.end()});
  pod = with_node_selector(std::move(pod), draft.node_selector);
  pod = with_tolerations(std::move(pod), draft.tolerations);
  pod = with_required_pods(std::move(pod), draft);
  return pinned(std::move(pod), draft.node);
}

}  // namespace loadline::controllers
