#include "brain/admission/resource_quota.h"

#include <algorithm>

#include "objects/kube/pod_resources.h"

namespace loadline::admission {

using kube::Quantity;
using kube::ResourceList;

QuotaLedger::QuotaLedger(const std::vector<kube::ResourceQuota>& quotas) {
  for (const kube::ResourceQuota& written : quotas) {
    Quota quota{terms_of(written), {}, {}};
    const ResourceList& hard = quota.terms.hard;
    if (written.metadata.from_cluster()) quota.reported = masked(written.status_used, hard);
    for (const auto& entry : hard) quota.used.emplace(entry.first, Quantity());
    for (const auto& [name, amount] : quota.reported) quota.used[name] = amount;
    quotas_[written.metadata.namespace_].push_back(std::move(quota));
  }
}

std::span<const QuotaLedger::Quota> QuotaLedger::quotas_of(std::string_view namespace_) const {
  const auto found = quotas_.find(namespace_);
  if (found == quotas_.end()) return {};
  return found->second;
}

QuotaCharge QuotaLedger::charge(std::string_view namespace_, const QuotaSubject& subject) const {
  QuotaCharge charge{std::string(namespace_), {}, std::nullopt};
  const std::span<const Quota> quotas = quotas_of(namespace_);
  for (std::size_t index = 0; index < quotas.size(); ++index) {
    const QuotaTerms& terms = quotas[index].terms;
    if (applies(terms, subject)) charge.shares.push_back({index, charged(terms, subject.usage)});
  }
  return charge;
}

QuotaCharge QuotaLedger::charge_of_pod(std::string_view namespace_, const kube::PodSpec& spec,
                                       const kube::PodStatus* status) const {
  QuotaCharge result = charge(namespace_, quota_subject(spec, status));
  const std::span<const Quota> quotas = quotas_of(namespace_);
  for (const QuotaCharge::Share& share : result.shares) {
    result.rejection = lacking(quotas[share.quota].terms, spec);
    if (result.rejection) break;
  }
  return result;
}

QuotaCharge QuotaLedger::charge_of_finished_pod(std::string_view namespace_, const kube::PodSpec& spec) const {
  return charge(namespace_, finished_quota_subject(spec));
}

QuotaCharge QuotaLedger::charge_of_existing(const kube::Pod& pod, Instant now) const {
  return charge(pod.metadata.namespace_, quota_subject(pod, now));
}

QuotaCharge QuotaLedger::charge_of(const kube::PersistentVolumeClaim& claim) const {
  return charge(claim.metadata.namespace_, quota_subject(claim));
}

QuotaCharge QuotaLedger::charge_of(const kube::Service& service) const {
  return charge(service.metadata.namespace_, quota_subject(service));
}

QuotaCharge QuotaLedger::charge_of_object(std::string_view namespace_, std::string_view resource) const {
  return charge(namespace_, quota_subject(resource));
}

std::optional<Rejection> QuotaLedger::admit(const QuotaCharge& charge) {
  if (charge.rejection) return charge.rejection;
  if (charge.shares.empty()) return std::nullopt;
  std::vector<Quota>& quotas = quotas_.find(charge.namespace_)->second;
  for (const QuotaCharge::Share& share : charge.shares) {
    const Quota& quota = quotas[share.quota];
    if (auto refusal = exceeded(quota.terms, quota.used, share.amounts)) return refusal;
  }
  for (const QuotaCharge::Share& share : charge.shares) kube::add_resources(quotas[share.quota].used, share.amounts);
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
  const auto found =
      std::find_if(quotas.begin(), quotas.end(), [&](const Quota& quota) { return quota.terms.name == name; });
  return found == quotas.end() ? nullptr : &found->used;
}

}  // namespace loadline::admission
