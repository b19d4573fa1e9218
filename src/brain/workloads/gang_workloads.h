#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/training_job.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/leaderworkerset/leader_worker_set.h"
#include "objects/kube/objects.h"
#include "objects/kube/ray/ray_cluster.h"
#include "objects/kube/registry.h"
#include "objects/kube/scheduling/pod_group.h"

namespace loadline::workloads {

// Workloads that are of use only as a whole: JobSets, the groups of LeaderWorkerSets, training jobs of Kubeflow, Ray
// clusters. Their operators make no groups that kube-scheduler knows.
// Example: JobSet train of two Jobs of 4 pods → PodGroup jobset-train with minCount 8, which its 8 pods name.
//
// Some pods are created only once others run, or have a node. Later pods are a part of the group that does not count
// before one of them is there, and then counts as a whole: those of a Job that has a domain to itself, beside its
// first; the workers of such a group of a LeaderWorkerSet, and with startupPolicy LeaderReady; a launcher that waits
// for its workers. Of a JobSet that starts in order, or whose Jobs depend on each other, each replicated job is a group
// of its own; but where the JobSet holds room for its later pods (kHoldsRoom), and no Job waits for another to
// complete, all of it is one group, and each replicated job that waits for another is a later part. A part that waits
// for another to complete needs its room only when that one has given its own back. Source: jobset v0.12.0; lws v0.9.0,
// pkg/schedulerprovider/volcano_provider.go; mpi-operator v0.7.0.

/// The annotation of a workload that starts whole, with the value "true": its author asks for that, or it was created
/// under the policy `gangWorkloads: Whole`.
inline constexpr std::string_view kStartsWhole = "loadline.dev/starts-whole";

/// The annotation of a workload that starts whole and holds room for its later pods, with the value "true": it was
/// created under the policy `laterParts: RoomForTheWhole`. See later_rooms.h.
inline constexpr std::string_view kHoldsRoom = "loadline.dev/holds-room";
[[nodiscard]] bool holds_room(const kube::ObjectMeta& workload);

/// The label by which Ray clusters ask for it.
inline constexpr std::string_view kRayGangs = "ray.io/gang-scheduling-enabled";

/// Pods of a workload that start together, as a PodGroup.
struct WholePart {
  std::string group;  ///< its name
  std::int32_t min_count = 0;
  std::string priority_class;                               ///< empty: nothing is said
  std::vector<cluster::spellings::WrittenPart> later = {};  ///< which of them are created once others run
  std::vector<std::string> starts_after = {};               ///< groups whose pods come before its own
  friend bool operator==(const WholePart&, const WholePart&) = default;
};

/// All groups of the workload. O(parts).
[[nodiscard]] std::vector<WholePart> whole_parts(const kube::JobSet& set);
/// The first `most` of them: each of its groups is one.
[[nodiscard]] std::vector<WholePart> whole_parts(const kube::LeaderWorkerSet& set,
                                                 std::int64_t most = std::numeric_limits<std::int64_t>::max());
[[nodiscard]] std::vector<WholePart> whole_parts(const TrainingView& job);
[[nodiscard]] std::vector<WholePart> whole_parts(const kube::RayCluster& cluster);
template <kube::Framework kFramework>
[[nodiscard]] std::vector<WholePart> whole_parts(const kube::TrainingJob<kFramework>& job) {
  return whole_parts(TrainingView(job));
}

/// The group that a pod of the workload is of, by its labels. Nothing: it starts by itself.
[[nodiscard]] std::optional<WholePart> whole_part_of(const kube::JobSet& set, const kube::ObjectMeta& pod);
[[nodiscard]] std::optional<WholePart> whole_part_of(const kube::LeaderWorkerSet& set, const kube::ObjectMeta& pod);
[[nodiscard]] std::optional<WholePart> whole_part_of(const TrainingView& job, const kube::ObjectMeta& pod);
[[nodiscard]] std::optional<WholePart> whole_part_of(const kube::RayCluster& cluster, const kube::ObjectMeta& pod);
template <kube::Framework kFramework>
[[nodiscard]] std::optional<WholePart> whole_part_of(const kube::TrainingJob<kFramework>& job,
                                                     const kube::ObjectMeta& pod) {
  return whole_part_of(TrainingView(job), pod);
}

/// Whether the workload asks to start whole: by the annotation, a Ray cluster by its label, a job of Kubeflow by a
/// runPolicy.schedulingPolicy, any by naming KAI's scheduler, which makes a PodGroup for each of these kinds. Source of
/// the last: KAI-Scheduler, pkg/podgrouper/podgrouper/plugins.
[[nodiscard]] bool is_marked_whole(const kube::ObjectMeta& workload);
[[nodiscard]] bool is_for_kai(const PodSets& sets);
template <class Kind>
[[nodiscard]] bool asks_to_start_whole(const Kind& object) {
  if (is_marked_whole(object.metadata) || is_for_kai(pod_sets(object))) return true;
  if constexpr (requires { object.spec.run_policy.scheduling_policy; }) {
    return object.spec.run_policy.scheduling_policy.has_value();
  } else {
    return object.metadata.labels.contains(kRayGangs);
  }
}

/// The PodGroup of a part, which the workload controls.
[[nodiscard]] kube::PodGroup group_of_part(const kube::KindInfo& kind, const kube::ObjectMeta& workload,
                                           const WholePart& part);

/// Visits every kind of such workloads that has pods of its own: `act.template operator()<kube::JobSet>()`, ….
template <class Act>
void for_each_whole_kind(Act act) {
  const auto act_on_each = [&]<class... Kinds>() { (act.template operator()<Kinds>(), ...); };
  act_on_each.template operator()<kube::JobSet, kube::LeaderWorkerSet, kube::PyTorchJob, kube::TensorFlowJob,
                                  kube::XgBoostJob, kube::PaddleJob, kube::JaxJob, kube::MpiJob, kube::RayCluster>();
}

/// The workload with the annotation kHoldsRoom.
template <class Kind>
[[nodiscard]] Kind holding_room(Kind workload) {
  workload.metadata.annotations[std::string(kHoldsRoom)] = "true";
  return workload;
}

/// What becomes of later parts of workloads that start whole and have not begun.
enum class LaterParts : std::uint8_t {
  kHoldRoom,
  kComeAsTheyAre,
};

enum class WholeWorkloads : std::uint8_t {
  kThatAsk,  ///< see asks_to_start_whole()
  kAll,
};

/// The group with the minimum that the part has now, and what is said of pods that are created later; nothing: it has
/// that. What had been said of an earlier minimum is about an earlier generation.
[[nodiscard]] std::optional<kube::PodGroup> revised(const kube::PodGroup& group, const WholePart& part);

/// Makes the PodGroups of each of these workloads, into `expansion.made`, and has the pods name them. Pods that name a
/// group already are left alone, and so are workloads that have pods: they have begun without one. Groups that the
/// workload has among the objects are joined, and have the minimum that the workload asks for now
/// (`expansion.revised`). Those that hold room for later parts have Reservations for these made, too, beside the groups
/// that are made. O(pods).
void group_whole_workloads(const kube::Objects& objects, WholeWorkloads which, LaterParts later, Expansion& expansion);

}  // namespace loadline::workloads
