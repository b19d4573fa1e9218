#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/schema/conform.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/service_numbers.h"
#include "server/apiserver/kinds/service_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Object;
using document::Value;
using kube::FieldErrors;

constexpr std::string_view kNone = "None";
constexpr std::string_view kNotConfigured = "not configured on this cluster";

store::Key key_of(const Value& service) {
  return {"services", std::string(namespace_of(service)), std::string(name_of(service))};
}

std::string_view text(const Value& service, std::string_view member) {
  return document::text_at(service, {"spec", member});
}

const Array& list(const Value& service, std::string_view member) { return items_at(service, {"spec", member}); }

Value with_list(const Value& service, std::string_view member, Array values) {
  return document::with_at(service, {"spec", member}, Value(std::move(values)));
}

bool has_selector(const Value& service) { return !is_empty(value_at(service, {"spec", "selector"})); }

// ---- addresses -----------------------------------------------------------------------------------------------------

/// clusterIP and clusterIPs say the same, whichever of them the client knows. `old` is null for a new service.
Value with_both_addresses(Value service, const Value& old) {
  const std::string_view single = text(service, "clusterIP");
  if (old.is_null()) {
    if (single.empty() || !list(service, "clusterIPs").empty()) return service;
    return with_list(service, "clusterIPs", {Value(single)});
  }
  const std::string_view before = text(old, "clusterIP");
  const bool is_same_list = list(service, "clusterIPs") == list(old, "clusterIPs");
  if (single == before) {
    return list(service, "clusterIPs").empty() ? with_list(service, "clusterIPs", list(old, "clusterIPs")) : service;
  }
  if (!is_same_list) return service;
  if (single.empty()) return document::without_at(service, {"spec", "clusterIPs"});
  return with_list(service, "clusterIPs", {Value(single)});
}

/// initIPFamilyFields, for a cluster with IPv4 only.
Value with_families(Value service, const Value& old) {
  if (is_external_name(service)) return service;
  const bool is_bare = text(service, "clusterIP") == kNone && !has_selector(service);
  if (text(service, "ipFamilyPolicy").empty()) {
    const std::string_view before = text(old, "ipFamilyPolicy");
    const std::string_view policy = !before.empty() ? before : is_bare ? "RequireDualStack" : "SingleStack";
    service = document::with_at(service, {"spec", "ipFamilyPolicy"}, Value(policy));
  }
  if (!cluster_ip_errors(service, old).empty()) return service;
  const bool is_single = text(service, "ipFamilyPolicy") == "SingleStack";
  Array families = list(service, "ipFamilies");
  if (families.empty()) families.emplace_back("IPv4");
  // A service without selector and address is about endpoints elsewhere, which may be of either family.
  if (is_bare && families.size() == 1 && !is_single)
    families.emplace_back(families.front() == Value("IPv4") ? "IPv6" : "IPv4");
  if (is_single && families.size() > 1 && families == list(old, "ipFamilies")) families.resize(1);
  return with_list(service, "ipFamilies", std::move(families));
}

bool needs_address(const Value& service) {
  return !is_external_name(service) && list(service, "clusterIPs").empty() && text(service, "clusterIP").empty();
}

Value with_address(Value service, ServiceNumbers& numbers, Rng& rng) {
  if (!needs_address(service)) return service;
  const std::optional<std::string> address = numbers.take_address(rng);
  if (!address) return service;
  service = document::with_at(service, {"spec", "clusterIP"}, Value(*address));
  return with_list(service, "clusterIPs", {Value(*address)});
}

/// What else is said of families and addresses, and of numbers that another Service has. Upstream says it before, and
/// instead of, all other rules.
FieldErrors allocation_errors(const Value& service, const Value& old, const ServiceNumbers& numbers) {
  FieldErrors errors;
  if (!is_external_name(service)) {
    errors = cluster_ip_errors(service, old);
    if (!errors.empty()) return errors;
    const Value policy = value_at(service, {"spec", "ipFamilyPolicy"});
    const auto refuse_policy = [&](std::string_view why) {
      errors.push_back(invalid_field("spec.ipFamilyPolicy", policy, why));
    };
    const Array& addresses = list(service, "clusterIPs");
    const Array& families = list(service, "ipFamilies");
    const bool is_single = text(service, "ipFamilyPolicy") == "SingleStack";
    constexpr std::string_view kMultiple =
        "must be 'RequireDualStack' or 'PreferDualStack' when multiple {} are specified";
    if (is_single && addresses.size() == 2) refuse_policy(fmt::format(kMultiple, "cluster IPs"));
    if (is_single && families.size() == 2) refuse_policy(fmt::format(kMultiple, "IP families"));
    if (!errors.empty()) return errors;
    const bool is_bare = text(service, "clusterIP") == kNone && !has_selector(service);
    if (!is_bare) {
      if (text(service, "ipFamilyPolicy") == "RequireDualStack") {
        refuse_policy("this cluster is not configured for dual-stack services");
      }
      for (std::size_t i = 0; i < families.size(); ++i) {
        if (families[i] == Value("IPv4")) continue;
        errors.push_back(invalid_field(fmt::format("spec.ipFamilies[{}]", i), families[i], kNotConfigured));
      }
    }
    if (!errors.empty()) return errors;
    const std::string_view address = text(service, "clusterIP");
    if (!address.empty() && address != kNone && address != text(old, "clusterIP")) {
      if (const std::string problem = numbers.address_problem(address); !problem.empty()) {
        errors.push_back(invalid_field("spec.clusterIPs", value_at(service, {"spec", "clusterIPs"}),
                                       fmt::format("failed to allocate IP {}: {}", address, problem)));
        return errors;
      }
    }
  }
  if (!needs_node_ports(service)) return errors;
  std::set<std::int64_t> known;
  for (const Value& port : list(old, "ports")) known.insert(integer_at(port, {"nodePort"}).value_or(0));
  const Array& ports = list(service, "ports");
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const std::int64_t port = integer_at(ports[i], {"nodePort"}).value_or(0);
    if (port == 0 || known.contains(port)) continue;
    const std::string problem = numbers.port_problem(port);
    if (problem.empty()) continue;
    errors.push_back(invalid_field(fmt::format("spec.ports[{}].nodePort", i), Value(port), problem));
    return errors;
  }
  return errors;
}

// ---- ports of nodes ------------------------------------------------------------------------------------------------

std::int64_t node_port_of(const Value& port) { return integer_at(port, {"nodePort"}).value_or(0); }

/// The same port by TCP and UDP has the same port of nodes.
Value with_node_ports(Value service, ServiceNumbers& numbers, Rng& rng) {
  const Value wanted = value_at(service, {"spec", "allocateLoadBalancerNodePorts"});
  const bool declines = text(service, "type") == "LoadBalancer" && wanted.is_boolean() && !wanted.boolean();
  if (!needs_node_ports(service) || declines) return service;
  Array ports = list(service, "ports");
  std::map<std::int64_t, std::int64_t> by_number;
  for (const Value& port : ports) {
    if (node_port_of(port) == 0) continue;
    by_number.emplace(integer_at(port, {"port"}).value_or(0), node_port_of(port));
    numbers.take_port(node_port_of(port));
  }
  for (Value& port : ports) {
    if (node_port_of(port) != 0) continue;
    const std::int64_t number = integer_at(port, {"port"}).value_or(0);
    if (!by_number.contains(number)) {
      const std::optional<std::int64_t> taken = numbers.take_port(rng);
      if (!taken) return service;
      by_number.emplace(number, *taken);
    }
    port = port.with("nodePort", Value(by_number.at(number)));
  }
  return ports.empty() ? service : with_list(service, "ports", std::move(ports));
}

Value with_health_check(const Value& service, ServiceNumbers& numbers, Rng& rng) {
  if (!needs_health_check(service) || integer_at(service, {"spec", "healthCheckNodePort"}).value_or(0) != 0) {
    return service;
  }
  const std::optional<std::int64_t> port = numbers.take_port(rng);
  return port ? document::with_at(service, {"spec", "healthCheckNodePort"}, Value(*port)) : service;
}

/// What the service had and the client left out stays.
Value with_kept_numbers(Value service, const Value& old) {
  if (!is_external_name(service) && !is_external_name(old)) {
    if (text(service, "clusterIP").empty()) {
      service = with_or_without(service, {"spec", "clusterIP"}, value_at(old, {"spec", "clusterIP"}));
    }
    if (list(service, "clusterIPs").empty() && !list(old, "clusterIPs").empty()) {
      service = with_list(service, "clusterIPs", list(old, "clusterIPs"));
    }
  }
  if (needs_health_check(service) && needs_health_check(old) &&
      integer_at(service, {"spec", "healthCheckNodePort"}).value_or(0) == 0) {
    service = with_or_without(service, {"spec", "healthCheckNodePort"}, value_at(old, {"spec", "healthCheckNodePort"}));
  }
  if (!needs_node_ports(service) || !needs_node_ports(old)) return service;
  std::map<std::string_view, std::int64_t> by_name;
  for (const Value& port : list(old, "ports")) by_name[document::text_at(port, {"name"})] = node_port_of(port);
  Array ports = list(service, "ports");
  std::set<std::int64_t> used;
  for (const Value& port : ports) used.insert(node_port_of(port));
  for (Value& port : ports) {
    const auto known = by_name.find(document::text_at(port, {"name"}));
    if (node_port_of(port) != 0 || known == by_name.end() || known->second == 0) continue;
    if (!used.contains(known->second)) port = port.with("nodePort", Value(known->second));
  }
  return ports.empty() ? service : with_list(service, "ports", std::move(ports));
}

// ---- what another type has no use for ------------------------------------------------------------------------------

Value without_same(const Value& service, const Value& old, std::string_view member) {
  return same_at(service, old, {"spec", member}) ? document::without_at(service, {"spec", member}) : service;
}

bool has_no_new_node_ports(const Value& service, const Value& old) {
  std::set<std::int64_t> known = {0};
  for (const Value& port : list(old, "ports")) known.insert(node_port_of(port));
  const Array& ports = list(service, "ports");
  return std::all_of(ports.begin(), ports.end(), [&](const Value& port) { return known.contains(node_port_of(port)); });
}

/// dropTypeDependentFields: what the server filled in for the old type goes, unless the client changed it, too.
Value without_foreign_fields(Value service, const Value& old) {
  if (!is_external_name(old) && is_external_name(service)) {
    if (same_at(service, old, {"spec", "clusterIP"}) && same_at(service, old, {"spec", "clusterIPs"})) {
      service = document::without_at(service, {"spec", "clusterIP"});
      service = document::without_at(service, {"spec", "clusterIPs"});
    }
    service = without_same(service, old, "ipFamilies");
    service = without_same(service, old, "ipFamilyPolicy");
  }
  if (needs_node_ports(old) && !needs_node_ports(service) && has_no_new_node_ports(service, old)) {
    Array ports = list(service, "ports");
    for (Value& port : ports) port = port.without("nodePort");
    if (!ports.empty()) service = with_list(service, "ports", std::move(ports));
  }
  if (needs_health_check(old) && !needs_health_check(service)) {
    service = without_same(service, old, "healthCheckNodePort");
  }
  const bool is_balanced = text(service, "type") == "LoadBalancer";
  if (text(old, "type") == "LoadBalancer" && !is_balanced) {
    service = without_same(service, old, "allocateLoadBalancerNodePorts");
    service = without_same(service, old, "loadBalancerClass");
  }
  if (is_externally_accessible(old) && !is_externally_accessible(service)) {
    service = without_same(service, old, "externalTrafficPolicy");
  }
  if (is_balanced) return service;
  return document::with_at(service, {"status", "loadBalancer"}, Value(Object()));
}

/// Members where Go writes them, so that the same service always has the same text.
Value in_order(const Value& service, const StrategyContext& context) {
  return context.resource.type == nullptr ? service : schema::conform(service, *context.resource.type).value;
}

/// Source: pkg/registry/core/service and pkg/apis/core/validation, v1.36.
class ServiceStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  Value prepare_for_create(Value service, StrategyContext& context) const override {
    service = Strategy::prepare_for_create(std::move(service), context);
    service = with_families(with_both_addresses(std::move(service), Value()), Value());
    ServiceNumbers numbers(context.store, key_of(service));
    service = with_address(std::move(service), numbers, context.rng);
    service = with_node_ports(std::move(service), numbers, context.rng);
    return in_order(with_health_check(service, numbers, context.rng), context);
  }

  Value prepare_for_update(Value service, const Value& old, StrategyContext& context) const override {
    service = Strategy::prepare_for_update(std::move(service), old, context);
    service = with_both_addresses(with_kept_numbers(std::move(service), old), old);
    service = without_foreign_fields(with_families(std::move(service), old), old);
    if (needs_numbers(service)) {
      ServiceNumbers numbers(context.store, key_of(service));
      if (is_external_name(old)) service = with_address(std::move(service), numbers, context.rng);
      service = with_node_ports(std::move(service), numbers, context.rng);
      service = with_health_check(service, numbers, context.rng);
    }
    return in_order(service, context);
  }

  FieldErrors validate(const Value& service, StrategyContext& context) const override {
    return checked(service, Value(), context);
  }

  FieldErrors validate_update(const Value& service, const Value& old, StrategyContext& context) const override {
    return checked(service, old, context);
  }

 private:
  /// Is something missing that only the server can know?
  static bool needs_numbers(const Value& service) {
    const Array& ports = list(service, "ports");
    const bool lacks_port =
        std::any_of(ports.begin(), ports.end(), [](const Value& port) { return node_port_of(port) == 0; });
    return needs_address(service) || (needs_node_ports(service) && lacks_port) || needs_health_check(service);
  }

  static FieldErrors checked(const Value& service, const Value& old, StrategyContext& context) {
    FieldErrors errors;
    const bool has_same_numbers =
        !old.is_null() && same_at(service, old, {"spec", "clusterIPs"}) && same_at(service, old, {"spec", "ports"});
    if (has_same_numbers) {
      errors = cluster_ip_errors(service, old);
    } else {
      errors = allocation_errors(service, old, ServiceNumbers(context.store, key_of(service)));
    }
    if (!errors.empty()) return errors;
    errors = metadata_errors(service, context.resource);
    if (!old.is_null()) append(errors, service_change_errors(service, old));
    append(errors, service_errors(service, old));
    if (errors.empty()) warn(service, context);
    return errors;
  }

  static void warn(const Value& service, StrategyContext& context) {
    const auto say = [&](std::string warning) { context.warnings.push_back(std::move(warning)); };
    const bool has_external = !list(service, "externalIPs").empty();
    if (is_headless(service)) {
      if (!text(service, "loadBalancerIP").empty()) say("spec.loadBalancerIP is ignored for headless services");
      if (has_external) say("spec.externalIPs is ignored for headless services");
      if (text(service, "sessionAffinity") != kNone) say("spec.SessionAffinity is ignored for headless services");
    } else if (has_external && !is_external_name(service)) {
      say("spec.externalIPs is deprecated and may no longer be implemented in some clusters");
    }
    if (is_external_name(service) && has_external) {
      say("spec.externalIPs is ignored when spec.type is \"ExternalName\"");
    }
    if (!is_external_name(service) && !text(service, "externalName").empty()) {
      say("spec.externalName is ignored when spec.type is not \"ExternalName\"");
    }
    if (text(service, "trafficDistribution") == "PreferClose") {
      say("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"");
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_service_strategy(Traits traits) {
  return std::make_unique<ServiceStrategy>(traits);
}

}  // namespace loadline::apiserver
