#include "brain/admission/quota_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "brain/admission/quota_scopes.h"
#include "brain/admission/quota_usage.h"
#include "objects/kube/pod_resources.h"

namespace loadline::admission {
namespace {

using kube::ResourceList;
using Scope = kube::ScopedResourceSelectorRequirement;

/// A quota on one of these insists that every container states it.
constexpr std::array<std::string_view, 6> kMustBeStated = {"cpu",    "limits.cpu",   "limits.memory",
                                                           "memory", "requests.cpu", "requests.memory"};

/// `a=1,b=2`.
std::string print(const ResourceList& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, amount.to_string());
  }
  return text;
}

/// `must specify limits.cpu for: a,b; requests.cpu for: a`, or nothing if each container states what the quota limits.
std::string missing_statements(const ResourceList& hard, const kube::PodSpec& spec) {
  if (pod_level_resources_set(spec)) return "";
  std::map<std::string_view, std::set<std::string_view>> missing;
  for (const auto* containers : {&spec.containers, &spec.init_containers}) {
    for (const kube::Container& container : *containers) {
      const ResourceList stated = compute_usage(container.resources.requests, container.resources.limits);
      for (const std::string_view name : kMustBeStated) {
        if (hard.contains(name) && !stated.contains(name)) missing[name].insert(container.name);
      }
    }
  }
  std::string text;
  for (const auto& [name, containers] : missing) {
    text += fmt::format("{}{} for: {}", text.empty() ? "must specify " : "; ", name, fmt::join(containers, ","));
  }
  return text;
}

Rejection rejection(const std::string& quota, std::string complaint) {
  return {Plugin::kResourceQuota, {quota}, {std::move(complaint)}};
}

/// Pods that are stuck in termination use no quota.
bool outstayed(const kube::ObjectMeta& metadata, Instant now) {
  return metadata.deletion_timestamp && metadata.deletion_grace_period_seconds &&
         now > *metadata.deletion_timestamp + Duration::seconds(*metadata.deletion_grace_period_seconds);
}

bool in_no_scope(const Scope& /*scope*/) { return false; }

}  // namespace

ResourceList masked(const ResourceList& amounts, const ResourceList& names) {
  ResourceList result;
  for (const auto& entry : amounts) {
    if (names.contains(entry.first)) result.insert(entry);
  }
  return result;
}

QuotaTerms terms_of(const kube::ResourceQuota& quota) {
  QuotaTerms terms{quota.metadata.name, quota.hard, {}};
  for (const kube::ResourceQuotaScope scope : quota.scopes) {
    terms.scopes.push_back({scope, kube::LabelSelectorOperator::kExists, {}});
  }
  terms.scopes.insert(terms.scopes.end(), quota.scope_selector.begin(), quota.scope_selector.end());
  return terms;
}

QuotaSubject quota_subject(const kube::PodSpec& pod, const kube::PodStatus* status) {
  return {pod_usage(pod, status), pods_use, [&pod](const Scope& scope) { return in_scope(scope, pod); }};
}

QuotaSubject finished_quota_subject(const kube::PodSpec& pod) {
  return {finished_pod_usage(), pods_use, [&pod](const Scope& scope) { return in_scope(scope, pod); }};
}

QuotaSubject quota_subject(const kube::Pod& pod, Instant now) {
  if (pod.finished() || outstayed(pod.metadata, now)) return finished_quota_subject(*pod.spec);
  return quota_subject(*pod.spec, &pod.status);
}

QuotaSubject quota_subject(const kube::PersistentVolumeClaim& claim) {
  return {claim_usage(claim), claims_use, [&claim](const Scope& scope) { return in_scope(scope, claim.spec); }};
}

QuotaSubject quota_subject(const kube::Service& service) { return {service_usage(service), services_use, in_no_scope}; }

QuotaSubject quota_subject(std::string_view resource) {
  ResourceList usage = object_usage(resource);
  return {usage, [usage](std::string_view name) { return usage.contains(name); }, in_no_scope};
}

bool applies(const QuotaTerms& quota, const QuotaSubject& subject) {
  return std::any_of(quota.hard.begin(), quota.hard.end(),
                     [&](const auto& entry) { return subject.uses(entry.first); }) &&
         std::all_of(quota.scopes.begin(), quota.scopes.end(), subject.in_scope);
}

ResourceList charged(const QuotaTerms& quota, const ResourceList& amounts) {
  ResourceList result = masked(amounts, quota.hard);
  std::erase_if(result, [](const auto& entry) { return entry.second.is_zero(); });
  return result;
}

std::optional<Rejection> lacking(const QuotaTerms& quota, const kube::PodSpec& pod) {
  const std::string missing = missing_statements(quota.hard, pod);
  if (missing.empty()) return std::nullopt;
  return rejection(quota.name, fmt::format("failed quota: {}: {}", quota.name, missing));
}

std::optional<Rejection> exceeded(const QuotaTerms& quota, const ResourceList& used, const ResourceList& requested) {
  ResourceList excess;
  const auto used_of = [&](const std::string& name) {
    const auto found = used.find(name);
    return found == used.end() ? kube::Quantity() : found->second;
  };
  for (const auto& [name, amount] : requested) {
    if (used_of(name) + amount > quota.hard.find(name)->second) excess.emplace(name, amount);
  }
  if (excess.empty()) return std::nullopt;
  Rejection refusal =
      rejection(quota.name, fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name,
                                        print(excess), print(masked(used, excess)), print(masked(quota.hard, excess))));
  for (const auto& [name, amount] : excess) {
    refusal.excesses.push_back({quota.name, name, amount, used_of(name), quota.hard.find(name)->second});
  }
  return refusal;
}

}  // namespace loadline::admission
