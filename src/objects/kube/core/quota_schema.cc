#include "objects/kube/core/quota_schema.h"

#include "objects/kube/decoder.h"
#include "objects/kube/meta_schema.h"

namespace loadline::kube {

constexpr Field kScopedResourceSelectorRequirementFields[] = {
    field<&ScopedResourceSelectorRequirement::op>("operator").required(),
    field<&ScopedResourceSelectorRequirement::scope>("scopeName").required(),
    field<&ScopedResourceSelectorRequirement::values>("values"),
};
constexpr Schema kScopedResourceSelectorRequirementSchema{"ScopedResourceSelectorRequirement",
                                                          kScopedResourceSelectorRequirementFields};

constexpr Field kScopeSelectorFields[] = {
    field<&ResourceQuota::scope_selector>("matchExpressions",
                                          list_of(object(kScopedResourceSelectorRequirementSchema))),
};
constexpr Schema kScopeSelectorSchema{"ScopeSelector", kScopeSelectorFields};

constexpr Field kResourceQuotaSpecFields[] = {
    field<&ResourceQuota::hard>("hard"),
    part("scopeSelector", kScopeSelectorSchema),
    field<&ResourceQuota::scopes>("scopes"),
};
constexpr Schema kResourceQuotaSpecSchema{"ResourceQuotaSpec", kResourceQuotaSpecFields};

constexpr Field kResourceQuotaStatusFields[] = {
    known("hard", map_of(kQuantity)),
    field<&ResourceQuota::status_used>("used"),
};
constexpr Schema kResourceQuotaStatusSchema{"ResourceQuotaStatus", kResourceQuotaStatusFields};

constexpr Field kResourceQuotaFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&ResourceQuota::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kResourceQuotaSpecSchema),
    part("status", kResourceQuotaStatusSchema),
};
constinit const Schema kResourceQuotaSchema{"ResourceQuota", kResourceQuotaFields};

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
    custom<read_limit_type>("type", kString).required(),
};
constexpr Schema kLimitRangeItemSchema{"LimitRangeItem", kLimitRangeItemFields};

constexpr Field kLimitRangeSpecFields[] = {
    field<&LimitRange::limits>("limits", list_of(object(kLimitRangeItemSchema))).required(),
};
constexpr Schema kLimitRangeSpecSchema{"LimitRangeSpec", kLimitRangeSpecFields};

constexpr Field kLimitRangeFields[] = {
    known("apiVersion", kString),
    known("kind", kString),
    field<&LimitRange::metadata>("metadata", object(kObjectMetaSchema)),
    part("spec", kLimitRangeSpecSchema),
};
constinit const Schema kLimitRangeSchema{"LimitRange", kLimitRangeFields};

}  // namespace loadline::kube
