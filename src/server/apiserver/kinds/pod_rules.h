#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/scalars.h"

namespace loadline::apiserver {

/// ValidatePodUpdate without the rules that new pods have, too: which parts of a pod may change, and how. Appends to
/// what `errors` says of the new pod.
/// Source: pkg/apis/core/validation, v1.36.
void check_pod_change(kube::FieldErrors& errors, const document::Value& pod, const document::Value& old);

/// ValidatePodStatusUpdate without the rules of metadata.
kube::FieldErrors pod_status_errors(const document::Value& pod, const document::Value& old);

/// What the API server tells the author of a pod that it takes nevertheless. Source: pkg/api/pod/warnings.go, v1.36.
std::vector<std::string> pod_warnings(const document::Value& pod);

}  // namespace loadline::apiserver
