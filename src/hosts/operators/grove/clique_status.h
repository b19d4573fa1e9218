#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "foundation/base/time.h"
#include "hosts/watching/action.h"
#include "objects/kube/encoder.h"
#include "objects/kube/grove/pod_clique_set.h"
#include "objects/kube/schema.h"

namespace loadline::operators {

inline constexpr std::string_view kMinAvailableBreached = "MinAvailableBreached";
inline constexpr std::string_view kPodCliqueScheduled = "PodCliqueScheduled";

/// Puts the condition in place of the one of its type; one that says the same stays as it is, and one of the same
/// status passes on its time of transition.
void set_condition(kube::CliqueStatus& status, kube::MetaCondition condition, Instant now);

/// Whether pods, cliques or replicas are on their way to new templates.
[[nodiscard]] inline bool is_updating(const kube::CliqueStatus& status) {
  return status.update && !status.update->ended_at;
}

/// Whether Grove moves pods to new templates by itself.
[[nodiscard]] inline bool updates_by_itself(const kube::PodCliqueSet& set) { return set.update_strategy != "OnDelete"; }

/// Whether the PodClique is of that template and that set, with as many such pods ready as it needs.
[[nodiscard]] bool is_updated(const kube::PodClique& clique, std::string_view template_hash, std::string_view set_hash);

/// How long the condition MinAvailableBreached has to stay before the gang is given up; nothing: it is not true. May be
/// negative.
[[nodiscard]] std::optional<Duration> time_to_termination(const kube::CliqueStatus& status,
                                                          const kube::PodCliqueSet& set, Instant now);

/// A number in a status; what is beyond its type is the largest that it can be.
[[nodiscard]] inline std::int32_t product(std::int64_t replicas, std::int64_t each) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(replicas * each, std::numeric_limits<std::int32_t>::max()));
}

/// How many pods a PodClique needs.
[[nodiscard]] inline std::int32_t least_available(const kube::CliqueSpec& clique) {
  return clique.min_available.value_or(clique.replicas);
}

/// Writes the status if it says something else than the object's.
template <class Kind>
void write_status(const watching::Observed<Kind>& object, const kube::CliqueStatus& status, const kube::Schema& schema,
                  watching::Reconciliation& result) {
  if (status == object.view.status) return;
  result.then(
      watching::update_status(watching::kind_name<Kind>(), object.key(),
                              document::Value(object.document).with("status", kube::encode_object(schema, &status))));
}

}  // namespace loadline::operators
