#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "brain/queue/kueue/jobs/pod_sets.h"
#include "foundation/base/result.h"
#include "foundation/base/time.h"
#include "foundation/document/value.h"
#include "hosts/operators/kueue/pod_set_documents.h"
#include "hosts/watching/object.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/kueue/workload.h"

namespace loadline::operators::kueue {

// Pods that wait in queues by themselves: single ones, and those of a group, which are one workload. A group has a role
// for each sort of pods, which they carry the digest of. Source: Kueue v0.19.2, pkg/controller/jobs/pod.

using PodPtr = watching::ObjectPtr<kube::Pod>;

/// A label of managed pods, "true", and the finalizer that keeps them until Kueue has seen how they ended.
inline constexpr std::string_view kManagedPod = "kueue.x-k8s.io/managed";
inline constexpr std::string_view kRoleHash = "kueue.x-k8s.io/role-hash";
/// An annotation of pods that are made by an object which is held in them: the framework of its kind.
inline constexpr std::string_view kSuspendedByParent = "kueue.x-k8s.io/pod-suspending-parent";
/// Annotations of the pods of a group, "true": one of each role is enough for it to be queued; it never ends.
inline constexpr std::string_view kFastAdmission = "kueue.x-k8s.io/pod-group-fast-admission";
inline constexpr std::string_view kServing = "kueue.x-k8s.io/pod-group-serving";
/// An annotation of a Workload: it is of a group of pods.
inline constexpr std::string_view kIsGroupWorkload = "kueue.x-k8s.io/is-group-workload";

/// The group that the pod names; empty: none.
[[nodiscard]] std::string_view pod_group_of(const kube::ObjectMeta& pod);
[[nodiscard]] bool is_gated_for_admission(const kube::Pod& pod);
[[nodiscard]] bool is_terminated(const kube::Pod& pod);
/// It runs, has run to its end, or may yet.
[[nodiscard]] bool is_runnable_or_succeeded(const kube::Pod& pod);

/// What of a pod's specification decides where it can run. Source: SpecShape in pkg/util/pod/pod.go.
[[nodiscard]] document::Value shape_of_pod_spec(const document::Value& spec);
/// Eight digits of the shape of the pod's specification. Of the same contents as upstream's, but of another digest.
[[nodiscard]] std::string role_hash_of(const document::Value& pod);
/// As it is written on the pod, or made of it.
[[nodiscard]] std::string role_of_pod(const watching::Observed<kube::Pod>& pod);

/// How many pods the group has, by the annotation of its first pod. Errors, in upstream's words.
[[nodiscard]] Result<std::int64_t> group_size(const kube::ObjectMeta& pod);
/// One pod of each role is enough for the group to be queued.
[[nodiscard]] bool is_admitted_fast(const kube::ObjectMeta& pod);
/// It goes on for ever: pods that end are replaced.
[[nodiscard]] bool is_serving(const kube::ObjectMeta& pod);

/// A set for each role of the pods that are runnable or have succeeded, by name; of a group that is admitted fast, one,
/// of as many as it has.
[[nodiscard]] PodSetDocuments group_documents(const std::vector<PodPtr>& pods);

/// Which pods of a group count.
struct GroupMembers {
  std::vector<PodPtr> kept;
  std::vector<PodPtr> excess;    ///< more than a role has: deleted
  std::vector<PodPtr> replaced;  ///< failed ones that others have taken the places of: let go
  std::int64_t absent = 0;       ///< of those that have to be replaced
};
/// Of a group that has a Workload.
[[nodiscard]] GroupMembers members_of(const std::vector<PodPtr>& pods, const kube::KueueWorkload& workload,
                                      Instant now);
/// Of one that has none yet. Errors: its pods are no group, in upstream's words.
[[nodiscard]] Result<GroupMembers> new_members_of(const std::vector<PodPtr>& pods);

/// Whether the group of such sets is still what the Workload is of: of its roles, and no more pods than it has.
[[nodiscard]] bool is_same_group(const PodSetDocuments& sets, const kube::KueueWorkload& workload);

}  // namespace loadline::operators::kueue
