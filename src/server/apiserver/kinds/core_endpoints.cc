#include <fmt/format.h>

#include <memory>
#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "objects/kube/scalars.h"
#include "server/apiserver/kinds/endpoint_rules.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/metadata_rules.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;
using kube::FieldErrors;

void check_address(FieldErrors& errors, const Value& address, const std::string& path) {
  const std::string_view ip = document::text_at(address, {"ip"});
  for (const std::string& problem : address_problems(ip))
    errors.push_back(invalid_field(path + ".ip", Value(ip), problem));
  if (const std::string_view host = document::text_at(address, {"hostname"}); !host.empty()) {
    for (const std::string& problem : kube::dns_label_problems(host)) {
      errors.push_back(invalid_field(path + ".hostname", Value(host), problem));
    }
  }
  if (const Value* node = address.find("nodeName"); node != nullptr && node->is_string()) {
    for (const std::string& problem : kube::dns_subdomain_problems(node->string())) {
      errors.push_back(invalid_field(path + ".nodeName", *node, problem));
    }
  }
  check_reachable_address(errors, ip, path + ".ip");
}

void check_port(FieldErrors& errors, const Value& port, bool needs_name, const std::string& path) {
  const std::string_view name = document::text_at(port, {"name"});
  if (needs_name && name.empty()) {
    errors.push_back(required_field(path + ".name"));
  } else if (!name.empty()) {
    for (const std::string& problem : kube::dns_label_problems(name)) {
      errors.push_back(invalid_field(path + ".name", Value(name), problem));
    }
  }
  const std::int64_t number = integer_at(port, {"port"}).value_or(0);
  for (const std::string& problem : kube::port_number_problems(number)) {
    errors.push_back(invalid_field(path + ".port", Value(number), problem));
  }
  check_protocol(errors, document::text_at(port, {"protocol"}), path + ".protocol");
  if (const Value* protocol = port.find("appProtocol"); protocol != nullptr && protocol->is_string()) {
    for (const std::string& problem : kube::qualified_name_problems(protocol->string())) {
      errors.push_back(invalid_field(path + ".appProtocol", *protocol, problem));
    }
  }
}

void check_subset(FieldErrors& errors, const Value& subset, const std::string& path) {
  const Array& ready = items_at(subset, {"addresses"});
  const Array& waiting = items_at(subset, {"notReadyAddresses"});
  const Array& ports = items_at(subset, {"ports"});
  if (ready.empty() && waiting.empty()) {
    errors.push_back(required_field(path, "must specify `addresses` or `notReadyAddresses`"));
  }
  for (std::size_t i = 0; i < ready.size(); ++i)
    check_address(errors, ready[i], fmt::format("{}.addresses[{}]", path, i));
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    check_address(errors, waiting[i], fmt::format("{}.notReadyAddresses[{}]", path, i));
  }
  for (std::size_t i = 0; i < ports.size(); ++i) {
    check_port(errors, ports[i], ports.size() > 1, fmt::format("{}.ports[{}]", path, i));
  }
}

/// Source: pkg/registry/core/endpoint and pkg/apis/core/validation, v1.36.
class EndpointsStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  FieldErrors validate(const Value& endpoints, StrategyContext& context) const override {
    FieldErrors errors = metadata_errors(endpoints, context.resource);
    const Array& subsets = items_at(endpoints, {"subsets"});
    for (std::size_t i = 0; i < subsets.size(); ++i) check_subset(errors, subsets[i], fmt::format("subsets[{}]", i));
    return errors;
  }

  FieldErrors validate_update(const Value& endpoints, const Value& old, StrategyContext& context) const override {
    // What older versions took stays as it is.
    const bool is_same = same_at(endpoints, old, {"subsets"});
    return is_same ? metadata_errors(endpoints, context.resource) : validate(endpoints, context);
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_endpoints_strategy(Traits traits) {
  return std::make_unique<EndpointsStrategy>(traits);
}

}  // namespace loadline::apiserver
