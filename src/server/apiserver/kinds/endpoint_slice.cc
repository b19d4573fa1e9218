#include <set>

#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/endpoint_rules.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/ruled_strategy.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;

constexpr std::size_t kMostAddresses = 100;
constexpr std::size_t kMostPorts = 20000;
constexpr std::size_t kMostEndpoints = 1000;
constexpr std::size_t kMostHints = 8;

void check_ports(const CheckedField& ports) {
  if (ports.size() > kMostPorts) {
    ports.too_many(kMostPorts);
    return;
  }
  std::set<std::string_view> names;
  for (const CheckedField& port : ports.elements()) {
    const CheckedField name = port.at("name");
    if (!name.text().empty()) name.keeps(kube::dns_label_problems);
    if (!names.insert(name.text()).second) {
      kube::FieldErrors duplicate;
      duplicate.push_back(duplicate_field(name.path(), Value(name.text())));
      name.append(std::move(duplicate));
    }
    const CheckedField protocol = port.at("protocol");
    if (!protocol.is_set()) {
      protocol.required();
    } else {
      protocol.one_of({"SCTP", "TCP", "UDP"});
    }
    if (port.at("appProtocol").is_set()) port.at("appProtocol").keeps(kube::qualified_name_problems);
  }
}

/// IsFullyQualifiedDomainName.
void check_domain(const CheckedField& address) {
  std::string_view name = address.text();
  if (name.empty()) {
    address.required();
    return;
  }
  if (name.ends_with('.')) name.remove_suffix(1);
  const kube::NameProblems problems = kube::dns_subdomain_problems(name);
  if (!problems.empty()) {
    address.invalid(Value(name), problems.front());
  } else if (name.find('.') == std::string_view::npos) {
    address.invalid(Value(name), "should be a domain with at least two segments separated by dots");
  }
}

void check_address(const CheckedField& address, const CheckedField& list, IpFamily family) {
  const std::vector<std::string> problems = address_problems(address.text());
  for (const std::string& problem : problems) address.invalid(problem);
  if (!problems.empty()) return;
  if (family_of_address(address.text()) != family) {
    list.invalid(address.value(), family == IpFamily::kV4 ? "must be an IPv4 address" : "must be an IPv6 address");
  }
  kube::FieldErrors unreachable;
  check_reachable_address(unreachable, address.text(), address.path());
  address.append(std::move(unreachable));
}

void check_hints(const CheckedField& hints, std::string_view name, kube::NameRule rule) {
  const CheckedField list = hints.at(name);
  if (list.size() > kMostHints) {
    list.too_many(kMostHints);
    return;
  }
  std::set<std::string_view> seen;
  for (const CheckedField& hint : list.elements()) {
    if (!seen.insert(hint.at("name").text()).second) hint.at("name").duplicate();
    hint.at("name").keeps(rule);
  }
}

void check_endpoint(const CheckedField& endpoint, std::string_view type) {
  const CheckedField addresses = endpoint.at("addresses");
  if (addresses.size() == 0) addresses.required("must contain at least 1 address");
  if (addresses.size() > kMostAddresses) addresses.too_many(kMostAddresses);
  for (const CheckedField& address : addresses.elements()) {
    if (type == "IPv4") check_address(address, addresses, IpFamily::kV4);
    if (type == "IPv6") check_address(address, addresses, IpFamily::kV6);
    if (type == "FQDN") check_domain(address);
  }
  if (endpoint.at("nodeName").is_set()) endpoint.at("nodeName").keeps(kube::dns_subdomain_problems);
  if (endpoint.at("hostname").is_set()) endpoint.at("hostname").keeps(kube::dns_label_problems);
  check_hints(endpoint.at("hints"), "forZones", kube::label_value_problems);
  check_hints(endpoint.at("hints"), "forNodes", kube::dns_subdomain_problems);
}

void check_kind(const CheckedField& object) {
  const CheckedField type = object.at("addressType");
  if (type.text().empty()) {
    type.required();
  } else {
    type.one_of({"FQDN", "IPv4", "IPv6"});
  }
  check_ports(object.at("ports"));
}

void check_endpoints(const CheckedField& object) {
  const CheckedField endpoints = object.at("endpoints");
  if (endpoints.size() > kMostEndpoints) {
    endpoints.too_many(kMostEndpoints);
    return;
  }
  const std::string_view type = object.at("addressType").text();
  for (const CheckedField& endpoint : endpoints.elements()) check_endpoint(endpoint, type);
}

/// Source: pkg/registry/discovery/endpointslice and pkg/apis/discovery/validation, v1.36.
class EndpointSliceStrategy final : public RuledStrategy {
 public:
  using RuledStrategy::RuledStrategy;

  Value prepare_for_create(Value object, StrategyContext& context) const override {
    if (document::text_at(object, {"addressType"}) == "FQDN") {
      context.warnings.emplace_back("spec.addressType: FQDN endpoints are deprecated");
    }
    return RuledStrategy::prepare_for_create(without_topology(std::move(object)), context);
  }

  /// Labels count as the specification does: they say whose endpoints these are.
  Value prepare_for_update(Value object, const Value& old, StrategyContext& context) const override {
    if (!same_at(object, old, {"endpoints"})) object = without_topology(std::move(object));
    object = RuledStrategy::prepare_for_update(std::move(object), old, context);
    if (same_at(object, old, {"metadata", "labels"})) return object;
    return with_metadata(object, "generation", Value(generation_of(old) + 1));
  }

  kube::FieldErrors validate(const Value& object, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    check_endpoints(CheckedField(errors, object));
    return errors;
  }

  /// Endpoints that stay as they are are not judged again.
  kube::FieldErrors validate_update(const Value& object, const Value& old, StrategyContext& context) const override {
    kube::FieldErrors errors = RuledStrategy::validate(object, context);
    const CheckedField now(errors, object);
    const CheckedField before(errors, old);
    if (!now.at("endpoints").is_same_as(before.at("endpoints"))) check_endpoints(now);
    now.at("addressType").unchanged_from(before.at("addressType"));
    return errors;
  }

 private:
  /// The topology of endpoints can be written through v1beta1 only.
  static Value without_topology(Value object) {
    const Value* endpoints = object.find("endpoints");
    if (endpoints == nullptr || !endpoints->is_array()) return object;
    document::Array kept;
    for (const Value& endpoint : endpoints->array()) {
      kept.push_back(endpoint.is_object() ? endpoint.without("deprecatedTopology") : endpoint);
    }
    return object.with("endpoints", Value(std::move(kept)));
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_endpoint_slice_strategy(Traits traits) {
  return std::make_unique<EndpointSliceStrategy>(traits, Rules{nullptr, check_kind, nullptr, nullptr});
}

}  // namespace loadline::apiserver
