#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "objects/kube/kueue/workload.h"
#include "objects/kube/kueue/workload_priority_class.h"
#include "objects/kube/meta.h"

namespace loadline::queue::kueue {

// The Workload that Kueue makes of a job. Source: Kueue v0.19.2, pkg/controller/jobframework.

/// "job-train-1a2b3": kind and name, and the first five digits of a digest of them and the uid.
[[nodiscard]] std::string workload_name(std::string_view kind, std::string_view api_version, std::string_view name,
                                        std::string_view uid);

/// The LocalQueue that a job names; empty: none.
[[nodiscard]] std::string_view queue_name_of(const kube::ObjectMeta& job);

/// What a workload's priority is, and whence.
struct WorkloadPriority {
  std::string class_name;
  kube::PriorityClassSource source = kube::PriorityClassSource::kNone;
  std::int32_t value = 0;
};

/// The classes of a cluster.
class WorkloadPriorities {
 public:
  WorkloadPriorities() = default;
  WorkloadPriorities(const WorkloadPriorities&) = delete;
  WorkloadPriorities& operator=(const WorkloadPriorities&) = delete;
  virtual ~WorkloadPriorities() = default;

  /// Of a WorkloadPriorityClass. Nothing: there is none of that name.
  [[nodiscard]] virtual std::optional<std::int32_t> of_workloads(std::string_view class_name) const = 0;
  /// Of a PriorityClass; of an empty name: of the one that counts where none is named, and 0 if there is none. Sets
  /// the name. Nothing: there is none of that name.
  [[nodiscard]] virtual std::optional<std::int32_t> of_pods(std::string& class_name) const = 0;
};

/// The priority of a job's workload: of the WorkloadPriorityClass that it names, or else of the PriorityClass that it
/// names (`own_class`), or else the first of its pod sets that names one, or else the default.
/// Nothing: the class is not there; `missing` is its name.
[[nodiscard]] std::optional<WorkloadPriority> priority_of(const kube::ObjectMeta& job, std::string own_class,
                                                          std::span<const kube::PodSet> pod_sets,
                                                          const WorkloadPriorities& classes, std::string& missing);

/// The Workload of a job of that kind. Its priority is the caller's to set, and what of the job's labels it copies.
[[nodiscard]] kube::KueueWorkload workload_of(std::string_view kind, std::string_view api_version,
                                              const kube::ObjectMeta& job, std::vector<kube::PodSet> pod_sets);

}  // namespace loadline::queue::kueue
