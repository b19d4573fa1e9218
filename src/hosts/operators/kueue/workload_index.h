#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "hosts/operators/kueue/job_sync.h"
#include "hosts/watching/cache.h"
#include "hosts/watching/object.h"

namespace loadline::operators::kueue {

/// The Workloads of the jobs of one kind, by the name of the job: also of jobs that are gone, whose uids are not known
/// any more.
class WorkloadIndex {
 public:
  explicit WorkloadIndex(std::string kind) : kind_(std::move(kind)) {}

  /// REQUIRES: hears of every change of a Workload.
  void on_change(const watching::Change<kube::KueueWorkload>& change);
  [[nodiscard]] std::vector<WorkloadPtr> of(const watching::ObjectKey& job,
                                            const watching::Cache<kube::KueueWorkload>& workloads) const;

 private:
  std::string kind_;
  std::map<watching::ObjectKey, std::set<std::string>> names_;  // of Workloads, by job
};

}  // namespace loadline::operators::kueue
