#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/group_name.h"
#include "brain/workloads/expansion.h"
#include "brain/workloads/workload.h"
#include "foundation/base/time.h"
#include "objects/kube/core/pod.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/objects.h"

namespace loadline::workloads {

struct View;

/// A pod that follows one that is gone, and the claims of its StatefulSet that come with it, there already or not.
struct Replacement {
  kube::Pod pod;  ///< without uid, creationTimestamp and the API server's defaults: nothing has created it yet
  std::vector<kube::PersistentVolumeClaim> claims;
};

/// Says what the controllers of lost pods make in their stead: what expand() makes of the same objects, of the template
/// as it stands now, and not a copy of what was lost. So a resize is undone, an OnDelete revision rolls out, and
/// nothing is made for what is suspended, scaled down or finished.
///
/// A pod whose controller is not among the objects is followed by a copy of itself, since nothing is known of the
/// template. Two more things are taken from the lost pod: the group that controllers had it join, and the spec of a
/// StatefulSet's current revision, if the update strategy keeps its ordinal back, for a ControllerRevision is not read.
class Replacements {
 public:
  /// `made`: what controllers have made beyond the objects (Expansion::made). Both outlive this. O(workloads).
  Replacements(const kube::Objects& objects, const kube::Objects& made, std::uint64_t seed);

  /// The pod that follows `gone`, of the top-level `owner`; nothing for a bare pod, a static pod, or if the controller
  /// wants none. StatefulSet: the same name. DaemonSet: for the same node. Job: the same index. Others: a new name;
  /// `number` is one not used before for this controller, below 14,000,000. `siblings`: the other pods of the owner
  /// that controllers still count; finished ones of the objects are known. O(pods of the owner); at first O(pods).
  [[nodiscard]] std::optional<Replacement> replace(const kube::Pod& gone, const WorkloadReference& owner,
                                                   std::vector<const kube::Pod*> siblings, std::uint64_t number) const;

  /// Whether any pod may follow: not one that has no controller, and not the mirror of a static pod. O(owners).
  [[nodiscard]] static bool may_follow(const kube::Pod& gone);

  /// How many of its pods a Job of the objects may lose before it fails, those that failed before taken off; below
  /// zero: it has failed already. Nothing: the pod is of no such Job, or failures are counted by index, or its
  /// podFailurePolicy ignores disruptions. Source: exceedsBackoffLimit and matchPodFailurePolicy in pkg/controller/job.
  [[nodiscard]] std::optional<std::int64_t> losses_left(const kube::Pod& lost) const;

  /// Whether the controller makes the next pod as soon as this one is being deleted. ReplicaSets and Jobs do, unless
  /// podReplacementPolicy says Failed; the others wait until it is gone, for the next one has its name or its node.
  [[nodiscard]] bool follows_at_once(const kube::Pod& leaving) const;

 private:
  void add_joined_groups(const kube::Objects& objects);
  [[nodiscard]] const std::vector<const kube::Pod*>* finished_of(const WorkloadReference& owner) const;
  /// From the controller up to the owner.
  [[nodiscard]] std::vector<WorkloadReference> levels_between(const WorkloadReference& controller,
                                                              const WorkloadReference& owner) const;
  [[nodiscard]] Expansion made_by(const WorkloadReference& workload, const View& view) const;
  [[nodiscard]] Replacement completed(kube::Pod pod, const kube::Pod& gone, const WorkloadReference& controller,
                                      std::uint64_t number) const;
  [[nodiscard]] bool is_known(const WorkloadReference& workload) const { return places_.contains(workload); }

  const kube::Objects& objects_;
  std::uint64_t seed_;
  Owners owners_;
  std::map<WorkloadReference, std::size_t> places_;                     // of workloads in their lists
  std::set<std::pair<std::string, cluster::GroupName>> joined_groups_;  // PodGroups that controllers made
  mutable std::optional<std::map<WorkloadReference, std::vector<const kube::Pod*>>> finished_;  // on first use
};

}  // namespace loadline::workloads
