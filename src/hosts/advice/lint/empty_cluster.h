#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/scheduler.h"
#include "foundation/base/result.h"
#include "objects/kube/objects.h"

namespace loadline::advice::lint {

/// Nodes by their number in EmptyCluster::nodes(), ascending.
using NodeNumbers = std::vector<std::size_t>;

/// How many equal pods an empty cluster holds, and what kept the next one out.
struct Room {
  std::size_t pods = 0;
  std::string blocker;  ///< the plugin that refused most of the nodes that took one; empty: all fit
};

/// The cluster's nodes with nothing on them, in good health: what could ever run, as far as nodes go.
///
/// Left out of the nodes: cordons and the taints that come and go with a node's state (node.kubernetes.io/*, the
/// autoscaler's). Left out of the pods: volumes, claims, gates, and affinity to other pods.
/// Every answer is the scheduler's, `placement::Scheduler`. Not thread safe: questions place pods and unplace them
/// again.
class EmptyCluster {
 public:
  /// Errors: the scheduler configuration is inconsistent. Extenders are not called, nor plugins from libraries.
  static Result<std::unique_ptr<EmptyCluster>> make(const kube::Objects& objects,
                                                    const kube::SchedulerConfiguration& configuration);

  /// The nodes as judged, in order of input.
  [[nodiscard]] const std::vector<kube::Node>& nodes() const { return nodes_; }

  /// Nodes whose own facts (labels, taints, resources) let a pod of that spec run. O(nodes × filters).
  [[nodiscard]] NodeNumbers takers(const kube::Pod& pod);
  /// The same by selector and node affinity alone; by resources alone.
  [[nodiscard]] NodeNumbers selected(const kube::Pod& pod);
  [[nodiscard]] NodeNumbers large_enough(const kube::Pod& pod);
  /// The resources that such a pod needs a node to have: its profile may ignore some that it requests.
  [[nodiscard]] std::set<std::string> demanded(const kube::Pod& pod);

  /// Places up to `wanted` pods like `pod` one after the other. Spread constraints, host ports and affinity among
  /// themselves count. `takers` is takers(pod). O(wanted × a decision).
  [[nodiscard]] Room room_for(const kube::Pod& pod, std::size_t wanted, const NodeNumbers& takers);

  /// Nodes that match one term of node affinity.
  [[nodiscard]] NodeNumbers matching(const kube::NodeSelectorTerm& term);

 private:
  explicit EmptyCluster(std::vector<kube::Node> nodes) : nodes_(std::move(nodes)) {}

  [[nodiscard]] std::string blocker_of(cluster::PodId pod, const NodeNumbers& takers);
  [[nodiscard]] NodeNumbers ask(const kube::Pod& pod, const kube::PodSpec& spec);
  [[nodiscard]] kube::Pod prepared(const kube::Pod& pod, const kube::PodSpec& spec);

  std::vector<kube::Node> nodes_;
  cluster::Cluster cluster_;
  std::optional<placement::Scheduler> scheduler_;
  std::string default_scheduler_;  // the profile that is asked about pods of schedulers that are not configured
};

}  // namespace loadline::advice::lint
