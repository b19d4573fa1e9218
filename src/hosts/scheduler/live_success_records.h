#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "brain/cluster/cluster.h"
#include "brain/workloads/success_records.h"
#include "brain/workloads/workload.h"
#include "hosts/watching/subscriptions.h"

namespace loadline::scheduler {

/// Tells the model what workloads have on record of members of groups that have succeeded, whose pods may be gone, and
/// keeps that as the workloads are in the caches, whichever of a workload, its owner and its group is heard of first.
class LiveSuccessRecords {
 public:
  using OnChange = std::function<void(std::string_view name_space, const cluster::GroupName& group)>;
  /// Calls `changed` for a group that has another minimum by that. All outlive it.
  LiveSuccessRecords(watching::Subscriptions& subscriptions, cluster::Cluster& cluster, OnChange changed);
  LiveSuccessRecords(const LiveSuccessRecords&) = delete;  // listeners point at it
  LiveSuccessRecords& operator=(const LiveSuccessRecords&) = delete;

  /// Whether members that have succeeded count at all; they do from the beginning.
  void set_counting(bool counts);

 private:
  void listen_to_owners(watching::Subscriptions& subscriptions);
  template <class Kind>
  void follow(const watching::ObjectKey& key);
  template <class Kind>
  void follow_controlled(std::string_view uid);
  void take(const workloads::WorkloadReference& workload, workloads::GroupRecords records);
  void tell(const workloads::GroupRecord& record);

  watching::Caches& caches_;
  cluster::Cluster& cluster_;
  OnChange changed_;
  bool counts_ = true;
  std::map<workloads::WorkloadReference, workloads::GroupRecords> said_;  // of workloads that say something
};

}  // namespace loadline::scheduler
