#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "foundation/document/at.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/metadata.h"
#include "server/apiserver/subresources/handlers.h"
#include "server/apiserver/subresources/part.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;

constexpr std::string_view kEphemeralContainersPath = "spec.ephemeralContainers";
constexpr std::string_view kCannotBeSet = "Forbidden: cannot be set for an Ephemeral Container";

/// What a container that comes and goes with a look into a pod cannot have.
constexpr std::array<std::string_view, 9> kForbidden = {"ports",          "resources",          "resizePolicy",
                                                        "restartPolicy",  "restartPolicyRules", "livenessProbe",
                                                        "readinessProbe", "startupProbe",       "lifecycle"};

bool is_set(const Value* value) {
  if (value == nullptr) return false;
  if (value->is_array()) return !value->array().empty();
  if (!value->is_object()) return true;
  return std::any_of(value->object().begin(), value->object().end(),
                     [](const document::Member& member) { return is_set(&member.value); });
}

std::set<std::string, std::less<>> names_of(const Value& pod) {
  std::set<std::string, std::less<>> names;
  for (const std::string_view member : {"containers", "initContainers"}) {
    for (const Value& container : elements_of(pod, {"spec", member})) {
      names.emplace(document::text_at(container, {"name"}));
    }
  }
  return names;
}

void check_name(kube::FieldErrors& errors, std::string_view name, std::size_t index,
                std::set<std::string, std::less<>>& names) {
  const std::string path = element_path(kEphemeralContainersPath, index, "name");
  if (name.empty()) {
    errors.push_back({path, "Required value", {}});
  } else {
    for (const std::string& problem : kube::dns_label_problems(name)) {
      errors.push_back({path, fmt::format("Invalid value: {}: {}", kube::quoted(name), problem), {}});
    }
  }
  if (!names.emplace(name).second) {
    errors.push_back({path, fmt::format("Duplicate value: {}", kube::quoted(name)), {}});
  }
}

/// Source: validateEphemeralContainers of pkg/apis/core/validation, v1.36, as far as it is about them alone.
void check_containers(kube::FieldErrors& errors, const Value& pod) {
  const auto others = names_of(pod);
  auto names = others;
  std::size_t index = 0;
  for (const Value& container : elements_of(pod, {"spec", "ephemeralContainers"})) {
    check_name(errors, document::text_at(container, {"name"}), index, names);
    if (document::text_at(container, {"image"}).empty()) {
      errors.push_back({element_path(kEphemeralContainersPath, index, "image"), "Required value", {}});
    }
    const std::string_view target = document::text_at(container, {"targetContainerName"});
    if (!target.empty() && others.find(target) == others.end()) {
      errors.push_back({element_path(kEphemeralContainersPath, index, "targetContainerName"),
                        fmt::format("Not found: {}", kube::quoted(target)),
                        {}});
    }
    for (const std::string_view field : kForbidden) {
      if (!is_set(container.find(field)) || container.find(field)->is_null()) continue;
      errors.push_back({element_path(kEphemeralContainersPath, index, field), std::string(kCannotBeSet), {}});
    }
    const Array& mounts = elements_of(container, {"volumeMounts"});
    for (std::size_t mount = 0; mount < mounts.size(); ++mount) {
      for (const std::string_view field : {"subPath", "subPathExpr"}) {
        if (document::text_at(mounts[mount], {field}).empty()) continue;
        errors.push_back({element_path(element_path(kEphemeralContainersPath, index, "volumeMounts"), mount, field),
                          std::string(kCannotBeSet),
                          {}});
      }
    }
    ++index;
  }
}

/// What was added once, stays.
void check_kept(kube::FieldErrors& errors, const Value& pod, const Value& old) {
  const Array& now = elements_of(pod, {"spec", "ephemeralContainers"});
  for (const Value& before : elements_of(old, {"spec", "ephemeralContainers"})) {
    const std::string_view name = document::text_at(before, {"name"});
    const auto kept = std::find_if(
        now.begin(), now.end(), [&](const Value& container) { return document::text_at(container, {"name"}) == name; });
    if (kept != now.end() && *kept == before) continue;
    const std::string_view what = kept == now.end() ? "removed" : "changed";
    errors.push_back(
        {std::string(kEphemeralContainersPath),
         fmt::format("Forbidden: existing ephemeral containers {} may not be {}\n", kube::quoted(name), what),
         {}});
  }
}

}  // namespace

/// Source: podEphemeralContainersStrategy of pkg/registry/core/pod/strategy.go, v1.36.
Answer<Value> narrow_to_ephemeral_containers(const ServerContext& /*context*/, const Call& call, const Value& wanted,
                                             const Value& old) {
  const Value* containers = part_of(wanted, {"spec", "ephemeralContainers"});
  const Value* spec = part_of(old, {"spec"});
  Value changed = spec == nullptr ? Value(document::Object()) : *spec;
  changed =
      containers == nullptr ? changed.without("ephemeralContainers") : changed.with("ephemeralContainers", *containers);
  Value pod = with_pod_specification(wanted, old, std::move(changed));
  kube::FieldErrors errors;
  if (document::find_at(old, {"metadata", "annotations", kube::kMirrorAnnotation}) != nullptr) {
    errors.push_back({"", "Forbidden: static pods do not support ephemeral containers", {}});
  } else {
    check_containers(errors, pod);
    check_kept(errors, pod, old);
  }
  if (!errors.empty()) return refuse(invalid(call.resource().kind, call.name, errors));
  return pod;
}

}  // namespace loadline::apiserver
