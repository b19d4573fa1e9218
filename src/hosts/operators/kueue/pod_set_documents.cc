#include "hosts/operators/kueue/pod_set_documents.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "hosts/operators/kueue/document_path.h"
#include "objects/kube/core/affinity_schema.h"
#include "objects/kube/core/container_schema.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/encoder.h"
#include "objects/kube/view.h"
#include "objects/kube/workload_names.h"

namespace loadline::operators::kueue {
namespace {

using document::Array;
using document::Object;
using document::Value;

/// Those of the Job controller that a Workload does not keep. The name of the Job is kept.
constexpr std::array kOfOneRun = {kube::kLegacyJobName, kube::kLegacyControllerUid, kube::kControllerUid};
constexpr std::array kOfJobController = {kube::kLegacyJobName, kube::kLegacyControllerUid, kube::kControllerUid,
                                         kube::kJobName};

// ---- what a Workload has ------------------------------------------------------------------------------------------

/// Of each name the last, in the place of the first.
Value without_repeated_variables(const Value& container) {
  const Array& variables = document::items_at(container, {"env"});
  Array kept;
  for (const Value& each : variables) {
    const auto known = std::ranges::find_if(kept, [&](const Value& other) {
      return document::text_at(other, {"name"}) == document::text_at(each, {"name"});
    });
    known == kept.end() ? kept.push_back(each) : void(*known = each);
  }
  return kept.size() == variables.size() ? container : container.with("env", Value(std::move(kept)));
}

Value with_tidy_containers(Value pod_template) {
  for (const std::string_view field : {"containers", "initContainers"}) {
    const Value* found = document::find_at(pod_template, {"spec", field});
    if (found == nullptr || !found->is_array()) continue;
    Array containers;
    for (const Value& each : found->array()) containers.push_back(without_repeated_variables(each));
    pod_template = document::with_at(std::move(pod_template), {"spec", field}, Value(std::move(containers)));
  }
  return pod_template;
}

Value without_labels_of_run(Value pod_template) {
  for (const std::string_view label : kOfOneRun) {
    pod_template = document::without_at(std::move(pod_template), {"metadata", "labels", label});
  }
  return pod_template;
}

/// With the containers that the set has behind those of the template: KubeRay adds some.
Value with_more_containers(Value pod_template, const kube::PodSet& set) {
  Array containers = document::items_at(pod_template, {"spec", "containers"});
  if (set.template_.spec == nullptr || containers.size() >= set.template_.spec->containers.size()) return pod_template;
  for (std::size_t i = containers.size(); i < set.template_.spec->containers.size(); ++i) {
    containers.push_back(kube::encode_object(kube::kContainerSchema, &set.template_.spec->containers[i]));
  }
  return document::with_at(std::move(pod_template), {"spec", "containers"}, Value(std::move(containers)));
}

/// A template of its own object, whatever its fields are called there.
Value template_at(const Value& job, const workloads::PodSet& place) {
  const Value* spec = find_path(job, place.path + std::string(place.spec_field));
  const Value* metadata = find_path(job, place.path + std::string(place.metadata_field));
  Value made;
  if (metadata != nullptr && metadata->is_object()) made = std::move(made).with("metadata", *metadata);
  return std::move(made).with("spec", spec == nullptr ? Value(Object()) : *spec);
}

Value document_of(const PodSetDocument& set) {
  Value made = Value(Object{{"name", Value(set.name), {}},
                            {"count", Value(std::int64_t{set.count}), {}},
                            {"template", set.pod_template, {}}});
  if (set.min_count) made = std::move(made).with("minCount", Value(std::int64_t{*set.min_count}));
  return made;
}

// ---- comparison ---------------------------------------------------------------------------------------------------

bool is_empty(const Value& value) {
  return value.is_null() || (value.is_array() && value.array().empty()) ||
         (value.is_object() && value.object().empty()) || (value.is_string() && value.string().empty());
}

/// What is left out is empty, or what the definition of Workloads fills in.
bool may_be_left_out(const document::Member& member) {
  return is_empty(member.value) || (member.key == "protocol" && member.value == Value("TCP"));
}

/// "1" and 1 and "1000m".
bool are_same_amount(const Value& a, const Value& b) {
  const auto text_of = [](const Value& value) {
    if (value.is_string()) return value.string();
    return value.is_integer() ? std::to_string(value.integer()) : std::string();
  };
  const auto first = kube::Quantity::parse(text_of(a));
  const auto second = kube::Quantity::parse(text_of(b));
  return a == b || (first && second && *first == *second);
}

bool are_equal(const Value& a, const Value& b);

bool has_all_of(const Value& a, const Value& b, bool are_amounts) {
  return std::ranges::all_of(a.object(), [&](const document::Member& member) {
    const Value* other = b.find(member.key);
    if (other == nullptr) return may_be_left_out(member);
    if (are_amounts) return are_same_amount(member.value, *other);
    const bool holds_amounts = member.key == "requests" || member.key == "limits";
    if (holds_amounts && member.value.is_object() && other->is_object()) {
      return has_all_of(member.value, *other, true) && has_all_of(*other, member.value, true);
    }
    return are_equal(member.value, *other);
  });
}

/// Go's semantic equality.
bool are_equal(const Value& a, const Value& b) {
  if (a.is_object() && b.is_object()) return has_all_of(a, b, false) && has_all_of(b, a, false);
  if (a.is_array() && b.is_array()) return std::ranges::equal(a.array(), b.array(), are_equal);
  return a == b || (is_empty(a) && is_empty(b));
}

bool have_same(const Value& a, const Value& b, std::string_view field) {
  return are_equal(document::value_at(a, {"spec", field}), document::value_at(b, {"spec", field}));
}

bool ask_for_same(const PodSetDocument& a, const PodSetDocument& b, Tolerations tolerations) {
  return a.count == b.count && a.min_count == b.min_count &&
         (tolerations == Tolerations::kIgnored || have_same(a.pod_template, b.pod_template, "tolerations")) &&
         have_same(a.pod_template, b.pod_template, "initContainers") &&
         have_same(a.pod_template, b.pod_template, "containers");
}

// ---- changes ------------------------------------------------------------------------------------------------------

/// Where fields of a template stand in a job.
struct TemplateFields {
  std::string metadata;
  std::string spec;

  explicit TemplateFields(const workloads::PodSet& place)
      : metadata(place.path + std::string(place.metadata_field)), spec(place.path + std::string(place.spec_field)) {}
  [[nodiscard]] std::string path_of(std::string_view field) const {
    const bool is_metadata = field == "labels" || field == "annotations";
    return (is_metadata ? metadata : spec) + '.' + std::string(field);
  }
};

Value with_entries_added(Value job, const std::string& path, const kube::StringMap& entries) {
  if (entries.empty()) return job;
  const Value* there = find_path(job, path);
  Value map = there == nullptr || !there->is_object() ? Value(Object()) : *there;
  for (const auto& [key, value] : entries) map = std::move(map).with(key, Value(value));
  return with_path(std::move(job), path, std::move(map));
}

Value with_tolerations_added(Value job, const std::string& path, const std::vector<kube::Toleration>& more) {
  if (more.empty()) return job;
  const Value* there = find_path(job, path);
  Array all = there == nullptr || !there->is_array() ? Array() : there->array();
  std::vector<kube::Toleration> known;
  for (const Value& each : all) {
    known.push_back(kube::view<kube::Toleration>(each, kube::kTolerationSchema).object);
  }
  for (const kube::Toleration& each : more) {
    if (std::ranges::find(known, each) != known.end()) continue;
    known.push_back(each);
    all.push_back(kube::encode_object(kube::kTolerationSchema, &each));
  }
  return with_path(std::move(job), path, Value(std::move(all)));
}

Value without_path(Value job, const std::string& parent, std::string_view field) {
  const Value* there = find_path(job, parent);
  if (there == nullptr || there->find(field) == nullptr) return job;
  Value rest = there->without(field);
  return with_path(std::move(job), parent, std::move(rest));
}

Value labels_of_job_controller(const Value* labels, Value kept) {
  for (const std::string_view name : kOfJobController) {
    const Value* found = labels == nullptr ? nullptr : labels->find(name);
    if (found != nullptr) kept = std::move(kept).with(name, *found);
  }
  return kept;
}

Value with_field_restored(Value job, const TemplateFields& at, std::string_view field, const Value* before) {
  const std::string path = at.path_of(field);
  const Value* now = find_path(job, path);
  Value wanted = before == nullptr ? Value() : *before;
  if (field == "labels") wanted = labels_of_job_controller(now, std::move(wanted));
  if (now == nullptr ? is_empty(wanted) : *now == wanted) return job;
  if (!is_empty(wanted)) return with_path(std::move(job), path, std::move(wanted));
  const bool is_metadata = field == "labels" || field == "annotations";
  return without_path(std::move(job), is_metadata ? at.metadata : at.spec, field);
}

}  // namespace

PodSetDocuments pod_set_documents(const Value& job, const workloads::PodSets& places,
                                  const queue::kueue::JobPodSets& sets) {
  REQUIRES(places.size() <= sets.size());
  PodSetDocuments made;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    Value pod_template = i < places.size() ? with_more_containers(template_at(job, places[i]), sets[i])
                                           : kube::encode_object(kube::kPodTemplateSpecSchema, &sets[i].template_);
    pod_template = without_labels_of_run(with_tidy_containers(std::move(pod_template)));
    made.push_back({sets[i].name, std::move(pod_template), sets[i].count, sets[i].min_count});
  }
  return made;
}

PodSetDocuments pod_set_documents(const WorkloadObject& workload) {
  PodSetDocuments made;
  const Array& documents = document::items_at(workload.document, {"spec", "podSets"});
  for (std::size_t i = 0; i < workload.view.pod_sets.size() && i < documents.size(); ++i) {
    const kube::PodSet& set = workload.view.pod_sets[i];
    made.push_back({set.name, document::value_at(documents[i], {"template"}), set.count, set.min_count});
  }
  return made;
}

Value array_of(const PodSetDocuments& sets) {
  Array made;
  for (const PodSetDocument& each : sets) made.push_back(document_of(each));
  return Value(std::move(made));
}

bool ask_the_same(const PodSetDocuments& a, const PodSetDocuments& b, Tolerations tolerations) {
  return std::ranges::equal(a, b, [tolerations](const PodSetDocument& one, const PodSetDocument& other) {
    return ask_for_same(one, other, tolerations);
  });
}

Value with_infos(Value job, const workloads::PodSets& places, const std::vector<queue::kueue::PodSetInfo>& infos) {
  for (std::size_t i = 0; i < places.size() && i < infos.size(); ++i) {
    const TemplateFields at(places[i]);
    if (find_path(job, places[i].path) == nullptr) {
      // What is known of it has the infos in it already.
      job = with_path(std::move(job), places[i].path,
                      kube::encode_object(kube::kPodTemplateSpecSchema, places[i].pod_template));
      continue;
    }
    job = with_entries_added(std::move(job), at.path_of("labels"), infos[i].labels);
    job = with_entries_added(std::move(job), at.path_of("annotations"), infos[i].annotations);
    job = with_entries_added(std::move(job), at.path_of("nodeSelector"), infos[i].node_selector);
    job = with_tolerations_added(std::move(job), at.path_of("tolerations"), infos[i].tolerations);
  }
  return job;
}

Value with_restored(Value job, const workloads::PodSets& places, const Value& workload) {
  const Array& sets = document::items_at(workload, {"spec", "podSets"});
  if (sets.size() != places.size()) return job;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const TemplateFields at(places[i]);
    if (find_path(job, places[i].path) == nullptr) continue;
    for (const std::string_view field : {"labels", "annotations"}) {
      const Value* before = document::find_at(sets[i], {"template", "metadata", field});
      job = with_field_restored(std::move(job), at, field, before);
    }
    for (const std::string_view field : {"nodeSelector", "tolerations", "schedulingGates"}) {
      const Value* before = document::find_at(sets[i], {"template", "spec", field});
      job = with_field_restored(std::move(job), at, field, before);
    }
  }
  return job;
}

Array documents_of(const std::vector<kube::Toleration>& tolerations) {
  Array made;
  for (const kube::Toleration& each : tolerations) {
    made.push_back(kube::encode_object(kube::kTolerationSchema, &each));
  }
  return made;
}

}  // namespace loadline::operators::kueue
