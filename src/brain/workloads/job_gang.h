#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "objects/kube/batch/batch.h"
#include "objects/kube/objects.h"
#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/scheduling/workload.h"

namespace loadline::workloads {

// Jobs whose pods start together: an Indexed Job with as many completions as pods at once, more than one, gets a
// Workload and a PodGroup of its own, and its pods name the group. A Job whose template names a group, or that a
// Workload names which the Job does not control, is as any Job.
// Example: Job train, parallelism 4, completions 4 → Workload train-7659f5766d, PodGroup
// train-7659f5766d-train-pgt-0-66cc9f69d5 with minCount 4.
// Source: job_scheduling_manager.go in pkg/controller/job, v1.36 (KEP-5547, feature gate WorkloadWithJob).

/// The Workloads of Jobs and the PodGroups of Workloads, by the names by which these refer to each other. Keeps
/// pointers to what it is given.
class GangIndex {
 public:
  GangIndex() = default;
  /// All that are among the objects.
  explicit GangIndex(const kube::Objects& objects);

  void add(const kube::Workload& workload);
  void remove(const kube::Workload& workload);
  void add(const kube::PodGroup& group);
  void remove(const kube::PodGroup& group);

  using Workloads = std::map<std::string, const kube::Workload*, std::less<>>;  // by name
  using Groups = std::map<std::string, const kube::PodGroup*, std::less<>>;
  [[nodiscard]] const Workloads& workloads_of(const kube::ObjectMeta& job) const;
  [[nodiscard]] const Groups& groups_of(const kube::Workload& workload) const;

 private:
  using Name = std::pair<std::string, std::string>;  // of the namespace, of what is referred to
  std::map<Name, Workloads> workloads_;
  std::map<Name, Groups> groups_;
};

/// The Job that a Workload says it is of; empty: of none.
[[nodiscard]] std::string_view job_of(const kube::Workload& workload);

/// What comes next for the gang of a Job.
struct JobGang {
  enum class Next : std::uint8_t {
    kNothing,       ///< its pods are as any pods
    kMakeWorkload,  ///< workload_of()
    kMakeGroup,     ///< group_of(), of `workload`
    kJoinGroup,     ///< its pods name `group`
  };
  Next next = Next::kNothing;
  const kube::Workload* workload = nullptr;
  const kube::PodGroup* group = nullptr;
};

/// `has_pods`: it had pods before, so that it has begun without a group. O(log Workloads).
[[nodiscard]] JobGang gang_of(const kube::Job& job, bool has_pods, const GangIndex& index);

/// The Workload of a Job: one template of a group of all its pods. `uid`: the Job's.
[[nodiscard]] kube::Workload workload_of(const kube::Job& job, std::string_view uid);

/// The group of the Workload's only template. REQUIRES: it has one.
[[nodiscard]] kube::PodGroup group_of(const kube::Job& job, std::string_view uid, const kube::Workload& workload);

}  // namespace loadline::workloads
