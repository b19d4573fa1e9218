#include "hosts/operators/lws/group_documents.h"

#include <algorithm>
#include <utility>

#include "brain/workloads/leader_worker_set.h"
#include "foundation/document/at.h"
#include "hosts/controllers/ownership.h"
#include "hosts/controllers/pod_template.h"
#include "hosts/operators/lws/group_revision.h"
#include "hosts/operators/lws/tpu_variables.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators {
namespace {

using document::Array;
using document::Object;
using document::Value;
using watching::kind_name;
using workloads::PodDraft;

Value as_value(const kube::StringMap& map) {
  Object members;
  for (const auto& [key, value] : map) members.push_back({key, Value(value), {}});
  return Value(std::move(members));
}

Value template_part(const LwsObject& set, std::string_view name) {
  return document::value_at(set.document, {"spec", "leaderWorkerTemplate", name});
}

/// Of each claim template what the operator takes over: its name, and what it asks for.
Value claim_templates(const LwsObject& set) {
  const Value written = template_part(set, "volumeClaimTemplates");
  Array claims;
  if (!written.is_array()) return Value(std::move(claims));
  for (const Value& each : written.array()) {
    Object spec;
    for (const std::string_view field : {"accessModes", "storageClassName", "volumeMode"}) {
      const Value* found = document::find_at(each, {"spec", field});
      if (found != nullptr && !found->is_null()) spec.push_back({std::string(field), *found, {}});
    }
    Object resources;
    for (const std::string_view field : {"requests", "limits"}) {
      const Value* found = document::find_at(each, {"spec", "resources", field});
      if (found != nullptr && !found->is_null()) resources.push_back({std::string(field), *found, {}});
    }
    if (!resources.empty()) spec.push_back({"resources", Value(std::move(resources)), {}});
    Object metadata{{"name", document::value_at(each, {"metadata", "name"}), {}},
                    {"namespace", Value(set.metadata().namespace_), {}}};
    claims.emplace_back(Object{{"apiVersion", Value("v1"), {}},
                               {"kind", Value("PersistentVolumeClaim"), {}},
                               {"metadata", Value(std::move(metadata)), {}},
                               {"spec", Value(std::move(spec)), {}}});
  }
  return Value(std::move(claims));
}

/// What the two kinds of StatefulSets have alike.
Value stateful_set_spec(const LwsObject& set, std::string_view service, std::int64_t replicas, Value selector,
                        Value pod_template) {
  Object spec{{"serviceName", Value(service), {}},
              {"replicas", Value(replicas), {}},
              {"podManagementPolicy", Value("Parallel"), {}},
              {"selector", Value(Object{{"matchLabels", std::move(selector), {}}}), {}},
              {"template", std::move(pod_template), {}}};
  Value claims = claim_templates(set);
  if (!claims.array().empty()) spec.push_back({"volumeClaimTemplates", std::move(claims), {}});
  Value retention = template_part(set, "persistentVolumeClaimRetentionPolicy");
  if (retention.is_object()) spec.push_back({"persistentVolumeClaimRetentionPolicy", std::move(retention), {}});
  return Value(std::move(spec));
}

Value stateful_set_document(Object metadata, Value spec) {
  return Value(Object{{"apiVersion", Value("apps/v1"), {}},
                      {"kind", Value("StatefulSet"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", std::move(spec), {}}});
}

Value owners(Value reference) { return Value(Array{std::move(reference)}); }

bool is_nothing(const Value& value) {
  if (value.is_object()) {
    return std::all_of(value.object().begin(), value.object().end(),
                       [](const document::Member& member) { return is_nothing(member.value); });
  }
  return value.is_null() || (value.is_array() && value.array().empty());
}

}  // namespace

Value leaders_document(const LwsObject& set, const LeadersTarget& target, std::string_view revision_key) {
  const kube::LeaderWorkerSet& view = set.view;
  PodDraft draft = workloads::leaders_draft(view);
  draft.labels.emplace_back(kube::kLwsRevision, revision_key);
  Value pod_template = template_part(set, view.leader_template ? "leaderTemplate" : "workerTemplate");
  pod_template = controllers::with_draft(std::move(pod_template), draft);
  Value spec = stateful_set_spec(set, view.metadata.name, target.replicas, as_value(workloads::leader_labels(view)),
                                 std::move(pod_template));
  // The operator also writes a maxUnavailable, which Kubernetes drops, its gate MaxUnavailableStatefulSet being off.
  Value update(Object{{"partition", Value(std::int64_t{target.partition}), {}}});
  spec = std::move(spec).with(
      "updateStrategy", Value(Object{{"type", Value("RollingUpdate"), {}}, {"rollingUpdate", std::move(update), {}}}));
  Value labels(Object{{std::string(kube::kLwsName), Value(view.metadata.name), {}},
                      {std::string(kube::kLwsRevision), Value(revision_key), {}}});
  Value annotations(Object{{std::string(kube::kLwsReplicas), Value(std::to_string(view.replicas)), {}}});
  Value owner = controllers::controller_reference(kind_name<kube::LeaderWorkerSet>(), view.metadata);
  return stateful_set_document({{"name", Value(view.metadata.name), {}},
                                {"namespace", Value(view.metadata.namespace_), {}},
                                {"labels", std::move(labels), {}},
                                {"annotations", std::move(annotations), {}},
                                {"ownerReferences", owners(std::move(owner)), {}}},
                               std::move(spec));
}

Value workers_document(const LwsObject& set, const PodObject& leader, std::int64_t group, const Value& worker_template,
                       const std::string* domain) {
  const kube::LeaderWorkerSet& view = set.view;
  PodDraft draft = workloads::workers_draft(view, group);
  const kube::StringMap selector(draft.labels.begin(), draft.labels.end());
  draft.labels.emplace_back(kube::kLwsRevision, revision_key(leader.metadata()));
  if (requests_tpus(leader.document)) draft.annotations.emplace_back(kube::kLwsLeaderRequestsTpus, "true");
  if (domain != nullptr) draft.node_selector.emplace(workloads::exclusive_topology(view), *domain);
  Value pod_template = controllers::with_draft(worker_template, draft);
  Value spec = stateful_set_spec(set, workloads::service_of(view, group), std::int64_t{view.size} - 1,
                                 as_value(selector), std::move(pod_template));
  spec = std::move(spec).with("ordinals", Value(Object{{"start", Value(std::int64_t{1}), {}}}));
  Value owner = controllers::controller_reference(kind_name<kube::Pod>(), leader.metadata());
  return stateful_set_document({{"name", Value(leader.metadata().name), {}},
                                {"namespace", Value(view.metadata.namespace_), {}},
                                {"labels", controllers::with_entries(Value(Object()), draft.labels), {}},
                                {"ownerReferences", owners(std::move(owner)), {}}},
                               std::move(spec));
}

Value group_service_document(const kube::LeaderWorkerSet& set, std::int64_t group, Value owner) {
  Value labels(Object{{std::string(kube::kLwsName), Value(set.metadata.name), {}}});
  Object metadata{{"name", Value(workloads::service_of(set, group)), {}},
                  {"namespace", Value(set.metadata.namespace_), {}},
                  {"labels", std::move(labels), {}},
                  {"ownerReferences", owners(std::move(owner)), {}}};
  Object spec{{"clusterIP", Value("None"), {}},
              {"selector", as_value(workloads::service_selector(set, group)), {}},
              {"publishNotReadyAddresses", Value(true), {}}};
  return Value(Object{{"apiVersion", Value("v1"), {}},
                      {"kind", Value("Service"), {}},
                      {"metadata", Value(std::move(metadata)), {}},
                      {"spec", Value(std::move(spec)), {}}});
}

bool is_applied(const Value& applied, const Value& object) {
  if (is_nothing(applied)) return true;
  if (applied.is_object() && object.is_object()) {
    return std::all_of(applied.object().begin(), applied.object().end(), [&](const document::Member& member) {
      const Value* there = object.find(member.key);
      return is_applied(member.value, there == nullptr ? Value() : *there);
    });
  }
  if (!applied.is_array() || !object.is_array()) return applied == object;
  return applied.array().size() == object.array().size() &&
         std::equal(applied.array().begin(), applied.array().end(), object.array().begin(), is_applied);
}

}  // namespace loadline::operators
