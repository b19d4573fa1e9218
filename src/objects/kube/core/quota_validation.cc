#include <algorithm>
#include <cstdio>
#include <set>

#include "objects/kube/core/quota.h"
#include "objects/kube/core/quota_schema.h"
#include "objects/kube/core/resource_validation.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/meta_schema.h"
#include "objects/kube/meta_validation.h"
#include "objects/kube/resource_names.h"
#include "objects/kube/validation.h"

namespace loadline::kube {
namespace {

constexpr std::string_view kPodComputeResources[] = {"cpu",           "memory",       "limits.cpu",
                                                     "limits.memory", "requests.cpu", "requests.memory"};

bool limits(ResourceQuotaScope scope, std::string_view resource) {
  switch (scope) {
    case ResourceQuotaScope::kBestEffort:
      return resource == "pods";
    case ResourceQuotaScope::kVolumeAttributesClass:
      return resource == "persistentvolumeclaims" || resource == "requests.storage";
    default:
      return resource == "pods" || std::find(std::begin(kPodComputeResources), std::end(kPodComputeResources),
                                             resource) != std::end(kPodComputeResources);
  }
}

bool takes_only_exists(ResourceQuotaScope scope) {
  return scope != ResourceQuotaScope::kPriorityClass && scope != ResourceQuotaScope::kVolumeAttributesClass;
}

std::string string_list(const std::vector<std::string>& values) {
  std::string json = "[";
  for (const std::string& value : values) json.append(json.size() > 1 ? "," : "").append(quoted(value));
  return json + "]";
}

std::string scope_list(const std::vector<ResourceQuotaScope>& scopes) {
  if (scopes.empty()) return "null";
  std::vector<std::string> names;
  names.reserve(scopes.size());
  for (const ResourceQuotaScope scope : scopes) names.emplace_back(name_of(scope));
  return string_list(names);
}

/// As Go prints the internal type, which has no JSON names.
std::string selector_json(const std::vector<ScopedResourceSelectorRequirement>& selector) {
  std::string json = "{\"MatchExpressions\":[";
  for (std::size_t i = 0; i < selector.size(); ++i) {
    json.append(i == 0 ? "" : ",").append("{\"ScopeName\":").append(quoted(name_of(selector[i].scope)));
    json.append(",\"Operator\":").append(quoted(name_of(selector[i].op)));
    json.append(",\"Values\":").append(selector[i].values.empty() ? "null" : string_list(selector[i].values)) += "}";
  }
  return json + "]}";
}

void validate_pairs(FieldReport& report, const Path& at, const std::set<ResourceQuotaScope>& scopes,
                    const ResourceQuota& quota) {
  using enum ResourceQuotaScope;
  for (const auto& [one, other] : {std::pair(kBestEffort, kNotBestEffort), std::pair(kTerminating, kNotTerminating)}) {
    if (scopes.contains(one) && scopes.contains(other)) {
      report.invalid_json(at, scope_list(quota.scopes), "conflicting scopes");
    }
  }
}

/// One error for each resource that the scope cannot limit.
void validate_resources(FieldReport& report, const Path& at, ResourceQuotaScope scope, const ResourceQuota& quota,
                        const std::string& json) {
  for (const auto& [name, amount] : quota.hard) {
    if (!is_standard_quota_resource(name) || limits(scope, name)) continue;
    report.invalid_json(at, json, "unsupported scope applied to resource",
                        std::string(name_of(scope)) + " does not limit " + name);
  }
}

void validate_scopes(FieldReport& report, const Path& at, const ResourceQuota& quota) {
  if (quota.scopes.empty()) return;
  for (const ResourceQuotaScope scope : quota.scopes) {
    validate_resources(report, at, scope, quota, scope_list(quota.scopes));
  }
  validate_pairs(report, at, {quota.scopes.begin(), quota.scopes.end()}, quota);
}

void validate_selector(FieldReport& report, const Path& at, const ResourceQuota& quota) {
  std::set<ResourceQuotaScope> scopes;
  for (const ScopedResourceSelectorRequirement& requirement : quota.scope_selector) {
    validate_resources(report, at, requirement.scope, quota, selector_json(quota.scope_selector));
    if (takes_only_exists(requirement.scope) && requirement.op != LabelSelectorOperator::kExists) {
      report.invalid(Path(at, "operator"), name_of(requirement.op),
                     "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
                     "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort "
                     "or ResourceQuotaScopeCrossNamespacePodAffinity");
    }
    const bool has_values =
        requirement.op == LabelSelectorOperator::kIn || requirement.op == LabelSelectorOperator::kNotIn;
    const Path values(at, "values");
    if (has_values && requirement.values.empty()) {
      report.required(values, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (!has_values && !requirement.values.empty()) {
      report.invalid_json(values, string_list(requirement.values),
                          "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    }
    scopes.insert(requirement.scope);
  }
  validate_pairs(report, at, scopes, quota);
}

void validate_quota_amounts(FieldReport& report, const Path& at, const ResourceList& amounts) {
  for (const auto& [name, amount] : amounts) {
    const Path place = Path::key(at, name);
    validate_quota_resource_name(report, place, name);
    validate_quantity(report, place, name, amount);
  }
}

// ---- limit ranges ---------------------------------------------------------------------------------------------------

void validate_limit_names(FieldReport& report, const Path& at, LimitType type, const ResourceList& amounts) {
  const bool of_pods = type == LimitType::kPod || type == LimitType::kContainer;
  for (const auto& [name, amount] : amounts) {
    (of_pods ? validate_container_resource_name : validate_resource_name)(report, Path::key(at, name), name);
  }
}

/// The bounds of one resource in one item; null: not given.
struct Bounds {
  const Quantity* min = nullptr;
  const Quantity* max = nullptr;
  const Quantity* limit = nullptr;
  const Quantity* request = nullptr;
  const Quantity* ratio = nullptr;
};

const Quantity* find(const ResourceList& amounts, std::string_view name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? nullptr : &found->second;
}

/// `smaller` must not exceed `larger`: "<what> value 1 is greater than <bound> value 2", shown with `value`.
void validate_order(FieldReport& report, const Path& at, const Quantity* smaller, std::string_view what,
                    const Quantity* larger, std::string_view bound, const Quantity* value) {
  if (smaller == nullptr || larger == nullptr || *smaller <= *larger) return;
  report.invalid(at, value->to_string(),
                 std::string(what) + " value " + smaller->to_string() + " is greater than " + std::string(bound) +
                     " value " + larger->to_string());
}

void validate_ratio(FieldReport& report, const Path& at, const Bounds& bounds) {
  if (bounds.ratio == nullptr) return;
  const std::string text = bounds.ratio->to_string();
  if (*bounds.ratio < Quantity::of(1)) report.invalid(at, text, "ratio " + text + " is less than 1");
  if (bounds.min == nullptr || bounds.max == nullptr) return;
  // Upstream computes in floating point, in milli-units as long as they fit.
  constexpr std::int64_t kMaxMilliValue = 9'223'372'036'854'775;
  auto ratio = static_cast<double>(bounds.ratio->value());
  auto min = static_cast<double>(bounds.min->value());
  auto max = static_cast<double>(bounds.max->value());
  if (bounds.ratio->value() < kMaxMilliValue && bounds.min->value() < kMaxMilliValue &&
      bounds.max->value() < kMaxMilliValue) {
    ratio = static_cast<double>(bounds.ratio->milli_value()) / 1000;
    min = static_cast<double>(bounds.min->milli_value());
    max = static_cast<double>(bounds.max->milli_value());
  }
  if (min == 0 || ratio <= max / min) return;
  char shown[64];
  std::snprintf(shown, sizeof shown, "%f", max / min);
  report.invalid(at, text, "ratio " + text + " is greater than max/min = " + shown);
}

void validate_bounds(FieldReport& report, const Path& at, std::string_view name, const Bounds& bounds) {
  const Path min(at, "min");
  const Path request(at, "defaultRequest");
  const Path limit(at, "default");
  const Path ratio(at, "maxLimitRequestRatio");
  const Path request_key = Path::key(request, name);
  const Path limit_key = Path::key(limit, name);
  validate_order(report, Path::key(min, name), bounds.min, "min", bounds.max, "max", bounds.min);
  validate_order(report, request_key, bounds.min, "min", bounds.request, "default request", bounds.request);
  validate_order(report, request_key, bounds.request, "default request", bounds.max, "max", bounds.request);
  validate_order(report, request_key, bounds.request, "default request", bounds.limit, "default limit", bounds.request);
  validate_order(report, limit_key, bounds.min, "min", bounds.limit, "default", bounds.min);
  validate_order(report, limit_key, bounds.limit, "default", bounds.max, "max", bounds.max);
  validate_ratio(report, Path::key(ratio, name), bounds);
  if (bounds.limit != nullptr && bounds.request != nullptr && *bounds.limit != *bounds.request &&
      !is_overcommit_allowed(name)) {
    report.invalid(request_key, bounds.request->to_string(),
                   "default value " + bounds.limit->to_string() + " must equal to defaultRequest value " +
                       bounds.request->to_string() + " in " + std::string(name));
  }
}

void validate_limit_type(FieldReport& report, const Path& at, const LimitRangeItem& item) {
  const NameProblems problems = qualified_name_problems(item.type_name);
  report.invalid_name(at, item.type_name, problems);
  if (problems.empty() && item.type == LimitType::kOther && item.type_name.find('/') == std::string::npos) {
    report.invalid(at, item.type_name, "must be a standard limit type or fully qualified",
                   "one of Container, Pod, PersistentVolumeClaim");
  }
}

void validate_limits(FieldReport& report, const Path& at, const LimitRangeItem& item) {
  validate_limit_names(report, Path(at, "max"), item.type, item.max);
  validate_limit_names(report, Path(at, "min"), item.type, item.min);
  const bool of_pod = item.type == LimitType::kPod;
  if (of_pod) {
    if (!item.default_limit.empty()) {
      report.forbidden(Path(at, "default"), "may not be specified when `type` is 'Pod'");
    }
    if (!item.default_request.empty()) {
      report.forbidden(Path(at, "defaultRequest"), "may not be specified when `type` is 'Pod'");
    }
  } else {
    validate_limit_names(report, Path(at, "default"), item.type, item.default_limit);
    validate_limit_names(report, Path(at, "defaultRequest"), item.type, item.default_request);
  }
  if (item.type == LimitType::kPersistentVolumeClaim && !item.min.contains("storage") &&
      !item.max.contains("storage")) {
    report.required(Path(at, "limits"),
                    "either minimum or maximum storage value is required, but neither was provided");
  }
  validate_limit_names(report, Path(at, "maxLimitRequestRatio"), item.type, item.max_limit_request_ratio);

  std::set<std::string_view> names;
  for (const ResourceList* amounts :
       {&item.max, &item.min, &item.max_limit_request_ratio, &item.default_limit, &item.default_request}) {
    if (of_pod && (amounts == &item.default_limit || amounts == &item.default_request)) continue;
    for (const auto& [name, amount] : *amounts) names.insert(name);
  }
  for (const std::string_view name : names) {
    Bounds bounds{find(item.min, name), find(item.max, name), nullptr, nullptr,
                  find(item.max_limit_request_ratio, name)};
    if (!of_pod) {
      bounds.limit = find(item.default_limit, name);
      bounds.request = find(item.default_request, name);
    }
    validate_bounds(report, at, name, bounds);
  }
}

}  // namespace

FieldErrors validate(const ResourceQuota& quota) {
  FieldReport report;
  validate_metadata(report, quota.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  validate_quota_amounts(report, Path(spec, "hard"), quota.hard);
  validate_scopes(report, Path(spec, "scopes"), quota);
  const Path selector(spec, "scopeSelector");
  validate_selector(report, Path(selector, "matchExpressions"), quota);
  const Path status(root, "status");
  validate_quota_amounts(report, Path(status, "used"), quota.status_used);
  return report.take();
}

FieldErrors validate(const LimitRange& limit_range) {
  FieldReport report;
  validate_metadata(report, limit_range.metadata, NamespaceRule::kRequired, dns_subdomain_problems);
  const Path root(nullptr);
  const Path spec(root, "spec");
  const Path limits_at(spec, "limits");
  std::set<std::string_view> types;
  for (std::size_t i = 0; i < limit_range.limits.size(); ++i) {
    const LimitRangeItem& item = limit_range.limits[i];
    const Path place = Path::element(limits_at, i);
    validate_limit_type(report, Path(place, "type"), item);
    if (!types.insert(item.type_name).second) report.duplicate(Path(place, "type"), item.type_name);
    validate_limits(report, place, item);
  }
  return report.take();
}

}  // namespace loadline::kube
