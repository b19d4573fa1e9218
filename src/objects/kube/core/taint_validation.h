#pragma once

#include <vector>

#include "objects/kube/core/node.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

/// Comparison operators (Gt, Lt) are refused: their feature gate is off in v1.36.
void validate_tolerations(FieldReport& report, const Path& at, const std::vector<Toleration>& tolerations);
void validate_taints(FieldReport& report, const Path& at, const std::vector<Taint>& taints);

}  // namespace loadline::kube
