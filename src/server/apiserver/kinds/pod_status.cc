#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "foundation/document/at.h"
#include "foundation/document/writer.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/pod_rules.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;
using kube::FieldErrors;

constexpr std::string_view kNotNegative = "must be a non-negative integer";

void check_conditions(FieldErrors& errors, const Value& pod) {
  constexpr std::array<std::string_view, 3> kSystem = {"PodScheduled", "Ready", "Initialized"};
  const Array& conditions = items_at(pod, {"status", "conditions"});
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    const std::string path = fmt::format("status.conditions[{}]", i);
    const std::int64_t generation = integer_at(conditions[i], {"observedGeneration"}).value_or(0);
    if (generation < 0) {
      errors.push_back(invalid_field(path + ".observedGeneration", Value(generation), kNotNegative));
    }
    const std::string_view type = document::text_at(conditions[i], {"type"});
    if (std::find(kSystem.begin(), kSystem.end(), type) != kSystem.end()) continue;
    for (const std::string& problem : kube::qualified_name_problems(type)) {
      errors.push_back(invalid_field(path + ".Type", Value(type), problem));
    }
  }
}

void check_nomination(FieldErrors& errors, const Value& pod, const Value& old) {
  const std::string path = "status.nominatedNodeName";
  const std::string_view name = document::text_at(pod, {"status", "nominatedNodeName"});
  if (name.empty() || name == document::text_at(old, {"status", "nominatedNodeName"})) return;
  for (const std::string& problem : kube::dns_subdomain_problems(name)) {
    errors.push_back(invalid_field(path, Value(name), problem));
  }
  if (!document::text_at(old, {"spec", "nodeName"}).empty()) {
    errors.push_back(forbidden_field(path, "may not be set on pods that are already bound to a node"));
  }
}

// ---- containers that ended -----------------------------------------------------------------------------------------

const Value* with_name(const Array& list, std::string_view name) {
  const auto found = std::find_if(list.begin(), list.end(),
                                  [&](const Value& item) { return document::text_at(item, {"name"}) == name; });
  return found == list.end() ? nullptr : &*found;
}

/// The action of the first rule that this exit code fulfils; empty if there is none.
std::string_view rule_action(const Value& container, std::int64_t exit_code) {
  for (const Value& rule : items_at(container, {"restartPolicyRules"})) {
    const Array& codes = items_at(rule, {"exitCodes", "values"});
    const bool is_listed = std::find(codes.begin(), codes.end(), Value(exit_code)) != codes.end();
    const std::string_view op = document::text_at(rule, {"exitCodes", "operator"});
    if ((op == "In" && is_listed) || (op == "NotIn" && !is_listed)) return document::text_at(rule, {"action"});
  }
  return {};
}

bool restarts(std::string_view policy, std::int64_t exit_code) {
  if (policy == "Never") return false;
  return policy != "OnFailure" || exit_code != 0;
}

/// ContainerShouldRestart.
bool should_restart(const Value& container, const Value& spec, std::int64_t exit_code) {
  const std::string_view own = document::text_at(container, {"restartPolicy"});
  if (own.empty()) return restarts(document::text_at(spec, {"restartPolicy"}), exit_code);
  return !rule_action(container, exit_code).empty() || restarts(own, exit_code);
}

/// Any container can bring all others back.
bool can_restart_all(const Value& spec) {
  for (const std::string_view list : {"initContainers", "containers"}) {
    for (const Value& container : items_at(spec, {list})) {
      for (const Value& rule : items_at(container, {"restartPolicyRules"})) {
        if (document::text_at(rule, {"action"}) == "RestartAllContainers") return true;
      }
    }
  }
  return false;
}

bool has_terminated(const Value& status) {
  const Value* ended = document::find_at(status, {"state", "terminated"});
  return ended != nullptr && !ended->is_null();
}

/// A container that ended for good does not come back. `containers` names the list of the specification; empty:
/// ephemeral ones, which never come back.
void check_states(FieldErrors& errors, const Value& pod, const Value& old, std::string_view statuses,
                  std::string_view containers) {
  const Value spec = value_at(old, {"spec"});
  if (!containers.empty() && can_restart_all(spec)) return;
  const Array& before = items_at(old, {"status", statuses});
  const Array& now = items_at(pod, {"status", statuses});
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (!has_terminated(before[i])) continue;
    const std::string_view name = document::text_at(before[i], {"name"});
    const bool is_back = std::any_of(now.begin(), now.end(), [&](const Value& status) {
      return document::text_at(status, {"name"}) == name && !has_terminated(status);
    });
    if (!is_back) continue;
    const std::int64_t exit_code = integer_at(before[i], {"state", "terminated", "exitCode"}).value_or(0);
    const Value* container = containers.empty() ? nullptr : with_name(items_at(spec, {containers}), name);
    if (container != nullptr && should_restart(*container, spec, exit_code)) continue;
    errors.push_back(forbidden_field(fmt::format("status.{}[{}].state", statuses, i),
                                     "may not be transitioned to non-terminated state"));
  }
}

// ---- addresses -----------------------------------------------------------------------------------------------------

/// As Go prints a list of the internal type.
std::string internal_addresses(const Array& addresses) {
  std::string json = "[";
  for (const Value& address : addresses) {
    json +=
        fmt::format("{}{{\"IP\":{}}}", json.size() > 1 ? "," : "", kube::quoted(document::text_at(address, {"ip"})));
  }
  return json + "]";
}

void check_addresses(FieldErrors& errors, const Value& pod, const Value& old, std::string_view list) {
  const Array& now = items_at(pod, {"status", list});
  const Array& before = items_at(old, {"status", list});
  const std::string path = fmt::format("status.{}", list);
  std::size_t families[2] = {0, 0};
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string_view address = document::text_at(now[i], {"ip"});
    const IpFamily family = family_of_address(address);
    if (family != IpFamily::kNone) ++families[family == IpFamily::kV6 ? 1 : 0];
    const bool is_known = std::any_of(before.begin(), before.end(),
                                      [&](const Value& known) { return document::text_at(known, {"ip"}) == address; });
    if (is_known) continue;
    for (const std::string& problem : address_problems(address)) {
      errors.push_back(invalid_field(fmt::format("{}[{}]", path, i), Value(address), problem));
    }
  }
  if (now.size() > 1 && (now.size() > 2 || families[0] != 1 || families[1] != 1)) {
    errors.push_back(
        {path,
         fmt::format("Invalid value: {}: may specify no more than one IP for each IP family", internal_addresses(now)),
         {}});
  }
}

void check_host_address(FieldErrors& errors, const Value& pod) {
  const Array& addresses = items_at(pod, {"status", "hostIPs"});
  if (addresses.empty()) return;
  const std::string_view first = document::text_at(addresses.front(), {"ip"});
  if (first == document::text_at(pod, {"status", "hostIP"})) return;
  errors.push_back(invalid_field("status.hostIPs[0].ip", Value(first), "must be equal to `hostIP`"));
}

}  // namespace

FieldErrors pod_status_errors(const Value& pod, const Value& old) {
  FieldErrors errors;
  check_conditions(errors, pod);
  check_nomination(errors, pod, old);
  const std::int64_t generation = integer_at(pod, {"status", "observedGeneration"}).value_or(0);
  if (generation < 0) errors.push_back(invalid_field("status.observedGeneration", Value(generation), kNotNegative));
  const std::string_view qos = document::text_at(pod, {"status", "qosClass"});
  if (qos != document::text_at(old, {"status", "qosClass"})) {
    errors.push_back(invalid_field("status.qosClass", Value(qos), "field is immutable"));
  }
  check_states(errors, pod, old, "containerStatuses", "containers");
  check_states(errors, pod, old, "initContainerStatuses", "initContainers");
  check_states(errors, pod, old, "ephemeralContainerStatuses", {});
  check_addresses(errors, pod, old, "podIPs");
  check_host_address(errors, pod);
  check_addresses(errors, pod, old, "hostIPs");
  return errors;
}

}  // namespace loadline::apiserver
