#include "server/apiserver/kinds/service_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/at.h"
#include "objects/kube/core/service_schema.h"
#include "objects/kube/decoder.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/endpoint_rules.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;
using kube::FieldErrors;

constexpr std::string_view kOnce = "may not change once set";

std::string_view type_of(const Value& service) { return document::text_at(service, {"spec", "type"}); }

std::string_view element_text(const Array& list, std::size_t i) {
  return i < list.size() && list[i].is_string() ? std::string_view(list[i].string()) : std::string_view();
}

void check_names(FieldErrors& errors, const std::string& path, std::string_view text,
                 const kube::NameProblems& problems) {
  for (const std::string& problem : problems) errors.push_back(invalid_field(path, Value(text), problem));
}

void check_word(FieldErrors& errors, const std::string& path, std::string_view word,
                std::initializer_list<std::string_view> supported) {
  if (std::find(supported.begin(), supported.end(), word) != supported.end()) return;
  std::vector<std::string> quoted;
  for (const std::string_view name : supported) quoted.push_back(kube::quoted(name));
  errors.push_back(
      {path,
       fmt::format("Unsupported value: {}: supported values: {}", kube::quoted(word), fmt::join(quoted, ", ")),
       {}});
}

// ---- kind of service -----------------------------------------------------------------------------------------------

void check_external_name(FieldErrors& errors, const Value& service) {
  for (const std::string_view member : {"clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    if (is_empty(value_at(service, {"spec", member}))) continue;
    errors.push_back(forbidden_field(fmt::format("spec.{}", member), "may not be set for ExternalName services"));
  }
  std::string_view name = document::text_at(service, {"spec", "externalName"});
  if (name.ends_with('.')) name.remove_suffix(1);
  if (name.empty()) {
    errors.push_back(required_field("spec.externalName"));
  } else {
    check_names(errors, "spec.externalName", name, kube::dns_subdomain_problems(name));
  }
}

void check_service_type(FieldErrors& errors, const Value& service) {
  const std::string_view type = type_of(service);
  if (items_at(service, {"spec", "ports"}).empty() && !is_headless(service) && type != "ExternalName") {
    errors.push_back(required_field("spec.ports"));
  }
  if (is_headless(service) && needs_node_ports(service)) {
    errors.push_back(invalid_field("spec.clusterIPs[0]", Value("None"),
                                   fmt::format("may not be set to 'None' for {} services", type)));
  }
  if (type == "ExternalName") check_external_name(errors, service);
}

// ---- ports ---------------------------------------------------------------------------------------------------------

void check_target(FieldErrors& errors, const Value& port, const std::string& path) {
  const Value target = value_at(port, {"targetPort"});
  if (target.is_string()) {
    check_names(errors, path, target.string(), kube::port_name_problems(target.string()));
  } else if (target.is_integer()) {
    for (const std::string& problem : kube::port_number_problems(target.integer())) {
      errors.push_back(invalid_field(path, target, problem));
    }
  }
}

void check_port(FieldErrors& errors, const Value& port, bool needs_name, std::set<std::string, std::less<>>& names,
                const std::string& path) {
  const std::string_view name = document::text_at(port, {"name"});
  if (needs_name && name.empty()) {
    errors.push_back(required_field(path + ".name"));
  } else if (!name.empty()) {
    check_names(errors, path + ".name", name, kube::dns_label_problems(name));
    if (!names.emplace(name).second) errors.push_back(duplicate_field(path + ".name", Value(name)));
  }
  const std::int64_t number = integer_at(port, {"port"}).value_or(0);
  for (const std::string& problem : kube::port_number_problems(number)) {
    errors.push_back(invalid_field(path + ".port", Value(number), problem));
  }
  check_protocol(errors, document::text_at(port, {"protocol"}), path + ".protocol");
  check_target(errors, port, path + ".targetPort");
  if (const Value* protocol = port.find("appProtocol"); protocol != nullptr && protocol->is_string()) {
    check_names(errors, path + ".appProtocol", protocol->string(), kube::qualified_name_problems(protocol->string()));
  }
}

/// Ports that come twice, as Go prints the internal type.
void check_repeated_ports(FieldErrors& errors, const Array& ports) {
  std::set<std::pair<std::string_view, std::int64_t>> node_ports;
  std::set<std::pair<std::string_view, std::int64_t>> numbers;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string_view protocol = document::text_at(ports[i], {"protocol"});
    const std::int64_t node_port = integer_at(ports[i], {"nodePort"}).value_or(0);
    if (node_port != 0 && !node_ports.emplace(protocol, node_port).second) {
      errors.push_back(duplicate_field(fmt::format("spec.ports[{}].nodePort", i), Value(node_port)));
    }
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::string_view protocol = document::text_at(ports[i], {"protocol"});
    const std::int64_t number = integer_at(ports[i], {"port"}).value_or(0);
    if (numbers.emplace(protocol, number).second) continue;
    errors.push_back({fmt::format("spec.ports[{}]", i),
                      fmt::format("Duplicate value: {{\"Name\":\"\",\"Protocol\":{},\"AppProtocol\":null,\"Port\":{},"
                                  "\"TargetPort\":0,\"NodePort\":0}}",
                                  kube::quoted(protocol), number),
                      {}});
  }
}

// ---- the rest ------------------------------------------------------------------------------------------------------

void check_affinity(FieldErrors& errors, const Value& service) {
  constexpr std::int64_t kLongest = 86400;
  const std::string_view affinity = document::text_at(service, {"spec", "sessionAffinity"});
  const Value config = value_at(service, {"spec", "sessionAffinityConfig"});
  if (affinity.empty()) {
    errors.push_back(required_field("spec.sessionAffinity"));
  } else {
    check_word(errors, "spec.sessionAffinity", affinity, {"ClientIP", "None"});
  }
  if (affinity == "None" && !config.is_null()) {
    errors.push_back(forbidden_field("spec.sessionAffinityConfig", "must not be set when session affinity is None"));
  }
  if (affinity != "ClientIP") return;
  const std::optional<std::int64_t> timeout = integer_at(config, {"clientIP", "timeoutSeconds"});
  if (timeout && *timeout > 0 && *timeout <= kLongest) return;
  if (timeout) {
    errors.push_back(invalid_field("spec.sessionAffinityConfig.clientIP.timeoutSeconds", Value(*timeout),
                                   fmt::format("must be greater than 0 and less than {}", kLongest)));
    return;
  }
  const std::string_view missing = config.is_null()                           ? ""
                                   : value_at(config, {"clientIP"}).is_null() ? ".clientIP"
                                                                              : ".clientIP.timeoutSeconds";
  errors.push_back(
      required_field(fmt::format("spec.sessionAffinityConfig{}", missing), "when session affinity type is ClientIP"));
}

void check_external_ips(FieldErrors& errors, const Value& service, const Value& old) {
  const Array& addresses = items_at(service, {"spec", "externalIPs"});
  const Array& known = items_at(old, {"spec", "externalIPs"});
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string path = fmt::format("spec.externalIPs[{}]", i);
    const std::string_view address = element_text(addresses, i);
    const bool is_known = std::find(known.begin(), known.end(), addresses[i]) != known.end();
    const std::vector<std::string> problems = is_known ? std::vector<std::string>() : address_problems(address);
    for (const std::string& problem : problems) errors.push_back(invalid_field(path, Value(address), problem));
    if (problems.empty()) check_reachable_address(errors, address, path);
  }
}

void check_load_balancer(FieldErrors& errors, const Value& service) {
  constexpr std::string_view kOnly = "may only be used when `type` is 'LoadBalancer'";
  const bool is_balanced = type_of(service) == "LoadBalancer";
  const Array& ranges = items_at(service, {"spec", "loadBalancerSourceRanges"});
  if (!ranges.empty() && !is_balanced) errors.push_back(forbidden_field("spec.LoadBalancerSourceRanges", kOnly));
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    std::string_view range = element_text(ranges, i);
    while (range.starts_with(' ')) range.remove_prefix(1);
    while (range.ends_with(' ')) range.remove_suffix(1);
    for (const std::string& problem : cidr_problems(range)) {
      errors.push_back(invalid_field(fmt::format("spec.LoadBalancerSourceRanges[{}]", i), Value(range), problem));
    }
  }
  const bool decides_ports = !value_at(service, {"spec", "allocateLoadBalancerNodePorts"}).is_null();
  if (decides_ports && !is_balanced) {
    errors.push_back(forbidden_field("spec.allocateLoadBalancerNodePorts", kOnly));
  }
  if (!decides_ports && is_balanced) errors.push_back(required_field("allocateLoadBalancerNodePorts"));
  const Value balancer = value_at(service, {"spec", "loadBalancerClass"});
  if (balancer.is_null()) return;
  if (!is_balanced) {
    errors.push_back(forbidden_field("spec.loadBalancerClass", kOnly));
  } else if (balancer.is_string()) {
    check_names(errors, "spec.loadBalancerClass", balancer.string(), kube::qualified_name_problems(balancer.string()));
  }
}

void check_traffic(FieldErrors& errors, const Value& service) {
  const std::string_view external = document::text_at(service, {"spec", "externalTrafficPolicy"});
  if (!is_externally_accessible(service)) {
    if (!external.empty()) {
      errors.push_back(invalid_field("spec.externalTrafficPolicy", Value(external),
                                     "may only be set for externally-accessible services"));
    }
  } else if (external.empty()) {
    errors.push_back(required_field("spec.externalTrafficPolicy"));
  } else {
    check_word(errors, "spec.externalTrafficPolicy", external, {"Cluster", "Local"});
  }
  const std::int64_t check = integer_at(service, {"spec", "healthCheckNodePort"}).value_or(0);
  if (!needs_health_check(service) && check != 0) {
    errors.push_back(
        invalid_field("spec.healthCheckNodePort", Value(check),
                      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"));
  }
  const Value internal = value_at(service, {"spec", "internalTrafficPolicy"});
  if (internal.is_null() && (type_of(service) == "ClusterIP" || needs_node_ports(service))) {
    errors.push_back(required_field("spec.internalTrafficPolicy"));
  } else if (internal.is_string()) {
    check_word(errors, "spec.internalTrafficPolicy", internal.string(), {"Cluster", "Local"});
  }
  const Value distribution = value_at(service, {"spec", "trafficDistribution"});
  if (distribution.is_string()) {
    check_word(errors, "spec.trafficDistribution", distribution.string(),
               {"PreferClose", "PreferSameZone", "PreferSameNode"});
  }
}

}  // namespace

bool is_headless(const Value& service) { return element_text(items_at(service, {"spec", "clusterIPs"}), 0) == "None"; }

bool is_external_name(const Value& service) { return type_of(service) == "ExternalName"; }

bool needs_node_ports(const Value& service) {
  return type_of(service) == "NodePort" || type_of(service) == "LoadBalancer";
}

bool needs_health_check(const Value& service) {
  return type_of(service) == "LoadBalancer" && document::text_at(service, {"spec", "externalTrafficPolicy"}) == "Local";
}

bool is_externally_accessible(const Value& service) {
  return needs_node_ports(service) ||
         (type_of(service) == "ClusterIP" && !items_at(service, {"spec", "externalIPs"}).empty());
}

FieldErrors cluster_ip_errors(const Value& service, const Value& old) {
  FieldErrors errors;
  if (is_external_name(service)) return errors;
  const std::string_view single = document::text_at(service, {"spec", "clusterIP"});
  const Value list = value_at(service, {"spec", "clusterIPs"});
  const Array& addresses = items_at(service, {"spec", "clusterIPs"});
  const auto refuse = [&](std::string_view why) { errors.push_back(invalid_field("spec.clusterIPs", list, why)); };
  if (!single.empty() && addresses.empty()) errors.push_back(required_field("spec.clusterIPs"));
  if (!single.empty() && !addresses.empty() && element_text(addresses, 0) != single) {
    refuse("first value must match `clusterIP`");
  }
  if (single.empty() && !addresses.empty()) refuse("must be empty when `clusterIP` is not specified");

  const Array& families = items_at(service, {"spec", "ipFamilies"});
  for (std::size_t i = 0; i < families.size(); ++i) {
    const std::string path = fmt::format("spec.ipFamilies[{}]", i);
    check_word(errors, path, element_text(families, i), {"IPv4", "IPv6"});
    const auto end = families.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(families.begin(), end, families[i]) != end) errors.push_back(duplicate_field(path, families[i]));
  }
  if (const Value policy = value_at(service, {"spec", "ipFamilyPolicy"}); policy.is_string()) {
    check_word(errors, "spec.ipFamilyPolicy", policy.string(), {"PreferDualStack", "RequireDualStack", "SingleStack"});
  }

  const Array& known = items_at(old, {"spec", "clusterIPs"});
  bool has_invalid = false;
  std::size_t of_family[2] = {0, 0};
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string_view address = element_text(addresses, i);
    if (i == 0 && address == "None") {
      if (addresses.size() > 1) {
        has_invalid = true;
        refuse("'None' must be the first and only value");
      }
      continue;
    }
    ++of_family[family_of_address(address) == IpFamily::kV6 ? 1 : 0];
    if (std::find(known.begin(), known.end(), addresses[i]) != known.end()) continue;
    for (const std::string& problem : address_problems(address)) {
      has_invalid = true;
      errors.push_back(invalid_field(fmt::format("spec.clusterIPs[{}]", i), Value(address), problem));
    }
  }
  if (addresses.size() > 2) refuse("may only hold up to 2 values");
  if (has_invalid) return errors;
  if (addresses.size() > 1 && (of_family[0] == 0 || of_family[1] == 0)) {
    refuse("may specify no more than one IP for each IP family");
  }
  if (is_headless(service)) return errors;
  for (std::size_t i = 0; i < std::min(addresses.size(), families.size()); ++i) {
    const std::string_view address = element_text(addresses, i);
    const bool is_v6 = family_of_address(address) == IpFamily::kV6;
    const std::string_view family = element_text(families, i);
    if ((family == "IPv4" && is_v6) || (family == "IPv6" && !is_v6)) {
      errors.push_back(invalid_field(fmt::format("spec.clusterIPs[{}]", i), Value(address),
                                     fmt::format("expected an {} value as indicated by `ipFamilies[{}]`", family, i)));
    }
  }
  return errors;
}

FieldErrors service_errors(const Value& service, const Value& old) {
  FieldErrors errors;
  check_service_type(errors, service);
  const Array& ports = items_at(service, {"spec", "ports"});
  std::set<std::string, std::less<>> names;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    check_port(errors, ports[i], ports.size() > 1, names, fmt::format("spec.ports[{}]", i));
  }
  // The typed rules are those of metadata, of the selector and of the type.
  FieldErrors typed = typed_errors<kube::Service>(service, kube::kServiceSchema);
  const auto take = [&](std::string_view part) {
    std::copy_if(typed.begin(), typed.end(), std::back_inserter(errors),
                 [&](const kube::FieldError& error) { return error.path.starts_with(part); });
  };
  take("spec.selector");
  check_affinity(errors, service);
  append(errors, cluster_ip_errors(service, old));
  check_external_ips(errors, service, old);
  if (type_of(service).empty()) {
    errors.push_back(required_field("spec.type"));
  } else {
    check_word(errors, "spec.type", type_of(service), {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
  }
  if (type_of(service) == "ClusterIP") {
    for (std::size_t i = 0; i < ports.size(); ++i) {
      if (integer_at(ports[i], {"nodePort"}).value_or(0) == 0) continue;
      errors.push_back(
          forbidden_field(fmt::format("spec.ports[{}].nodePort", i), "may not be used when `type` is 'ClusterIP'"));
    }
  }
  check_repeated_ports(errors, ports);
  check_load_balancer(errors, service);
  check_traffic(errors, service);
  return errors;
}

FieldErrors service_change_errors(const Value& service, const Value& old) {
  FieldErrors errors;
  if (is_external_name(service) || is_external_name(old)) return errors;
  const auto check_first = [&](std::string_view member, std::string_view unset) {
    const Value list = value_at(service, {"spec", member});
    const Array& now = items_at(service, {"spec", member});
    const Array& before = items_at(old, {"spec", member});
    const std::string path = fmt::format("spec.{}[0]", member);
    if (now.empty() && !before.empty()) {
      errors.push_back(invalid_field(path, list, unset));
    } else if (!before.empty() && now.front() != before.front()) {
      errors.push_back(invalid_field(path, list, kOnce));
    }
  };
  const bool was_headless = is_headless(old);
  const bool is_now_headless = is_headless(service);
  if (!was_headless || !is_now_headless) check_first("clusterIPs", "primary clusterIP can not be unset");
  if (!was_headless && !is_now_headless) check_first("ipFamilies", "primary ipFamily can not be unset");
  const bool stays_balanced = type_of(service) == "LoadBalancer" && type_of(old) == "LoadBalancer";
  if (stays_balanced && !same_at(service, old, {"spec", "loadBalancerClass"})) {
    errors.push_back(invalid_field("spec.loadBalancerClass", value_at(service, {"spec", "loadBalancerClass"}), kOnce));
  }
  if (needs_health_check(old) && needs_health_check(service) &&
      !same_at(service, old, {"spec", "healthCheckNodePort"})) {
    errors.push_back(forbidden_field("spec.healthCheckNodePort", "field is immutable"));
  }
  return errors;
}

}  // namespace loadline::apiserver
