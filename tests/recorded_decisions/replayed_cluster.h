#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/cluster/ledgers/transaction.h"
#include "brain/placement/extensions.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/result.h"
#include "recorded_decisions/recorded_case.h"

namespace loadline::recorded_decisions {

/// The cluster of a recorded case, moved from one attempt to the next as the recording says. Every change goes through
/// the cluster's own methods, and only what differs is changed. Errors name what the recording gets wrong.
class ReplayedCluster : public placement::PodObjects, public placement::NodeObjects {
 public:
  /// REQUIRES: the case outlives this.
  explicit ReplayedCluster(const RecordedCase& recorded) : recorded_(recorded) {}

  /// The state before the first attempt. Call once, first.
  Result<void> fill();
  /// Applies the recorded events before the attempt of that sequence number.
  Result<void> advance_to(int sequence);
  /// Nominations as the attempt found them.
  Result<void> set_nominations(const RecordedAttempt& attempt);
  /// What the real scheduler decided, and what became of volumes.
  Result<void> carry_out(const RecordedAttempt& attempt);

  /// From here on all is tentative, until end_group_cycle().
  void begin_group_cycle();
  /// Puts a member where the real scheduler sees it from now on. REQUIRES: begin_group_cycle().
  Result<void> assume(const RecordedAttempt& attempt, placement::Scheduler& scheduler);
  /// None of it happened.
  void end_group_cycle();
  /// What became of a group after its cycle.
  Result<void> carry_out(const RecordedGroupCycle& cycle, std::span<const RecordedAttempt> attempts);

  /// A pod that exists at present, "namespace/name".
  [[nodiscard]] Result<cluster::PodId> pod(const std::string& name) const;
  [[nodiscard]] const kube::Pod& at(cluster::PodId pod) const override { return *pod_objects_.at(pod); }
  [[nodiscard]] const kube::Node& at(cluster::NodeId node) const override { return *node_objects_.at(node); }
  [[nodiscard]] const RecordedCase& recorded() const { return recorded_; }
  [[nodiscard]] cluster::Cluster& cluster() { return cluster_; }
  [[nodiscard]] const cluster::Cluster& cluster() const { return cluster_; }

 private:
  Result<void> add_pod(const kube::Pod& pod);
  Result<void> remove_pod(const std::string& name);
  Result<void> apply(const DeletedPod& event) { return remove_pod(event.pod); }
  Result<void> apply(const AddedPod& event) { return add_pod(event.pod); }
  Result<void> apply(const AddedPodGroup& event);
  Result<void> apply(const DeletedPodGroup& event);
  Result<void> apply(const UpdatedNode& event);
  Result<void> apply(const AddedNode& event);
  Result<void> apply(const UpdatedNamespace& event);
  [[nodiscard]] Result<cluster::NodeId> node(std::string_view name) const;
  [[nodiscard]] Result<std::pair<cluster::PodId, cluster::NodeId>> to_place(const std::string& pod, int node) const;
  Result<void> bind(const std::string& pod, int node);
  void take(const RecordedVolumes& updates);
  Result<void> remove(const std::vector<std::string>& victims);

  const RecordedCase& recorded_;
  cluster::Cluster cluster_;
  std::map<std::string, cluster::PodId, std::less<>> pods_;
  std::map<cluster::PodId, const kube::Pod*> pod_objects_;
  std::map<cluster::NodeId, const kube::Node*> node_objects_;
  std::multimap<std::string, cluster::PodId> waiting_for_node_;  // bound to a node that is not there yet
  std::map<cluster::PodId, cluster::NodeId> nominations_;
  /// A group's cycle, and the nominations before it.
  struct Tentative {
    explicit Tentative(cluster::Cluster& cluster) : transaction(cluster, cluster::Visibility::kSeen) {}
    cluster::Transaction transaction;
    std::map<cluster::PodId, cluster::NodeId> nominations;
  };
  std::optional<Tentative> tentative_;
  std::size_t next_event_ = 0;
  std::int64_t bindings_ = 0;
};

}  // namespace loadline::recorded_decisions
