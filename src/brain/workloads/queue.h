#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "brain/cluster/spellings/group_name.h"
#include "brain/workloads/workload.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/meta.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

// Queues of other projects: which of them decides when a workload may start, before any scheduler sees its pods.
// Nothing of what such a queue decides (quota, order, borrowing, preemption) is decided here yet.
// Source: Kueue 0.19, label kueue.x-k8s.io/queue-name of jobs of every kind, of pods and of pod groups; Volcano 1.15,
// spec.queue of Jobs and PodGroups, scheduling.volcano.sh/queue-name, volcano.sh/queue-name of Ray clusters; KAI 0.9,
// label kai.scheduler/queue, spec.queue of PodGroups.

inline constexpr std::string_view kKueueProject = "Kueue";

struct NamedQueue {
  std::string name;
  std::string_view project;  ///< kKueueProject, "Volcano", "KAI"

  /// "its queue team-a is Kueue's".
  [[nodiscard]] std::string text() const;
  friend bool operator==(const NamedQueue&, const NamedQueue&) = default;
};

/// The queue that labels and annotations name. Volcano's queue `default` is left out, which is everybody's and has no
/// bounds.
[[nodiscard]] std::optional<NamedQueue> queue_in(const kube::ObjectMeta& metadata);

/// The queues of all workloads and pod groups among some objects, also of workloads whose kinds are not known.
class Queues {
 public:
  /// O(workloads and groups).
  explicit Queues(const kube::Objects& objects);

  /// That of the pod: its own, or its group's, its controller's, its top-level owner's. O(log).
  [[nodiscard]] std::optional<NamedQueue> of(const kube::Pod& pod, const WorkloadReference& owner) const;
  /// That of a workload, whether it has pods or not.
  [[nodiscard]] std::optional<NamedQueue> of(const WorkloadReference& workload) const;

 private:
  using GroupKey = std::pair<std::string, cluster::GroupName>;  // of the namespace

  std::map<WorkloadReference, NamedQueue> by_workload_;
  std::map<GroupKey, NamedQueue> by_group_;
};

}  // namespace loadline::workloads
