#pragma once

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

/// containers and initContainers of a pod spec at `at`.
void validate_containers(FieldReport& report, const Path& at, const PodSpec& spec);

}  // namespace loadline::kube
