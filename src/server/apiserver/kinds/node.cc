#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/document/at.h"
#include "objects/kube/core/node_schema.h"
#include "server/apiserver/kinds/ip_address.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"

namespace loadline::apiserver {
namespace {

using document::Array;
using document::Value;
using kube::FieldErrors;

/// ValidateNode. Upstream looks for taints in metadata, and so do its errors.
FieldErrors node_errors(const Value& node) {
  constexpr std::string_view kTaints = "spec.taints";
  FieldErrors errors = typed_errors<kube::Node>(node, kube::kNodeSchema);
  for (kube::FieldError& error : errors) {
    if (error.path.starts_with(kTaints)) error.path = "metadata.taints" + error.path.substr(kTaints.size());
  }
  return errors;
}

void check_pod_cidrs(FieldErrors& errors, const Value& node) {
  const Array& ranges = items_at(node, {"spec", "podCIDRs"});
  std::size_t families[2] = {0, 0};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!ranges[i].is_string()) continue;
    const IpFamily family = family_of_cidr(ranges[i].string());
    if (family != IpFamily::kNone) ++families[family == IpFamily::kV6 ? 1 : 0];
    for (const std::string& problem : cidr_problems(ranges[i].string())) {
      errors.push_back(invalid_field(fmt::format("spec.podCIDRs[{}]", i), ranges[i], problem));
    }
  }
  if (ranges.size() > 1 && (ranges.size() > 2 || families[0] != 1 || families[1] != 1)) {
    errors.push_back(invalid_field("spec.podCIDRs", value_at(node, {"spec", "podCIDRs"}),
                                   "may specify no more than one CIDR for each IP family"));
  }
}

/// As Go prints an address of the internal type.
Value internal_address(const Value& address) {
  return Value(document::Object{{"Type", Value(document::text_at(address, {"type"})), {}},
                                {"Address", Value(document::text_at(address, {"address"})), {}}});
}

void check_addresses(FieldErrors& errors, const Value& node) {
  const Array& addresses = items_at(node, {"status", "addresses"});
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto end = addresses.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::find(addresses.begin(), end, addresses[i]) == end) continue;
    errors.push_back(duplicate_field(fmt::format("status.addresses[{}]", i), internal_address(addresses[i])));
  }
}

void check_set_once(FieldErrors& errors, const Value& node, const Value& old) {
  const Array& ranges = items_at(node, {"spec", "podCIDRs"});
  const Array& old_ranges = items_at(old, {"spec", "podCIDRs"});
  constexpr std::string_view kRanges = "node updates may not change podCIDR except from \"\" to valid";
  if (!old_ranges.empty() && ranges.size() != old_ranges.size()) {
    errors.push_back(forbidden_field("spec.podCIDRs", kRanges));
  } else {
    for (std::size_t i = 0; i < old_ranges.size(); ++i) {
      if (ranges[i] != old_ranges[i]) errors.push_back(forbidden_field("spec.podCIDRs", kRanges));
    }
  }
  const std::string_view provider = document::text_at(old, {"spec", "providerID"});
  if (!provider.empty() && provider != document::text_at(node, {"spec", "providerID"})) {
    errors.push_back(
        forbidden_field("spec.providerID", "node updates may not change providerID except from \"\" to valid"));
  }
}

/// ValidateNodeUpdate. `of_node` is what ValidateNode says: upstream checks amounts and taints a second time.
FieldErrors node_change_errors(const Value& node, const Value& old, const FieldErrors& of_node) {
  FieldErrors errors;
  const auto repeat = [&](std::string_view part) {
    std::copy_if(of_node.begin(), of_node.end(), std::back_inserter(errors),
                 [&](const kube::FieldError& error) { return error.path.starts_with(part); });
  };
  repeat("status.");
  check_addresses(errors, node);
  check_set_once(errors, node, old);
  repeat("metadata.taints");
  if (document::text_at(node, {"spec", "externalID"}) != document::text_at(old, {"spec", "externalID"})) {
    errors.push_back(forbidden_field("spec.externalID", "may not be updated"));
  }
  return errors;
}

/// Source: pkg/registry/core/node and pkg/apis/core/validation, v1.36.
class NodeStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  /// Nodes are created with their status.
  Value prepare_for_create(Value node, StrategyContext& /*context*/) const override {
    node = document::without_at(node, {"spec", "configSource"});
    return document::without_at(node, {"status", "config"});
  }

  Value prepare_for_update(Value node, const Value& old, StrategyContext& context) const override {
    if (value_at(old, {"spec", "configSource"}).is_null()) node = document::without_at(node, {"spec", "configSource"});
    return Strategy::prepare_for_update(std::move(node), old, context);
  }

  Value prepare_for_status_update(const Value& node, const Value& old, StrategyContext& context) const override {
    const bool has_config = !value_at(old, {"status", "config"}).is_null();
    return Strategy::prepare_for_status_update(has_config ? node : document::without_at(node, {"status", "config"}),
                                               old, context);
  }

  FieldErrors validate(const Value& node, StrategyContext& context) const override {
    FieldErrors errors = node_errors(node);
    check_pod_cidrs(errors, node);
    if (errors.empty()) warn(node, context);
    return errors;
  }

  FieldErrors validate_update(const Value& node, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = validate(node, context);
    append(errors, node_change_errors(node, old, errors));
    return errors;
  }

  FieldErrors validate_status_update(const Value& node, const Value& old, StrategyContext& /*context*/) const override {
    const FieldErrors of_node = node_errors(node);
    FieldErrors errors;
    std::copy_if(of_node.begin(), of_node.end(), std::back_inserter(errors), [](const kube::FieldError& error) {
      return error.path.starts_with("metadata") && !error.path.starts_with("metadata.taints");
    });
    append(errors, node_change_errors(node, old, of_node));
    return errors;
  }

 private:
  static void warn(const Value& node, StrategyContext& context) {
    if (!value_at(node, {"spec", "configSource"}).is_null()) {
      context.warnings.emplace_back("spec.configSource: the feature is removed");
    }
    if (!document::text_at(node, {"spec", "externalID"}).empty()) {
      context.warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
    }
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_node_strategy(Traits traits) { return std::make_unique<NodeStrategy>(traits); }

}  // namespace loadline::apiserver
