#pragma once

#include <string>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

/// Checks `fieldSelector` and `labelSelector` of a review's resourceAttributes. RBAC decides without them, so what is
/// accepted here has no other effect.
void check_selector_attributes(const document::Value& attributes, kube::FieldErrors& errors);

/// What upstream says of selectors that it accepts and cannot read; empty if it can.
[[nodiscard]] std::string selector_evaluation_error(const document::Value& attributes);

}  // namespace loadline::apiserver
