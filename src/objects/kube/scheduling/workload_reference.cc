#include "objects/kube/scheduling/workload_reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::kube {
namespace {

using document::Array;
using document::Member;
using document::Object;
using document::Value;

/// Where pod specs stand in a Pod, in what has a template, and in a CronJob.
struct SpecPath {
  std::vector<std::string_view> names;
  std::string_view text;
};
const std::array<SpecPath, 3>& spec_paths() {
  static const auto& paths = *new std::array<SpecPath, 3>{
      {{{"spec"}, "spec"},
       {{"spec", "template", "spec"}, "spec.template.spec"},
       {{"spec", "jobTemplate", "spec", "template", "spec"}, "spec.jobTemplate.spec.template.spec"}}};
  return paths;
}

/// The value with the spec at the end of the path replaced.
Value replaced(const Value& value, const std::vector<std::string_view>& names, std::size_t depth, Value spec) {
  if (depth == names.size()) return spec;
  return value.with(names[depth], replaced(*value.find(names[depth]), names, depth + 1, std::move(spec)));
}

Value newer_group(const Value& group) {
  if (!group.is_object()) return group;
  Object newer;
  for (const Member& field : group.object()) {
    newer.push_back({field.key == "policy" ? "schedulingPolicy" : field.key, field.value, field.mark});
  }
  return Value(std::move(newer), group.mark());
}

using Key = std::pair<std::string, std::string>;  // a namespace and a name

Key key_of(const ObjectMeta& metadata) { return {metadata.namespace_, metadata.name}; }

/// Null: it has none of that name.
const PodGroupTemplate* template_of(const Workload& workload, std::string_view name) {
  const auto found = std::ranges::find(workload.templates, name, &PodGroupTemplate::name);
  return found == workload.templates.end() ? nullptr : &*found;
}

PodGroup group_made_of(const WorkloadGroupName& name, const Workload& workload, const PodGroupTemplate& template_) {
  PodGroup made;
  made.metadata.name = name.group();
  made.metadata.namespace_ = name.name_space;
  made.metadata.source = workload.metadata.source;
  made.made_of = {workload.metadata.name, template_.name};
  made.policy = template_.policy;
  return made;
}

}  // namespace

bool is_older_workload(std::string_view api_version, std::string_view kind) {
  return kind == "Workload" && api_version == kOlderWorkloadVersion;
}

Value as_newer_workload(const Value& workload) {
  const Value* version = workload.find("apiVersion");
  const document::Mark mark = version == nullptr ? workload.mark() : version->mark();
  Value newer = workload.with("apiVersion", Value(std::string("scheduling.k8s.io/v1alpha2"), mark));
  const Value* spec = workload.find("spec");
  if (spec == nullptr || !spec->is_object()) return newer;
  Object fields;
  for (const Member& field : spec->object()) {
    if (field.key != "podGroups" || !field.value.is_array()) {
      fields.push_back(field);
      continue;
    }
    Array groups;
    for (const Value& group : field.value.array()) groups.push_back(newer_group(group));
    fields.push_back({"podGroupTemplates", Value(std::move(groups), field.value.mark()), field.mark});
  }
  return std::move(newer).with("spec", Value(std::move(fields), spec->mark()));
}

std::string WorkloadGroupName::group() const {
  return fmt::format("{}-{}{}{}", workload, pod_group, replica_key.empty() ? "" : "-", replica_key);
}

std::optional<NamedInWorkload> named_in_workload(const Value& object) {
  for (const SpecPath& path : spec_paths()) {
    const Value* spec = &object;
    for (const std::string_view name : path.names) {
      spec = spec == nullptr || !spec->is_object() ? nullptr : spec->find(name);
    }
    const Value* reference = spec == nullptr || !spec->is_object() ? nullptr : spec->find("workloadRef");
    if (reference == nullptr || !reference->is_object()) continue;
    const std::string_view name_space = document::text_at(object, {"metadata", "namespace"});
    NamedInWorkload named;
    named.group = {std::string(name_space.empty() ? "default" : name_space),
                   std::string(document::text_at(*reference, {"name"})),
                   std::string(document::text_at(*reference, {"podGroup"})),
                   std::string(document::text_at(*reference, {"podGroupReplicaKey"}))};
    named.path = fmt::format("{}.workloadRef", path.text);
    named.mark = reference->mark();
    named.has_another_group = spec->find("schedulingGroup") != nullptr;
    Value newer = spec->without("workloadRef");
    if (!named.has_another_group) {
      newer = std::move(newer).with(
          "schedulingGroup",
          Value(Object{{"podGroupName", Value(named.group.group(), reference->mark()), {}}}, reference->mark()));
    }
    named.object = replaced(object, path.names, 0, std::move(newer));
    return named;
  }
  return std::nullopt;
}

void make_groups_of_references(Objects& objects) {
  if (objects.of<ReferenceToWorkload>().empty()) return;
  std::map<Key, const Workload*> workloads;
  for (const Workload& each : objects.of<Workload>()) workloads.emplace(key_of(each.metadata), &each);
  std::set<Key> groups;
  for (const PodGroup& each : objects.of<PodGroup>()) groups.insert(key_of(each.metadata));
  for (ReferenceToWorkload& reference : objects.of<ReferenceToWorkload>()) {
    const auto workload = workloads.find({reference.group.name_space, reference.group.workload});
    if (workload == workloads.end()) continue;
    const PodGroupTemplate* made_of = template_of(*workload->second, reference.group.pod_group);
    if (made_of == nullptr || !groups.insert({reference.group.name_space, reference.group.group()}).second) continue;
    objects.of<PodGroup>().push_back(group_made_of(reference.group, *workload->second, *made_of));
    reference.has_made_group = true;
  }
}

void forget_groups_of_references(Objects& objects) {
  std::set<Key> made;
  for (ReferenceToWorkload& reference : objects.of<ReferenceToWorkload>()) {
    if (!std::exchange(reference.has_made_group, false)) continue;
    made.emplace(reference.group.name_space, reference.group.group());
  }
  if (made.empty()) return;
  std::erase_if(objects.of<PodGroup>(), [&](const PodGroup& group) { return made.contains(key_of(group.metadata)); });
}

}  // namespace loadline::kube
