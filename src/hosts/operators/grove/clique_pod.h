#pragma once

#include <cstdint>
#include <string_view>

#include "foundation/document/value.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/grove/pod_clique_set.h"

namespace loadline::operators {

/// The pods of a PodClique, as documents. One that starts after others has a container that waits for them.
/// Source: ai-dynamo/grove v0.1.0-alpha.11, operator/internal/controller/podclique/components/pod.
class CliquePods {
 public:
  /// REQUIRES: both outlive this.
  CliquePods(const watching::Observed<kube::PodClique>& clique, const kube::PodCliqueSet& set);

  /// The pod of that index.
  [[nodiscard]] document::Value pod(std::int64_t index) const;

 private:
  const watching::Observed<kube::PodClique>& clique_;
  const kube::PodCliqueSet& set_;
  document::Value prototype_;
};

/// How many ready pods of the PodClique of that name, of a set, one that starts after it waits for.
[[nodiscard]] std::int32_t needed_before(const kube::PodCliqueSet& set, const kube::PodClique& clique,
                                         std::string_view parent);

/// Whether the container still waits that was told to.
[[nodiscard]] bool waits_for_others(const kube::ObjectMeta& pod);
/// The patch by which it ends.
[[nodiscard]] document::Value end_of_waiting();

/// Whether a container has exited with a failure before.
[[nodiscard]] bool has_failed_before(const document::Value& pod);

}  // namespace loadline::operators
