#pragma once

#include <vector>

#include "objects/kube/config/extender.h"
#include "objects/kube/field_report.h"
#include "objects/kube/schema.h"

namespace loadline::kube {

extern const Schema kExtenderSchema;

/// Weights, managed resources, and that no two bind. Source: pkg/scheduler/apis/config/validation, v1.36.
void validate_extenders(FieldReport& report, const Path& at, const std::vector<Extender>& extenders);

}  // namespace loadline::kube
