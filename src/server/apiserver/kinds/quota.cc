#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "foundation/document/at.h"
#include "objects/kube/core/quota_schema.h"
#include "server/apiserver/kinds/strategies.h"
#include "server/apiserver/kinds/typed_rules.h"
#include "server/apiserver/metadata.h"

namespace loadline::apiserver {
namespace {

using document::Value;
using kube::FieldErrors;

std::set<std::string> scopes_of(const Value& quota) {
  std::set<std::string> scopes;
  for (const Value& scope : items_at(quota, {"spec", "scopes"})) {
    if (scope.is_string()) scopes.insert(scope.string());
  }
  return scopes;
}

/// The errors at paths that begin so.
FieldErrors of_part(const FieldErrors& errors, std::string_view part) {
  FieldErrors chosen;
  std::copy_if(errors.begin(), errors.end(), std::back_inserter(chosen),
               [&](const kube::FieldError& error) { return error.path.starts_with(part); });
  return chosen;
}

FieldErrors quota_errors(const Value& quota) {
  FieldErrors errors = typed_errors<kube::ResourceQuota>(quota, kube::kResourceQuotaSchema);
  // Upstream shows all scopes for each that is none.
  for (kube::FieldError& error : errors) {
    if (!error.path.starts_with("spec.scopes[") || !error.message.ends_with(": unsupported scope")) continue;
    error = invalid_field("spec.scopes", value_at(quota, {"spec", "scopes"}), "unsupported scope");
  }
  return errors;
}

/// Source: pkg/registry/core/resourcequota and pkg/apis/core/validation, v1.36.
class ResourceQuotaStrategy final : public Strategy {
 public:
  using Strategy::Strategy;

  FieldErrors validate(const Value& quota, StrategyContext& context) const override {
    FieldErrors errors = quota_errors(quota);
    if (errors.empty()) warn(quota, context);
    return errors;
  }

  FieldErrors validate_update(const Value& quota, const Value& old, StrategyContext& /*context*/) const override {
    FieldErrors errors = quota_errors(quota);
    if (scopes_of(quota) != scopes_of(old)) {
      errors.push_back(invalid_field("spec.scopes", value_at(quota, {"spec", "scopes"}), "field is immutable"));
    }
    return errors;
  }

  FieldErrors validate_status_update(const Value& quota, const Value& old, StrategyContext& context) const override {
    FieldErrors errors = Strategy::validate_status_update(quota, old, context);
    // What is said of spec.hard is what upstream says of status.hard.
    const Value checked = document::with_at(quota, {"spec", "hard"}, value_at(quota, {"status", "hard"}));
    const FieldErrors all = quota_errors(checked);
    for (kube::FieldError error : of_part(all, "spec.hard")) {
      error.path.replace(0, std::string_view("spec").size(), "status");
      errors.push_back(std::move(error));
    }
    append(errors, of_part(all, "status.used"));
    return errors;
  }

 private:
  /// Requests that no limit allows.
  static void warn(const Value& quota, StrategyContext& context) {
    for (const std::string_view name : {"cpu", "memory", "ephemeral-storage"}) {
      std::string request_name = fmt::format("requests.{}", name);
      const std::string limit_name = fmt::format("limits.{}", name);
      if (name != "ephemeral-storage" && document::find_at(quota, {"spec", "hard", request_name}) == nullptr) {
        request_name = name;
      }
      const auto amount = [&](const std::string& resource) {
        return kube::Quantity::parse(document::text_at(quota, {"spec", "hard", resource}));
      };
      const Result<kube::Quantity> request = amount(request_name);
      const Result<kube::Quantity> limit = amount(limit_name);
      if (!request || !limit || *request <= *limit) continue;
      context.warnings.push_back(fmt::format("ResourceQuota {} ({}) should be less than {} ({})", request_name,
                                             request->to_string(), limit_name, limit->to_string()));
    }
  }
};

/// Source: pkg/registry/core/limitrange, v1.36.
class LimitRangeStrategy final : public TypedStrategy<kube::LimitRange> {
 public:
  explicit LimitRangeStrategy(Traits traits) : TypedStrategy(traits, kube::kLimitRangeSchema) {}

  Value prepare_for_create(Value range, StrategyContext& context) const override {
    return name_of(range).empty() ? with_metadata(range, "name", Value(make_uid(context.rng))) : range;
  }
};

}  // namespace

std::unique_ptr<const Strategy> make_resource_quota_strategy(Traits traits) {
  return std::make_unique<ResourceQuotaStrategy>(traits);
}

std::unique_ptr<const Strategy> make_limit_range_strategy(Traits traits) {
  return std::make_unique<LimitRangeStrategy>(traits);
}

}  // namespace loadline::apiserver
