#pragma once

#include <string>
#include <string_view>

#include "hosts/controllers/words.h"
#include "hosts/watching/action.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

/// Why a pod is about to be deleted, as its condition DisruptionTarget tells.
struct DisruptionReason {
  std::string_view reason;  ///< "DeletionByTaintManager"
  std::string message;
};

[[nodiscard]] bool has_disruption_target(const kube::Pod& pod);

/// Puts the condition onto the pod; with `fails`, the pod has failed as well.
Action mark_disrupted(const Observed<kube::Pod>& pod, const DisruptionReason& why, Instant now, bool fails);

}  // namespace loadline::controllers
