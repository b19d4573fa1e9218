#pragma once

#include <cstdint>
#include <optional>

#include "brain/workloads/pod_count.h"
#include "foundation/base/diagnostic.h"
#include "foundation/base/result.h"
#include "objects/kube/objects.h"

namespace loadline::simulator {

/// How many pods the workloads and reservations of a plan may make, unless a user says otherwise. Pods that exist do
/// not count. A pod of a plan costs 4 to 7 kB, and large templates count for more, so that these fit into 2 GB with all
/// that a plan needs.
inline constexpr std::int64_t kMostPlannedPods = 150'000;

/// What is wrong with objects that make more pods than that, about the one that makes most of them; nothing: they do
/// not. O(workloads), and nothing is made. `counting`: see pods_to_make().
[[nodiscard]] std::optional<Diagnostic> pods_beyond(std::int64_t most, const kube::Objects& objects,
                                                    const workloads::Counting& counting = {});

/// The same as an error, for whoever has no use for a diagnostic.
[[nodiscard]] Result<void> check_pods(std::int64_t most, const kube::Objects& objects);

}  // namespace loadline::simulator
