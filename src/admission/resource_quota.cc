#include "admission/resource_quota.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "admission/quota_scopes.h"
#include "admission/quota_usage.h"
#include "kube/pod_resources.h"

namespace loadline::admission {
namespace {

using kube::Quantity;
using kube::ResourceList;

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

ResourceList masked(const ResourceList& amounts, const ResourceList& names) {
  ResourceList result;
  for (const auto& entry : amounts) {
    if (names.contains(entry.first)) result.insert(entry);
  }
  return result;
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

Objection objection(const std::string& quota, std::string complaint) {
  return {Plugin::kResourceQuota, {quota}, {std::move(complaint)}};
}

}  // namespace

QuotaLedger::QuotaLedger(const std::vector<kube::ResourceQuota>& quotas) {
  for (const kube::ResourceQuota& written : quotas) {
    Quota quota{written.metadata.name, written.hard, {}, {}, {}};
    if (written.metadata.from_cluster()) quota.reported = masked(written.status_used, quota.hard);
    for (const auto& entry : quota.hard) quota.used.emplace(entry.first, Quantity());
    for (const auto& [name, amount] : quota.reported) quota.used[name] = amount;
    for (const kube::ResourceQuotaScope scope : written.scopes) {
      quota.scopes.push_back({scope, kube::LabelSelectorOperator::kExists, {}});
    }
    quota.scopes.insert(quota.scopes.end(), written.scope_selector.begin(), written.scope_selector.end());
    quotas_[written.metadata.namespace_].push_back(std::move(quota));
  }
}

std::span<const QuotaLedger::Quota> QuotaLedger::quotas_of(std::string_view namespace_) const {
  const auto found = quotas_.find(namespace_);
  if (found == quotas_.end()) return {};
  return found->second;
}

template <class InScope, class UsesResource>
QuotaCharge QuotaLedger::make_charge(std::string_view namespace_, const ResourceList& usage, const InScope& in_scope_of,
                                     const UsesResource& uses) const {
  QuotaCharge charge{std::string(namespace_), {}, std::nullopt};
  const std::span<const Quota> quotas = quotas_of(namespace_);
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    const Quota& quota = quotas[index];
    const bool limits_kind =
        std::any_of(quota.hard.begin(), quota.hard.end(), [&](const auto& entry) { return uses(entry.first); });
    if (!limits_kind || !std::all_of(quota.scopes.begin(), quota.scopes.end(), in_scope_of)) continue;
    ResourceList amounts = masked(usage, quota.hard);
    std::erase_if(amounts, [](const auto& entry) { return entry.second.is_zero(); });
    charge.shares.push_back({index, std::move(amounts)});
  }
  return charge;
}

QuotaCharge QuotaLedger::charge_of_pod(std::string_view namespace_, const kube::PodSpec& spec,
                                       const kube::PodStatus* status) const {
  QuotaCharge charge = make_charge(
      namespace_, pod_usage(spec, status), [&](const auto& scope) { return in_scope(scope, spec); }, pods_use);
  const std::span<const Quota> quotas = quotas_of(namespace_);
  for (const QuotaCharge::Share& share : charge.shares) {
    const Quota& quota = quotas[share.quota];
    const std::string missing = missing_statements(quota.hard, spec);
    if (missing.empty()) continue;
    charge.objection = objection(quota.name, fmt::format("failed quota: {}: {}", quota.name, missing));
    break;
  }
  return charge;
}

QuotaCharge QuotaLedger::charge_of_finished_pod(std::string_view namespace_, const kube::PodSpec& spec) const {
  return make_charge(
      namespace_, finished_pod_usage(), [&](const auto& scope) { return in_scope(scope, spec); }, pods_use);
}

QuotaCharge QuotaLedger::charge_of(const kube::PersistentVolumeClaim& claim) const {
  return make_charge(
      claim.metadata.namespace_, claim_usage(claim), [&](const auto& scope) { return in_scope(scope, claim.spec); },
      claims_use);
}

QuotaCharge QuotaLedger::charge_of(const kube::Service& service) const {
  return make_charge(
      service.metadata.namespace_, service_usage(service), [](const auto&) { return false; }, services_use);
}

QuotaCharge QuotaLedger::charge_of_object(std::string_view namespace_, std::string_view resource) const {
  const ResourceList usage = object_usage(resource);
  return make_charge(
      namespace_, usage, [](const auto&) { return false; },
      [&](std::string_view name) { return usage.contains(name); });
}

std::optional<Objection> QuotaLedger::admit(const QuotaCharge& charge) {
  if (charge.objection) return charge.objection;
  if (charge.shares.empty()) return std::nullopt;
  std::vector<Quota>& quotas = quotas_.find(charge.namespace_)->second;
  for (const QuotaCharge::Share& share : charge.shares) {
    const Quota& quota = quotas[share.quota];
    ResourceList exceeded;
    for (const auto& [name, amount] : share.amounts) {
      if (quota.used.find(name)->second + amount > quota.hard.find(name)->second) exceeded.emplace(name, amount);
    }
    if (exceeded.empty()) continue;
    Objection refusal = objection(
        quota.name, fmt::format("exceeded quota: {}, requested: {}, used: {}, limited: {}", quota.name, print(exceeded),
                                print(masked(quota.used, exceeded)), print(masked(quota.hard, exceeded))));
    for (const auto& [name, amount] : exceeded) {
      refusal.excesses.push_back(
          {quota.name, name, amount, quota.used.find(name)->second, quota.hard.find(name)->second});
    }
    return refusal;
  }
  for (const QuotaCharge::Share& share : charge.shares) add_resources(quotas[share.quota].used, share.amounts);
  return std::nullopt;
}

void QuotaLedger::count_existing(const QuotaCharge& charge) {
  for (const QuotaCharge::Share& share : charge.shares) {
    Quota& quota = quotas_.find(charge.namespace_)->second[share.quota];
    for (const auto& [name, amount] : share.amounts) {
      if (!quota.reported.contains(name)) quota.used[name] += amount;
    }
  }
}

void QuotaLedger::release(const QuotaCharge& charge) {
  for (const QuotaCharge::Share& share : charge.shares) {
    Quota& quota = quotas_.find(charge.namespace_)->second[share.quota];
    for (const auto& [name, amount] : share.amounts) {
      Quantity& used = quota.used[name];
      used -= amount;
      if (used.sign() < 0) used = Quantity();
    }
  }
}

const ResourceList* QuotaLedger::used(std::string_view namespace_, std::string_view name) const {
  const std::span<const Quota> quotas = quotas_of(namespace_);
  const auto found = std::find_if(quotas.begin(), quotas.end(), [&](const Quota& quota) { return quota.name == name; });
  return found == quotas.end() ? nullptr : &found->used;
}

}  // namespace loadline::admission
