#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "objects/kube/core/pod.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"
#include "objects/kube/ray/ray_job.h"

namespace loadline::workloads {

/// The object a person wrote, under which its pods are shown: "Deployment default/web", or the pod itself.
struct WorkloadReference {
  std::string kind;
  std::string namespace_;
  std::string name;

  /// "Deployment default/web".
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const WorkloadReference&, const WorkloadReference&) = default;
};

/// Follows controller references upward: pod → ReplicaSet → Deployment, pod → Job → JobSet. The controller of a pod, a
/// ReplicaSet or a Job that is not among the objects, or of a kind that we do not know, is the top; other workloads
/// whose controller was not read stand for themselves. Some are told by their names even if they were not read: a
/// ReplicaSet `web-5d4f7c9b8b` of a pod with that pod-template-hash belongs to the Deployment `web`, a Job
/// `nightly-29012345` to a CronJob `nightly` that is among the objects, and to a RayJob that is, its cluster and its
/// submitter; the PodClique of a pod belongs to the PodCliqueSet that the pod's labels name.
/// Cost: indexes the workloads once; then O(log) per pod.
class Owners {
 public:
  explicit Owners(const kube::Objects& objects);

  [[nodiscard]] WorkloadReference owner_of(const kube::Pod& pod) const;
  /// The top above a workload: itself, if nothing controls it.
  [[nodiscard]] WorkloadReference top_of(const WorkloadReference& workload) const;
  /// What controls it, as far as that was read or is told by its name.
  [[nodiscard]] std::optional<WorkloadReference> above(const WorkloadReference& workload) const {
    const auto parent = parents_.find(workload);
    return parent == parents_.end() ? std::nullopt : std::optional(parent->second);
  }
  /// Whether the workload is among the objects.
  [[nodiscard]] bool knows(const WorkloadReference& workload) const { return known_.contains(workload); }

 private:
  void add_leading_pods(const kube::Objects& objects);
  [[nodiscard]] WorkloadReference owner_of_controller(const WorkloadReference& controller,
                                                      const kube::StringMap& pod_labels) const;
  void adopt_children(const kube::RayJob& job, const WorkloadReference& self);
  void adopt_children(const kube::JobSet& set, const WorkloadReference& self);

  std::map<WorkloadReference, WorkloadReference> parents_;  // of what something else controls
  std::set<WorkloadReference> known_;                       // workloads that were read
};

/// For one pod; with many, keep an `Owners`.
[[nodiscard]] WorkloadReference owner_of(const kube::Pod& pod, const kube::Objects& objects);

}  // namespace loadline::workloads
