#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/quota_rules.h"
#include "brain/admission/rejection.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"

namespace loadline::admission {

/// What one object asks of the quotas of its namespace; the same for all equal objects, so computed once for them.
struct QuotaCharge {
  struct Share {
    std::size_t quota = 0;       ///< index among the namespace's quotas
    kube::ResourceList amounts;  ///< the object's use of what the quota limits, without zeros
  };
  std::string namespace_;
  std::vector<Share> shares;           ///< the quotas that the object is charged to, in their order
  std::optional<Rejection> rejection;  ///< the object may not be created at all: it lacks what a quota insists on
};

/// The ResourceQuotas of a cluster and what is used of them.
///
/// An object is admitted if, for every quota that applies, use and request together stay within each limit that the
/// object uses; then all of them are charged. The first quota that is exceeded is named, with all of its
/// exceeded resources. Quotas are taken in the order of reading; upstream's order is that of a hash table.
///
/// Use at the start is the quota's own status.used where a live cluster gave one, else what is counted with
/// `count_existing`. Source: apiserver/pkg/admission/plugin/resourcequota, v1.36; the rules are in quota_rules.h.
class QuotaLedger {
 public:
  explicit QuotaLedger(const std::vector<kube::ResourceQuota>& quotas);

  [[nodiscard]] bool empty() const { return quotas_.empty(); }

  /// `status` may be null (a pod that is created).
  [[nodiscard]] QuotaCharge charge_of_pod(std::string_view namespace_, const kube::PodSpec& spec,
                                          const kube::PodStatus* status) const;
  /// The part that stays charged while a finished pod exists.
  [[nodiscard]] QuotaCharge charge_of_finished_pod(std::string_view namespace_, const kube::PodSpec& spec) const;
  /// What a pod that exists holds now.
  [[nodiscard]] QuotaCharge charge_of_existing(const kube::Pod& pod, Instant now) const;
  [[nodiscard]] QuotaCharge charge_of(const kube::PersistentVolumeClaim& claim) const;
  [[nodiscard]] QuotaCharge charge_of(const kube::Service& service) const;
  /// `resource` as in "deployments.apps".
  [[nodiscard]] QuotaCharge charge_of_object(std::string_view namespace_, std::string_view resource) const;

  /// Charges everything or nothing.
  std::optional<Rejection> admit(const QuotaCharge& charge);
  /// Counts an object that exists already, allowed or not, unless status.used counted it.
  void count_existing(const QuotaCharge& charge);
  /// Gives back; never below zero.
  void release(const QuotaCharge& charge);

  /// What is used of a quota; null if there is none of that name. For reports and tests.
  [[nodiscard]] const kube::ResourceList* used(std::string_view namespace_, std::string_view name) const;

 private:
  struct Quota {
    QuotaTerms terms;
    kube::ResourceList used;      // an entry for each of hard
    kube::ResourceList reported;  // status.used of a live cluster
  };

  [[nodiscard]] std::span<const Quota> quotas_of(std::string_view namespace_) const;
  [[nodiscard]] QuotaCharge charge(std::string_view namespace_, const QuotaSubject& subject) const;

  std::map<std::string, std::vector<Quota>, std::less<>> quotas_;  // by namespace
};

}  // namespace loadline::admission
