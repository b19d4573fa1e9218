#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "brain/workloads/index_intervals.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {

/// "Matched rules at index 0", the first rule of the policy that is met; nothing: none is.
/// Source: matchSuccessPolicy in pkg/controller/job/success_policy.go, v1.36.
std::optional<std::string> met_success_rule(const std::optional<kube::SuccessPolicy>& policy, std::int64_t completions,
                                            const workloads::IndexIntervals& succeeded);

}  // namespace loadline::controllers
