#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/meta.h"

namespace loadline::kube {

/// What holds for every switch that a Policy does not name.
enum class PolicyBase : std::uint8_t {
  kParity,       ///< what the upstream components would do
  kRecommended,  ///< what is better, and still what their users expect
};

/// A switch as it is written: `nodesToScore: All`, `backfillDepth: 32`.
struct PolicySetting {
  std::string name;
  document::Value value;  ///< a word or a whole number
  document::Mark mark;    ///< of the name
};

/// loadline.dev/v1alpha1: where Loadline may do otherwise than upstream, whether it does. A cluster has one, named
/// kOnlyPolicy; without it, the base is kRecommended and no switch is set. Which switches there are is the brain's to
/// say (brain/engine/policy.h).
struct Policy {
  ObjectMeta metadata;
  PolicyBase base = PolicyBase::kRecommended;
  document::Mark base_mark;  ///< no line: it is not written
  std::vector<PolicySetting> settings;
};

inline constexpr const char* kOnlyPolicy = "default";

}  // namespace loadline::kube
