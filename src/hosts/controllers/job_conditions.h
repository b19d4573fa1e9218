#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/time.h"
#include "objects/kube/batch/batch.h"

namespace loadline::controllers {

/// The condition of that type if it is True, or null.
const kube::JobCondition* true_condition(const kube::JobStatus& status, std::string_view type);

kube::JobCondition make_condition(std::string_view type, std::string_view status, std::string_view reason,
                                  std::string_view message, Instant now);

/// Puts the condition in the place of the one of its type. One that is False does not come into being.
/// True if anything changed but times.
bool set_condition(kube::JobStatus& status, kube::JobCondition condition);

}  // namespace loadline::controllers
