#pragma once

#include <functional>
#include <map>
#include <set>

#include "brain/cluster/cluster.h"
#include "brain/workloads/expected_runs.h"
#include "hosts/watching/subscriptions.h"
#include "objects/kube/core/pod.h"

namespace loadline::scheduler {

/// Tells the model what workloads say of how long their pods run, where the pods do not say it themselves, and keeps
/// that as the workloads are in the caches. A workload is known before its pods in general; after a restart it may be
/// the other way round.
class LiveExpectedRuns {
 public:
  /// Calls `changed` when pods that are there are expected to run for another time than before. All outlive it.
  LiveExpectedRuns(watching::Subscriptions& subscriptions, cluster::Cluster& cluster, std::function<void()> changed);
  LiveExpectedRuns(const LiveExpectedRuns&) = delete;  // listeners point at it
  LiveExpectedRuns& operator=(const LiveExpectedRuns&) = delete;

  /// The model knows the pod, or what it is now. O(log).
  void follow(cluster::PodId pod, const kube::ObjectMeta& metadata);
  /// REQUIRES: the model knows the pod still.
  void forget(cluster::PodId pod, const kube::ObjectMeta& metadata);

 private:
  void workload_changed(const workloads::WorkloadReference& workload);

  cluster::Cluster& cluster_;
  std::function<void()> changed_;
  workloads::ExpectedRuns runs_;
  /// By their controllers: the pods that do not say it themselves. Those of controllers that run for ever are not here.
  std::map<workloads::WorkloadReference, std::set<cluster::PodId>> pods_;
};

}  // namespace loadline::scheduler
