#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "objects/kube/batch/batch.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

/// What a Job's podFailurePolicy says about a failed pod.
struct FailureVerdict {
  enum class Action : std::uint8_t { kNone, kCount, kIgnore, kFailIndex, kFailJob };
  Action action = Action::kNone;  ///< kNone: no rule matches, so that it counts
  std::string message;            ///< kFailJob: why

  /// Whether the failure counts toward backoffLimit and backoffLimitPerIndex.
  [[nodiscard]] bool counts() const { return action != Action::kIgnore; }
};

/// The first rule that matches decides. Exit code 0 matches nothing, and a container that still runs neither.
/// Source: matchPodFailurePolicy in pkg/controller/job/pod_failure_policy.go, v1.36.
FailureVerdict judge_failure(const std::optional<kube::PodFailurePolicy>& policy, const kube::Pod& pod);

}  // namespace loadline::controllers
