#pragma once

#include <vector>

#include "objects/kube/core/pod.h"
#include "objects/kube/field_report.h"

namespace loadline::kube {

/// What Kueue asks of tolerations beside what its definitions ask.
void check_toleration_keys(FieldReport& report, const Path& at, const std::vector<Toleration>& tolerations);

}  // namespace loadline::kube
