#pragma once

#include <optional>
#include <vector>

#include "brain/engine/policy.h"
#include "foundation/base/diagnostic.h"
#include "objects/kube/loadline/policy.h"

namespace loadline::engine {

/// A policy, and where each part of it is written.
struct ChosenPolicy {
  ChosenPolicy() : ChosenPolicy(kube::PolicyBase::kRecommended) {}
  /// The base as it is.
  explicit ChosenPolicy(kube::PolicyBase of) : policy(policy_of(of)), base(of), set_at(switches().size()) {}

  Policy policy;
  kube::PolicyBase base;
  std::optional<SourcePosition> base_at;              ///< nothing: it is written nowhere
  std::vector<std::optional<SourcePosition>> set_at;  ///< by switch; nothing: it has the default of the base
};

struct PolicyReading {
  ChosenPolicy chosen;
  Diagnostics problems;
};

/// What the object says. A switch that there is not, or a word that it does not have, is a problem and left out: of an
/// object that an API server has taken a warning, otherwise an error. So is any other name than kube::kOnlyPolicy.
/// The definition of the kind finds the same; but its user may have another one.
[[nodiscard]] PolicyReading read_policy(const kube::Policy& object);

}  // namespace loadline::engine
