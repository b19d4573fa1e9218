#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "brain/workloads/expansion.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::workloads {

// Volcano makes a PodGroup for the pods of a plain controller that name its scheduler and no group. Only an annotation
// of the controller gives it a minimum above one, and only then it makes a difference. A Deployment hands its
// annotations down to its ReplicaSets. Example: Deployment web with scheduling.volcano.sh/group-min-member "3" →
// PodGroup podgroup-<uid of its ReplicaSet> with minMember 3.
// Source: volcano.sh/volcano v1.15.1, pkg/controllers/podgroup/pg_controller_handler.go.

inline constexpr std::string_view kGroupMinMember = "scheduling.volcano.sh/group-min-member";
/// PyTorch's words for the least number of workers that a run of torchrun goes on with, on workloads whose workers may
/// come and go: a minimum where the one above says none. Volcano does not read it.
inline constexpr std::string_view kElasticMinReplicas = "elastic.pytorch.org/min-replicas";
inline constexpr std::string_view kVolcanoScheduler = "volcano";

/// How many pods of the controller start together. Nothing: it does not say, or not in a number that makes a
/// difference.
[[nodiscard]] std::optional<std::int32_t> group_minimum(const kube::ObjectMeta& controller);

/// The kinds of controllers that are asked for it.
[[nodiscard]] bool may_have_owner_group(std::string_view kind);

/// "podgroup-<uid>".
[[nodiscard]] std::string owner_group_name(std::string_view controller_uid);

/// The PodGroup of the controller's pods, which it controls. `reference`: to the controller.
[[nodiscard]] kube::VolcanoPodGroup owner_group(const kube::OwnerReference& reference,
                                                const kube::ObjectMeta& controller, std::string_view priority_class,
                                                std::int32_t minimum);

/// Makes these PodGroups, into `expansion.made`, and has the pods name them. O(pods + controllers).
void group_pods_of_owners(const kube::Objects& objects, Expansion& expansion);

}  // namespace loadline::workloads
