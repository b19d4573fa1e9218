#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "objects/schema/custom/definition_defaults.h"
#include "server/api/defaults/rules.h"

namespace loadline::api {
namespace {

using document::Member;
using document::Object;
using document::Value;

Value scaling_policy(const char* type, std::int64_t value) {
  constexpr std::int64_t kPeriodSeconds = 15;
  return Value(
      Object{{"type", Value(type), {}}, {"value", number(value), {}}, {"periodSeconds", number(kPeriodSeconds), {}}});
}

/// Up at once, by four pods or to the double; down after a while that the controller knows, as far as it goes.
void fill_scaling_behavior(Draft& behavior) {
  behavior.edit("scaleUp", [](Draft& rules) {
    rules.set_missing("stabilizationWindowSeconds", number(0));
    rules.set_missing("selectPolicy", Value("Max"));
    if (rules.find("policies") == nullptr) {
      rules.set("policies", Value(document::Array{scaling_policy("Pods", 4), scaling_policy("Percent", 100)}));
    }
  });
  behavior.edit("scaleDown", [](Draft& rules) {
    rules.set_missing("selectPolicy", Value("Max"));
    if (rules.find("policies") == nullptr) {
      rules.set("policies", Value(document::Array{scaling_policy("Percent", 100)}));
    }
  });
}

constexpr std::int64_t kDefaultUtilization = 80;

void fill_autoscaler(Draft& autoscaler, Instant) {
  autoscaler.edit("spec", [](Draft& spec) {
    if (spec.count("metrics") == 0) {
      const Value target(
          Object{{"type", Value("Utilization"), {}}, {"averageUtilization", number(kDefaultUtilization), {}}});
      const Value cpu(Object{{"name", Value("cpu"), {}}, {"target", target, {}}});
      const Value metric(Object{{"type", Value("Resource"), {}}, {"resource", cpu, {}}});
      spec.set("metrics", Value(document::Array{metric}));
    }
    if (spec.find("behavior") != nullptr) spec.edit("behavior", fill_scaling_behavior);
  });
}

/// Version 1 keeps other metrics in an annotation. Upstream does this while it converts to version 2.
void fill_autoscaler_v1(Draft& autoscaler, Instant) {
  const Value* metadata = autoscaler.find("metadata");
  const Value* annotations = metadata == nullptr ? nullptr : metadata->find("annotations");
  if (annotations != nullptr && annotations->find("autoscaling.alpha.kubernetes.io/metrics") != nullptr) return;
  autoscaler.edit("spec",
                  [](Draft& spec) { spec.set_missing("targetCPUUtilizationPercentage", number(kDefaultUtilization)); });
}

void fill_csi_driver(Draft& driver, Instant) {
  driver.edit("spec", [](Draft& spec) {
    if (spec.count("volumeLifecycleModes") > 0) return;
    spec.set("volumeLifecycleModes", Value(document::Array{Value("Persistent")}));
  });
}

void fill_device_taint(Draft& taint, Instant now) { taint.set_missing("timeAdded", Value(format_rfc3339(now))); }

void fill_device(Draft& device, Instant) {
  const Value* mappings = device.find("nodeAllocatableResourceMappings");
  if (mappings == nullptr || !mappings->is_object()) return;
  Object filled = mappings->object();
  bool is_changed = false;
  for (Member& mapping : filled) {
    const Value* multiplier = mapping.value.find("allocationMultiplier");
    if (!mapping.value.is_object() || (multiplier != nullptr && !multiplier->is_null())) continue;
    mapping.value = mapping.value.with("allocationMultiplier", Value("1"));
    is_changed = true;
  }
  if (is_changed) device.set("nodeAllocatableResourceMappings", Value(std::move(filled)));
}

/// The version that objects are kept in, as the definition marks it.
const Value* storage_version(const Draft& definition) {
  const Value* spec = definition.find("spec");
  const Value* versions = spec == nullptr ? nullptr : spec->find("versions");
  if (versions == nullptr || !versions->is_array()) return nullptr;
  for (const Value& version : versions->array()) {
    const Value* storage = version.find("storage");
    if (storage != nullptr && storage->is_boolean() && storage->boolean()) return version.find("name");
  }
  return nullptr;
}

void fill_definition(Draft& definition, Instant) {
  definition.edit("spec", [](Draft& spec) {
    spec.edit("names", [](Draft& names) {
      const std::string kind(names.text("kind"));
      if (kind.empty()) return;
      for (auto& [name, value] : schema::default_names(kind)) names.set_missing(name, Value(std::move(value)));
    });
    if (spec.find("conversion") == nullptr) spec.set("conversion", Value(Object{{"strategy", Value("None"), {}}}));
  });
  const Value* version = storage_version(definition);
  if (version == nullptr) return;
  definition.edit("status", [name = *version](Draft& status) {
    if (status.count("storedVersions") == 0) status.set("storedVersions", Value(document::Array{name}));
  });
}

constexpr std::array kExtensionRules = {
    DefaultRule{"io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler", fill_autoscaler_v1},
    DefaultRule{"io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", fill_autoscaler},
    DefaultRule{"io.k8s.api.storage.v1.CSIDriver", fill_csi_driver},
    DefaultRule{"io.k8s.api.resource.v1.DeviceTaint", fill_device_taint},
    DefaultRule{"io.k8s.api.resource.v1.Device", fill_device},
    DefaultRule{"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition", fill_definition},
};

}  // namespace

std::span<const DefaultRule> extension_rules() { return kExtensionRules; }

}  // namespace loadline::api
