#include <fmt/format.h>

#include <array>
#include <string>

#include "foundation/base/contract.h"
#include "foundation/document/at.h"
#include "objects/kube/core/container_validation.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/pod_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/pod_resources.h"
#include "objects/kube/view.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"
#include "server/apiserver/subresources/part.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;

constexpr std::array<std::string_view, 2> kLists = {"containers", "initContainers"};

void forbid(kube::FieldErrors& errors, std::string path, std::string_view why) {
  errors.push_back({std::move(path), fmt::format("Forbidden: {}", why), {}});
}

/// Containers must be the same ones, in the same order. False if they are not.
bool check_order(kube::FieldErrors& errors, const Value& wanted, const Value& old) {
  for (const std::string_view list : kLists) {
    const std::string path = fmt::format("spec.{}", list);
    const Array& now = elements_of(wanted, {"spec", list});
    const Array& before = elements_of(old, {"spec", list});
    if (now.size() != before.size()) {
      forbid(errors, path, fmt::format("{} may not be added or removed on resize", list));
      continue;
    }
    for (std::size_t index = 0; index < now.size(); ++index) {
      if (document::text_at(now[index], {"name"}) == document::text_at(before[index], {"name"})) continue;
      forbid(errors, element_path(path, index, "name"),
             fmt::format("{} may not be renamed or reordered on resize", list));
    }
  }
  return errors.empty();
}

Value with_member_of(const Value& object, const Value& from, std::string_view member) {
  const Value* value = part_of(from, {member});
  return value == nullptr ? object.without(member) : object.with(member, *value);
}

/// The old spec with the resources of the new one. REQUIRES: the same containers.
Value resized(const Value& wanted, const Value& old) {
  const Value* spec = part_of(old, {"spec"});
  Value changed = spec == nullptr ? Value(Object()) : *spec;
  if (const Value* given = part_of(wanted, {"spec"})) changed = with_member_of(changed, *given, "resources");
  for (const std::string_view list : kLists) {
    if (part_of(old, {"spec", list}) == nullptr) continue;
    const Array& now = elements_of(wanted, {"spec", list});
    REQUIRES(now.size() == elements_of(old, {"spec", list}).size());
    Array containers;
    for (const Value& before : elements_of(old, {"spec", list})) {
      const Value& given = now[containers.size()];
      // A container always has resources, if only empty ones.
      const Value* resources = part_of(given, {"resources"});
      Value container = before.with("resources", resources == nullptr ? Value(Object()) : *resources);
      containers.push_back(with_member_of(container, given, "resizePolicy"));
    }
    changed = changed.with(list, Value(std::move(containers)));
  }
  return changed;
}

/// Some resource that had an amount has none any more.
bool is_one_removed(const Value& now, const Value& before, std::string_view which) {
  const Value* amounts = part_of(before, {"resources", which});
  if (amounts == nullptr || !amounts->is_object()) return false;
  for (const document::Member& member : amounts->object()) {
    if (part_of(now, {"resources", which, member.key}) == nullptr) return true;
  }
  return false;
}

/// Some amount of something other than cpu and memory differs.
bool is_other_changed(const Value& now, const Value& before) {
  const auto differs = [](const Value& a, const Value& b, std::string_view which) {
    const Value* amounts = part_of(a, {"resources", which});
    if (amounts == nullptr || !amounts->is_object()) return false;
    for (const document::Member& member : amounts->object()) {
      if (member.key == "cpu" || member.key == "memory") continue;
      const Value* other = part_of(b, {"resources", which, member.key});
      if (other == nullptr || *other != member.value) return true;
    }
    return false;
  };
  for (const std::string_view which : {"limits", "requests"}) {
    if (differs(now, before, which) || differs(before, now, which)) return true;
  }
  return false;
}

void check_amounts(kube::FieldErrors& errors, const Value& pod, const Value& old) {
  for (const std::string_view list : {kLists[1], kLists[0]}) {
    const Array& now = elements_of(pod, {"spec", list});
    const Array& before = elements_of(old, {"spec", list});
    for (std::size_t index = 0; index < now.size(); ++index) {
      const std::string path = element_path(fmt::format("spec.{}", list), index, "resources");
      for (const std::string_view which : {"requests", "limits"}) {
        if (!is_one_removed(now[index], before[index], which)) continue;
        forbid(errors, fmt::format("{}.{}", path, which), fmt::format("resource {} cannot be removed", which));
      }
    }
  }
  const Array& now = elements_of(pod, {"spec", "containers"});
  for (std::size_t index = 0; index < now.size(); ++index) {
    if (!is_other_changed(now[index], elements_of(old, {"spec", "containers"})[index])) continue;
    forbid(errors, "spec", "only cpu and memory resources are mutable");
  }
  const Array& first = elements_of(pod, {"spec", "initContainers"});
  for (std::size_t index = 0; index < first.size(); ++index) {
    if (!is_other_changed(first[index], elements_of(old, {"spec", "initContainers"})[index])) continue;
    forbid(errors, element_path("spec.initContainers", index),
           "only cpu and memory resources for init or sidecar containers are mutable");
  }
}

kube::PodSpec specification_of(const Value& pod) {
  const Value* spec = part_of(pod, {"spec"});
  return kube::view<kube::PodSpec>(spec == nullptr ? Value(Object()) : *spec, kube::kPodSpecSchema).object;
}

void check_class(kube::FieldErrors& errors, const Value& pod, const Value& old) {
  if (kube::pod_qos(specification_of(pod)) == kube::pod_qos(specification_of(old))) return;
  errors.push_back({"spec",
                    fmt::format("Invalid value: {}: Pod QOS Class may not change as a result of resizing",
                                kube::quoted(document::text_at(old, {"status", "qosClass"}))),
                    {}});
}

void check_specification(kube::FieldErrors& errors, const Value& pod) {
  kube::FieldReport report;
  const kube::Path root(&kube::kPodSchema);
  kube::validate_containers(report, kube::Path(root, "spec", &kube::kPodSpecSchema), specification_of(pod));
  errors = report.take();
}

}  // namespace

/// Source: podResizeStrategy of pkg/registry/core/pod/strategy.go and ValidatePodResize, v1.36.
Answer<Value> narrow_to_resources(const ServerContext& /*context*/, const Call& call, const Value& wanted,
                                  const Value& old) {
  kube::FieldErrors errors;
  const auto refused = [&] { return refuse(invalid(call.resource().kind, call.name, errors)); };
  if (document::find_at(old, {"metadata", "annotations", kube::kMirrorAnnotation}) != nullptr) {
    forbid(errors, "", "static pods cannot be resized");
    return refused();
  }
  if (document::text_at(old, {"spec", "os", "name"}) == "windows") {
    forbid(errors, "", "windows pods cannot be resized");
    return refused();
  }
  if (!check_order(errors, wanted, old)) return refused();
  Value pod = with_pod_specification(wanted, old, resized(wanted, old));
  check_specification(errors, pod);
  check_class(errors, pod, old);
  check_amounts(errors, pod, old);
  if (!errors.empty()) return refused();
  return pod;
}

}  // namespace loadline::apiserver
