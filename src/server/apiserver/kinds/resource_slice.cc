#include <fmt/format.h>

#include <set>
#include <string>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/device_claim_rules.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostDevices = 128;
constexpr std::size_t kMostTaintedDevices = 64;
constexpr std::size_t kMostAttributes = 32;
constexpr std::size_t kMostClassConfigurations = 32;
constexpr std::string_view kOneOfNodes =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";

// ---- classes -------------------------------------------------------------------------------------------------------

void check_device_class(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  check_device_selectors(spec.at("selectors"));
  const CheckedField configurations = spec.at("config");
  if (configurations.size() > kMostClassConfigurations) configurations.too_many(kMostClassConfigurations);
  for (const CheckedField& configuration : configurations.elements()) check_device_configuration(configuration);
}

// ---- slices --------------------------------------------------------------------------------------------------------

void check_pool(const CheckedField& pool) {
  check_pool_name(pool.at("name"));
  const CheckedField count = pool.at("resourceSliceCount");
  if (count.number() <= 0) count.invalid(Value(count.number()), "must be greater than zero");
  if (pool.at("generation").number() < 0) pool.at("generation").invalid("must be greater than or equal to zero");
}

/// Which nodes can reach the devices: said once, in one of four ways.
void check_nodes(const CheckedField& spec) {
  std::string set;
  std::size_t ways = 0;
  const auto note = [&](std::string_view name) {
    set.append(set.empty() ? "" : ", ").append("`").append(name).append("`");
    ++ways;
  };
  const CheckedField node = spec.at("nodeName");
  if (node.is_set()) {
    if (node.text().empty()) {
      node.invalid("must be either unset or set to a non-empty string");
    } else {
      note("nodeName");
      node.keeps(kube::dns_subdomain_problems);
    }
  }
  const CheckedField selector = spec.at("nodeSelector");
  if (selector.is_set()) {
    note("nodeSelector");
    const CheckedField terms = selector.at("nodeSelectorTerms");
    if (terms.size() != 1) terms.invalid("must have exactly one node selector term");
  }
  for (const std::string_view name : {"allNodes", "perDeviceNodeSelection"}) {
    if (spec.at(name).is_true()) {
      note(name);
    } else if (spec.at(name).is_set()) {
      spec.at(name).invalid("must be either unset or set to true");
    }
  }
  if (ways == 0) spec.required(kOneOfNodes);
  if (ways > 1) {
    spec.invalid(Value("{" + set + "}"), fmt::format("{}, but multiple fields are set", kOneOfNodes));
  }
}

void check_device(const CheckedField& device, bool names_nodes) {
  device.at("name").keeps(kube::dns_label_problems);
  const std::size_t facts = device.at("attributes").size() + device.at("capacity").size();
  if (facts > kMostAttributes) {
    device.invalid(Value(static_cast<std::int64_t>(facts)),
                   fmt::format("the total number of attributes and capacities must not exceed {}", kMostAttributes));
  }
  const bool has_nodes =
      device.at("nodeName").is_set() || device.at("nodeSelector").is_set() || device.at("allNodes").is_set();
  if (names_nodes && !has_nodes) {
    device.required(
        "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to "
        "true in the ResourceSlice spec");
  }
  if (!names_nodes && has_nodes) {
    device.invalid(Value(),
                   "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to "
                   "true in the ResourceSlice spec");
  }
}

void check_devices(const CheckedField& spec) {
  const CheckedField devices = spec.at("devices");
  bool has_more = false;
  for (const CheckedField& device : devices.elements()) {
    has_more = has_more || device.at("taints").size() > 0 || device.at("consumesCounters").size() > 0;
  }
  const std::size_t most = has_more ? kMostTaintedDevices : kMostDevices;
  if (devices.size() > most) devices.too_many(most);
  std::set<std::string_view> names;
  for (const CheckedField& device : devices.elements()) {
    check_device(device, spec.at("perDeviceNodeSelection").is_true());
    if (names.insert(device.at("name").text()).second) continue;
    kube::FieldErrors duplicate{{device.path(), "Duplicate value: " + shown_in_error(device.at("name").value()), {}}};
    device.append(std::move(duplicate));
  }
}

void check_slice(const CheckedField& object) {
  const CheckedField spec = object.at("spec");
  check_driver_name(spec.at("driver"));
  check_pool(spec.at("pool"));
  check_nodes(spec);
  if (spec.at("sharedCounters").is_set() && spec.at("devices").is_set()) {
    spec.invalid(Value(""), "only one of `sharedCounters` or `devices` is allowed");
  }
  check_devices(spec);
}

void check_slice_change(const CheckedField& object, const CheckedField& old) {
  object.at({"spec", "pool", "name"}).unchanged_from(old.at({"spec", "pool", "name"}));
  object.at({"spec", "driver"}).unchanged_from(old.at({"spec", "driver"}));
  object.at({"spec", "nodeName"}).unchanged_from(old.at({"spec", "nodeName"}));
}

void warn_of_driver(const Value& object, StrategyContext& context) {
  const std::string_view driver = document::text_at(object, {"spec", "driver"});
  if (driver == kube::lower_case(driver)) return;
  context.warnings.push_back(
      fmt::format("spec.driver: driver names should be lowercase; \"{}\" contains uppercase characters", driver));
}

}  // namespace

// Source: pkg/registry/resource/{deviceclass,resourceslice} and pkg/apis/resource/validation, v1.36.
std::unique_ptr<const Strategy> make_device_class_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(traits, Rules{nullptr, check_device_class, nullptr, nullptr});
}

std::unique_ptr<const Strategy> make_resource_slice_strategy(Traits traits) {
  return std::make_unique<RuledStrategy>(
      traits, Rules{nullptr, check_slice, check_slice_change, nullptr, nullptr, warn_of_driver});
}

}  // namespace loadline::apiserver
