#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"

namespace loadline::kube {

/// What authors still write, or leave out, in an object of another project's kind as an earlier version of that kind
/// had it. No server of the version that the object names ever took it.
struct RetiredField {
  std::string path;     ///< where that server complains: "spec.disruption.consolidationPolicy"
  std::string mend;     ///< what its author has to write
  std::string reading;  ///< what it means: "read as WhenEmptyOrUnderutilized"
};

/// The retired fields of an object; most kinds have none, and for these it costs nothing. Of NodePools of
/// karpenter.sh/v1: `consolidationPolicy: WhenUnderutilized` of v1beta1 (WhenEmptyOrUnderutilized since v1), no
/// `nodeClassRef` (required; v1alpha5 could do without), a `nodeClassRef` with an `apiVersion` (a group since v1).
/// Source: Karpenter's migration guide to v1 and its CustomResourceDefinitions.
std::vector<RetiredField> find_retired_fields(const document::Value& object);

/// The object as it is meant: as find_retired_fields() says that it is read.
document::Value without_retired_fields(document::Value object);

}  // namespace loadline::kube
