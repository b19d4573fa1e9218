#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objects/kube/meta.h"

namespace loadline::kube {

enum class ResourceQuotaScope : std::uint8_t {
  kTerminating,
  kNotTerminating,
  kBestEffort,
  kNotBestEffort,
  kPriorityClass,
  kCrossNamespacePodAffinity,
  kVolumeAttributesClass,
};

/// One entry of scopeSelector.matchExpressions, or of scopes (then the operator is Exists).
struct ScopedResourceSelectorRequirement {
  ResourceQuotaScope scope = ResourceQuotaScope::kTerminating;
  LabelSelectorOperator op = LabelSelectorOperator::kExists;
  std::vector<std::string> values;
};

struct ResourceQuota {
  ObjectMeta metadata;
  ResourceList hard;
  std::vector<ResourceQuotaScope> scopes;
  std::vector<ScopedResourceSelectorRequirement> scope_selector;
  ResourceList status_used;
};

enum class LimitType : std::uint8_t { kContainer, kPod, kPersistentVolumeClaim, kOther };

struct LimitRangeItem {
  LimitType type = LimitType::kContainer;
  std::string type_name;  ///< as written
  ResourceList max;
  ResourceList min;
  ResourceList default_limit;    ///< `default`
  ResourceList default_request;  ///< `defaultRequest`
  ResourceList max_limit_request_ratio;
};

struct LimitRange {
  ObjectMeta metadata;
  std::vector<LimitRangeItem> limits;
};

}  // namespace loadline::kube
