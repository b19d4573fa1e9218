#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "kube/meta.h"

namespace loadline::kube {

struct PodDisruptionBudget {
  ObjectMeta metadata;
  std::optional<LabelSelector> selector;  ///< nullopt: matches no pod; empty: every pod of the namespace
  std::optional<IntOrString> min_available;
  std::optional<IntOrString> max_unavailable;

  /// status.disruptionsAllowed; nullopt where no controller has filled it in yet (a manifest).
  std::optional<std::int32_t> disruptions_allowed;
  std::map<std::string, Instant> disrupted_pods;
};

}  // namespace loadline::kube
