#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/diagnostic.h"
#include "foundation/document/value.h"
#include "objects/kube/objects.h"

namespace loadline::kube {

// Groups as Kubernetes 1.35 had them: no object describes a group by itself. A Workload (scheduling.k8s.io/v1alpha1)
// has `podGroups`, and a pod names one of these in `spec.workloadRef`. Pods of one podGroupReplicaKey are a group.
// From 1.36 on a PodGroup is made of a template of the Workload, and pods name that in `spec.schedulingGroup`. Example:
// Workload train with podGroups[0] {name: workers, policy: {gang: {minCount: 4}}} and pods with workloadRef {name:
// train, podGroup: workers, podGroupReplicaKey: "0"} → PodGroup train-workers-0 with minCount 4. Source: KEP-4671,
// staging/src/k8s.io/api/scheduling/v1alpha1/types.go, Kubernetes v1.35.

inline constexpr std::string_view kOlderWorkloadVersion = "scheduling.k8s.io/v1alpha1";

/// Whether that is the Workload of 1.35.
[[nodiscard]] bool is_older_workload(std::string_view api_version, std::string_view kind);

/// The Workload as scheduling.k8s.io/v1alpha2 has it: `podGroups` are `podGroupTemplates`, a `policy` a
/// `schedulingPolicy`.
[[nodiscard]] document::Value as_newer_workload(const document::Value& workload);

/// Which group of a Workload pods are of.
struct WorkloadGroupName {
  std::string name_space;
  std::string workload;
  std::string pod_group;
  std::string replica_key;  ///< empty: the group has no replicas

  /// What the PodGroup is called here: "train-workers-0".
  [[nodiscard]] std::string group() const;
  friend auto operator<=>(const WorkloadGroupName&, const WorkloadGroupName&) = default;
};

/// A pod, or what makes pods, that has a `workloadRef` in its pod spec.
struct NamedInWorkload {
  WorkloadGroupName group;
  std::string path;  ///< "spec.template.spec.workloadRef"
  document::Mark mark;
  document::Value object;          ///< with `schedulingGroup` in its place, unless it has one
  bool has_another_group = false;  ///< it has one
};

/// Nothing: it has none. A few look-ups.
[[nodiscard]] std::optional<NamedInWorkload> named_in_workload(const document::Value& object);

/// A group that pods name so. Stands among the objects that were read, of<ReferenceToWorkload>(), in their order.
struct ReferenceToWorkload {
  WorkloadGroupName group;
  bool has_made_group = false;  ///< the PodGroup of its name is none that was read, but was made of the Workload
};

/// Makes the PodGroups that references name, of what their Workloads say, wherever these were read. A PodGroup of the
/// same name that was read stays. O(references × log objects).
void make_groups_of_references(Objects& objects);

/// Takes back what that made. O(objects × log references).
void forget_groups_of_references(Objects& objects);

}  // namespace loadline::kube
