#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/admission/rejection.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/core/service.h"
#include "objects/kube/core/volume.h"

namespace loadline::admission {

/// The rules of ResourceQuota for one quota and one object. The caller keeps count of what is used: in a ledger of a
/// simulated cluster, or in the status of the quotas of a live one.
/// Source: apiserver/pkg/admission/plugin/resourcequota, v1.36, without limited-by-default resources.

/// What a quota says, whatever is used of it.
struct QuotaTerms {
  std::string name;
  kube::ResourceList hard;
  std::vector<kube::ScopedResourceSelectorRequirement> scopes;
};
[[nodiscard]] QuotaTerms terms_of(const kube::ResourceQuota& quota);

/// What quotas look at of one object. It refers to the object that it was made of.
struct QuotaSubject {
  kube::ResourceList usage;
  std::function<bool(std::string_view resource)> uses;  ///< whether objects of the kind can use that at all
  std::function<bool(const kube::ScopedResourceSelectorRequirement&)> in_scope;
};

/// `status` counts while the pod is being resized; may be null.
[[nodiscard]] QuotaSubject quota_subject(const kube::PodSpec& pod, const kube::PodStatus* status);
/// Of a pod that has finished but still exists.
[[nodiscard]] QuotaSubject finished_quota_subject(const kube::PodSpec& pod);
/// Of a pod that exists: finished ones, and those stuck in termination, hold little.
[[nodiscard]] QuotaSubject quota_subject(const kube::Pod& pod, Instant now);
[[nodiscard]] QuotaSubject quota_subject(const kube::PersistentVolumeClaim& claim);
[[nodiscard]] QuotaSubject quota_subject(const kube::Service& service);
/// Of one object of another kind: "deployments.apps".
[[nodiscard]] QuotaSubject quota_subject(std::string_view resource);

/// Whether a quota applies: it limits a resource that objects of the kind can use, and the object is in all its scopes.
[[nodiscard]] bool applies(const QuotaTerms& quota, const QuotaSubject& subject);

/// Of some amounts those that the quota limits, without zeros.
[[nodiscard]] kube::ResourceList charged(const QuotaTerms& quota, const kube::ResourceList& amounts);

/// A quota on cpu or memory insists that every container of a pod states it.
[[nodiscard]] std::optional<Rejection> lacking(const QuotaTerms& quota, const kube::PodSpec& pod);

/// What the quota says to `requested` (already `charged`) on top of `used`: all resources that would be too much.
[[nodiscard]] std::optional<Rejection> exceeded(const QuotaTerms& quota, const kube::ResourceList& used,
                                                const kube::ResourceList& requested);

/// `amounts` of the resources that are in `names`.
[[nodiscard]] kube::ResourceList masked(const kube::ResourceList& amounts, const kube::ResourceList& names);

}  // namespace loadline::admission
