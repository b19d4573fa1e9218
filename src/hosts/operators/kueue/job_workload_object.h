#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "foundation/base/result.h"
#include "foundation/document/value.h"
#include "hosts/operators/kueue/held_job.h"
#include "hosts/watching/caches.h"
#include "objects/kube/kueue/configuration.h"

namespace loadline::operators::kueue {

// The Workload of a job as an object. Source: Kueue v0.19.2, ConstructWorkload in
// pkg/controller/jobframework/reconciler.go, NewWorkload in utils.go.

/// What the job's priority is; nothing: its class is not there.
[[nodiscard]] std::optional<queue::kueue::WorkloadPriority> priority_of(const HeldJob& job,
                                                                        const queue::kueue::JobPodSets& sets,
                                                                        const watching::Caches& caches);

[[nodiscard]] document::Value workload_document(const HeldJob& job, const queue::kueue::JobPodSets& sets,
                                                const PodSetDocuments& documents,
                                                const queue::kueue::WorkloadPriority& priority,
                                                const kube::KueueConfiguration& configuration);

/// An object that makes the Workload of a group of its pods, before they are there; once they come, they own it, too.
struct GroupOwner {
  const watching::KindName& kind;
  const kube::ObjectMeta& metadata;
};
/// `name`: of the Workload, and of the group. Source: NewGroupWorkload in pkg/controller/jobs/pod/pod_controller.go.
[[nodiscard]] document::Value group_workload_document(const GroupOwner& owner, std::string_view name,
                                                      const queue::kueue::JobPodSets& sets,
                                                      const PodSetDocuments& documents,
                                                      const queue::kueue::WorkloadPriority& priority,
                                                      const kube::KueueConfiguration& configuration);
/// The priority of its Workloads; nothing: its class is not there.
[[nodiscard]] std::optional<queue::kueue::WorkloadPriority> priority_of(const GroupOwner& owner,
                                                                        const queue::kueue::JobPodSets& sets,
                                                                        const watching::Caches& caches);

/// Whether the job's label names another class than its Workload has: it may be another while it waits or runs. A
/// Workload that has none, and has quota, cannot get one any more; and one of a PriorityClass does not follow the
/// label.
[[nodiscard]] bool is_of_another_class(const kube::KueueWorkload& workload, const kube::ObjectMeta& job);

// ---- a Workload with one thing changed ----------------------------------------------------------------------------
[[nodiscard]] document::Value with_priority(document::Value workload, const queue::kueue::WorkloadPriority& priority);
[[nodiscard]] document::Value with_queue(document::Value workload, std::string_view queue);
/// The object owns it, with others.
[[nodiscard]] document::Value with_group_owner(document::Value workload, const GroupOwner& owner);
/// The job controls it.
[[nodiscard]] document::Value owned_by(document::Value workload, const HeldJob& job);

/// A member of a group, which owns a Workload with others.
[[nodiscard]] document::Value owner_reference_to(const kube::ObjectMeta& pod);

/// How long the job may run, by its label.
[[nodiscard]] std::optional<std::int32_t> most_seconds_of(const kube::ObjectMeta& job);

/// Why infos do not fit a job.
inline constexpr std::string_view kInvalidInfo = "invalid podset infos";
/// A job that failed to start so can never start.
[[nodiscard]] bool is_permanent(const Error& error);

}  // namespace loadline::operators::kueue
