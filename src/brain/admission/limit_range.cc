#include "brain/admission/limit_range.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <string_view>

#include "objects/kube/pod_resources.h"

namespace loadline::admission {
namespace {

using kube::Quantity;
using kube::ResourceList;
using Complaint = std::optional<std::string>;

const Quantity* find(const ResourceList& amounts, const std::string& name) {
  const auto found = amounts.find(name);
  return found == amounts.end() ? nullptr : &found->second;
}

/// Request, limit and bound at one precision: milli-units if all of them fit, else whole units. Absent amounts are 0.
struct Comparable {
  std::int64_t request = 0;
  std::int64_t limit = 0;
  std::int64_t bound = 0;
};

constexpr std::int64_t kMaxMilliValue = std::numeric_limits<std::int64_t>::max() / 1000;

Comparable comparable(const Quantity* request, const Quantity* limit, const Quantity& bound) {
  const Quantity zero;
  if (request == nullptr) request = &zero;
  if (limit == nullptr) limit = &zero;
  const Comparable whole{request->value(), limit->value(), bound.value()};
  if (whole.request > kMaxMilliValue || whole.limit > kMaxMilliValue || whole.bound > kMaxMilliValue) return whole;
  return {request->milli_value(), limit->milli_value(), bound.milli_value()};
}

/// One rule of a range on one resource, and what it is held against.
struct Rule {
  std::string_view scope;  // "Container", "Pod", "PersistentVolumeClaim"
  const std::string& resource;
  const Quantity& bound;
  const Quantity* request;
  const Quantity* limit;

  [[nodiscard]] std::string usage(std::string_view side, std::string_view rest) const {
    return fmt::format("{} {} usage per {} is {}{}", side, resource, scope, bound.to_string(), rest);
  }
};

Complaint check_min(const Rule& rule) {
  const Comparable values = comparable(rule.request, rule.limit, rule.bound);
  if (rule.request == nullptr) return rule.usage("minimum", ".  No request is specified");
  if (values.request < values.bound) return rule.usage("minimum", ", but request is " + rule.request->to_string());
  if (rule.limit != nullptr && values.limit < values.bound) {
    return rule.usage("minimum", ", but limit is " + rule.limit->to_string());
  }
  return std::nullopt;
}

Complaint check_max(const Rule& rule) {
  const Comparable values = comparable(rule.request, rule.limit, rule.bound);
  if (rule.limit == nullptr) return rule.usage("maximum", ".  No limit is specified");
  if (values.limit > values.bound) return rule.usage("maximum", ", but limit is " + rule.limit->to_string());
  if (rule.request != nullptr && values.request > values.bound) {
    return rule.usage("maximum", ", but request is " + rule.request->to_string());
  }
  return std::nullopt;
}

Complaint check_max_request(const Rule& rule) {
  const Comparable values = comparable(rule.request, nullptr, rule.bound);
  if (rule.request == nullptr) return rule.usage("maximum", ".  No request is specified");
  if (values.request > values.bound) return rule.usage("maximum", ", but request is " + rule.request->to_string());
  return std::nullopt;
}

Complaint check_ratio(const Rule& rule) {
  const Comparable values = comparable(rule.request, rule.limit, rule.bound);
  const std::string rule_text = fmt::format("{} max limit to request ratio per {} is {}, but ", rule.resource,
                                            rule.scope, rule.bound.to_string());
  if (rule.request == nullptr || values.request == 0) return rule_text + "no request is specified or request is 0";
  if (rule.limit == nullptr || values.limit == 0) return rule_text + "no limit is specified or limit is 0";
  const double ratio = static_cast<double>(values.limit) / static_cast<double>(values.request);
  const bool in_milli = rule.bound.value() <= kMaxMilliValue;
  const double observed = in_milli ? ratio * 1000 : ratio;
  const double allowed = static_cast<double>(in_milli ? rule.bound.milli_value() : rule.bound.value());
  if (observed > allowed) return fmt::format("{}provided ratio is {:f}", rule_text, ratio);
  return std::nullopt;
}

void check_each(std::string_view scope, const ResourceList& bounds, const ResourceList& requests,
                const ResourceList& limits, Complaint (*check)(const Rule&), std::vector<std::string>& complaints) {
  for (const auto& [resource, bound] : bounds) {
    if (auto complaint = check({scope, resource, bound, find(requests, resource), find(limits, resource)})) {
      complaints.push_back(std::move(*complaint));
    }
  }
}

void check_item(std::string_view scope, const kube::LimitRangeItem& item, const ResourceList& requests,
                const ResourceList& limits, std::vector<std::string>& complaints) {
  check_each(scope, item.min, requests, limits, check_min, complaints);
  check_each(scope, item.max, requests, limits, check_max, complaints);
  check_each(scope, item.max_limit_request_ratio, requests, limits, check_ratio, complaints);
}

/// LimitRanger's own idea of a pod's total: without overhead, and of the pod-level resources only cpu and memory.
ResourceList pod_total(ResourceList containers, const ResourceList* pod_level) {
  if (pod_level == nullptr) return containers;
  for (const auto& [name, amount] : *pod_level) {
    if (name == "cpu" || name == "memory") containers[name] = amount;
  }
  return containers;
}

void check_pod(const kube::LimitRangeItem& item, const kube::PodSpec& spec, std::vector<std::string>& complaints) {
  const kube::PodResourcesOptions options{.skip_pod_level_resources = true, .exclude_overhead = true};
  check_item("Pod", item,
             pod_total(pod_requests(spec, nullptr, options), spec.resources ? &spec.resources->requests : nullptr),
             pod_total(pod_limits(spec, nullptr, options), spec.resources ? &spec.resources->limits : nullptr),
             complaints);
}

std::optional<Rejection> rejection(const kube::LimitRange& limit_range, std::vector<std::string> complaints) {
  if (complaints.empty()) return std::nullopt;
  return Rejection{Plugin::kLimitRanger, {limit_range.metadata.name}, std::move(complaints)};
}

/// Adds what is missing; the names that were added, comma separated.
std::string fill_in(const ResourceList& defaults, ResourceList& amounts) {
  std::string added;
  for (const auto& [name, amount] : defaults) {
    if (!amounts.try_emplace(name, amount).second) continue;
    if (!added.empty()) added += ", ";
    added += name;
  }
  return added;
}

void fill_in(const kube::ResourceRequirements& defaults, std::string_view what, kube::Container& container,
             std::vector<std::string>& annotations) {
  const std::string limits = fill_in(defaults.limits, container.resources.limits);
  const std::string requests = fill_in(defaults.requests, container.resources.requests);
  if (!requests.empty()) annotations.push_back(fmt::format("{} request for {} {}", requests, what, container.name));
  if (!limits.empty()) annotations.push_back(fmt::format("{} limit for {} {}", limits, what, container.name));
}

}  // namespace

std::string apply_defaults(const kube::LimitRange& limit_range, kube::PodSpec& spec) {
  kube::ResourceRequirements defaults;
  for (const kube::LimitRangeItem& item : limit_range.limits) {
    if (item.type != kube::LimitType::kContainer) continue;
    for (const auto& [name, amount] : item.default_request) defaults.requests[name] = amount;
    for (const auto& [name, amount] : item.default_limit) defaults.limits[name] = amount;
  }
  std::vector<std::string> annotations;
  for (kube::Container& container : spec.containers) fill_in(defaults, "container", container, annotations);
  for (kube::Container& container : spec.init_containers) fill_in(defaults, "init container", container, annotations);
  if (annotations.empty()) return "";
  return fmt::format("LimitRanger plugin set: {}", fmt::join(annotations, "; "));
}

std::string apply_defaults(std::span<const kube::LimitRange> limit_ranges, kube::PodSpec& spec) {
  std::string annotation;
  for (const kube::LimitRange& limit_range : limit_ranges) {
    if (std::string text = apply_defaults(limit_range, spec); !text.empty()) annotation = std::move(text);
  }
  return annotation;
}

std::optional<Rejection> check_bounds(const kube::LimitRange& limit_range, const kube::PodSpec& spec) {
  std::vector<std::string> complaints;
  for (const kube::LimitRangeItem& item : limit_range.limits) {
    if (item.type == kube::LimitType::kContainer) {
      for (const auto* containers : {&spec.containers, &spec.init_containers}) {
        for (const kube::Container& container : *containers) {
          check_item("Container", item, container.resources.requests, container.resources.limits, complaints);
        }
      }
    } else if (item.type == kube::LimitType::kPod) {
      check_pod(item, spec, complaints);
    }
  }
  return rejection(limit_range, std::move(complaints));
}

std::optional<Rejection> check_bounds(const kube::LimitRange& limit_range,
                                      const kube::PersistentVolumeClaimSpec& claim) {
  constexpr std::string_view kScope = "PersistentVolumeClaim";
  std::vector<std::string> complaints;
  for (const kube::LimitRangeItem& item : limit_range.limits) {
    if (item.type != kube::LimitType::kPersistentVolumeClaim) continue;
    check_each(kScope, item.min, claim.requests, {}, check_min, complaints);
    check_each(kScope, item.max, claim.requests, {}, check_max_request, complaints);
  }
  return rejection(limit_range, std::move(complaints));
}

}  // namespace loadline::admission
