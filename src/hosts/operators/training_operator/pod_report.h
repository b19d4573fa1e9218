#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/operators/training_operator/training_status.h"

namespace loadline::operators {

/// With what that container of the pod ended; nothing: it has not.
[[nodiscard]] std::optional<std::int64_t> exit_code(const document::Value& pod, std::string_view container);

/// How often containers of the pod were restarted.
[[nodiscard]] std::int64_t restarts_of(const document::Value& pod);

/// Tells why a pod that should run does not: of its containers what they ended with or wait for; before it has any, of
/// the condition that changed last. Source: RecordAbnormalPods in pkg/core/job.go, training-operator v1.9.3.
void tell_of_troubles(const document::Value& pod, TrainingStatus& status);

}  // namespace loadline::operators
