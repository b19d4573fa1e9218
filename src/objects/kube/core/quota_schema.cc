#include "objects/kube/core/quota_schema.h"

#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kScopedResourceSelectorRequirementFields[] = {
    field<&ScopedResourceSelectorRequirement::op>("operator"),
    field<&ScopedResourceSelectorRequirement::scope>("scopeName"),
    field<&ScopedResourceSelectorRequirement::values>("values"),
};
constexpr Schema kScopedResourceSelectorRequirementSchema{"io.k8s.api.core.v1.ScopedResourceSelectorRequirement",
                                                          kScopedResourceSelectorRequirementFields};

constexpr Field kScopeSelectorFields[] = {
    field<&ResourceQuota::scope_selector>("matchExpressions", kScopedResourceSelectorRequirementSchema),
};
constexpr Schema kScopeSelectorSchema{"io.k8s.api.core.v1.ScopeSelector", kScopeSelectorFields};

constexpr Field kResourceQuotaSpecFields[] = {
    field<&ResourceQuota::hard>("hard"),
    part("scopeSelector", kScopeSelectorSchema),
    field<&ResourceQuota::scopes>("scopes"),
};
constexpr Schema kResourceQuotaSpecSchema{"io.k8s.api.core.v1.ResourceQuotaSpec", kResourceQuotaSpecFields};

constexpr Field kResourceQuotaStatusFields[] = {
    field<&ResourceQuota::status_used>("used"),
};
constexpr Schema kResourceQuotaStatusSchema{"io.k8s.api.core.v1.ResourceQuotaStatus", kResourceQuotaStatusFields};

constexpr Field kResourceQuotaFields[] = {
    field<&ResourceQuota::metadata>("metadata", kObjectMetaSchema),
    part("spec", kResourceQuotaSpecSchema),
    part("status", kResourceQuotaStatusSchema),
};
constinit const Schema kResourceQuotaSchema{"io.k8s.api.core.v1.ResourceQuota", kResourceQuotaFields};

static void read_limit_type(Decoder&, const document::Value& value, const Path&, LimitRangeItem& item) {
  item.type_name = value.string();
  if (value.string() == "Container") {
    item.type = LimitType::kContainer;
  } else if (value.string() == "Pod") {
    item.type = LimitType::kPod;
  } else if (value.string() == "PersistentVolumeClaim") {
    item.type = LimitType::kPersistentVolumeClaim;
  } else {
    item.type = LimitType::kOther;
  }
}

constexpr Field kLimitRangeItemFields[] = {
    field<&LimitRangeItem::default_limit>("default"),
    field<&LimitRangeItem::default_request>("defaultRequest"),
    field<&LimitRangeItem::max>("max"),
    field<&LimitRangeItem::max_limit_request_ratio>("maxLimitRequestRatio"),
    field<&LimitRangeItem::min>("min"),
    custom<read_limit_type>("type", kString),
};
constexpr Schema kLimitRangeItemSchema{"io.k8s.api.core.v1.LimitRangeItem", kLimitRangeItemFields};

constexpr Field kLimitRangeSpecFields[] = {
    field<&LimitRange::limits>("limits", kLimitRangeItemSchema),
};
constexpr Schema kLimitRangeSpecSchema{"io.k8s.api.core.v1.LimitRangeSpec", kLimitRangeSpecFields};

constexpr Field kLimitRangeFields[] = {
    field<&LimitRange::metadata>("metadata", kObjectMetaSchema),
    part("spec", kLimitRangeSpecSchema),
};
constinit const Schema kLimitRangeSchema{"io.k8s.api.core.v1.LimitRange", kLimitRangeFields};

}  // namespace loadline::kube
