#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/document/value.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod.h"

namespace loadline::controllers {

// The pods and claims of a StatefulSet (brain/workloads/stateful_set.h) as documents.

/// The revision of a pod, by its label; empty if it has none.
std::string_view revision_of_pod(const kube::Pod& pod);

/// The pod of an ordinal, of the set as its revision has it.
document::Value stateful_pod(const document::Value& object, const kube::StatefulSet& set, std::int64_t ordinal,
                             std::string_view revision);

/// A claim of one of the set's templates, for one pod.
struct StatefulClaim {
  std::string name;
  document::Value document;
};
std::vector<StatefulClaim> stateful_claims(const document::Value& object, const kube::StatefulSet& set,
                                           std::int64_t ordinal);

}  // namespace loadline::controllers
