#pragma once

#include <string_view>

#include "foundation/document/value.h"

namespace loadline::operators {

/// A part of an object as a webhook leaves it that reads it into one of Kubernetes' types and writes it back:
/// quantities are in canonical form ("0.5" is "500m"), what Go always writes is there (`resources: {}`), and nothing is
/// removed. What is not of the type stays as it is. `type`: "io.k8s.api.core.v1.PodTemplateSpec". O(size). Source: the
/// defaulter of sigs.k8s.io/controller-runtime v0.24, pkg/webhook/admission.
[[nodiscard]] document::Value as_go_completes(const document::Value& part, std::string_view type);

}  // namespace loadline::operators
