#pragma once

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::operators::kueue {

/// What Kueue's webhook has against a change of a Workload or of its status, in its words and order. What it has
/// against any Workload: objects/kube/kueue/webhooks.h. Rules of the definition, most of what is immutable, are not
/// among them. Source: Kueue v0.19.2, ValidateWorkloadUpdate in pkg/webhooks/workload_webhook.go; but for workload
/// slices.
[[nodiscard]] kube::FieldErrors faults_of_workload_change(const document::Value& before, const document::Value& after);

}  // namespace loadline::operators::kueue
