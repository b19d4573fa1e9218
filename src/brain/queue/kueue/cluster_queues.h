#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/queue/kueue/flavors.h"
#include "brain/queue/kueue/quotas.h"
#include "objects/kube/kueue/admission_check.h"
#include "objects/kube/kueue/cluster_queue.h"
#include "objects/kube/kueue/cohort.h"

namespace loadline::queue::kueue {

/// A ClusterQueue is a leaf of the quota tree.
using QueueId = QuotaNodeId;

/// Resources that a queue gives out together, of one flavor: a resource group, by cells.
struct FlavorGroup {
  std::vector<Symbol> resources;
  std::vector<FlavorId> flavors;   ///< in the order in which they are tried
  std::vector<QuotaCellId> cells;  ///< of flavor f and resource r: cells[f * resources.size() + r]

  [[nodiscard]] QuotaCellId cell(std::size_t flavor, std::size_t resource) const {
    return cells[flavor * resources.size() + resource];
  }
  /// The place of a resource; resources.size(): it covers no such one.
  [[nodiscard]] std::size_t place_of(Symbol resource) const;
};

/// Why a queue admits nothing. What is wrong is named in names.
struct Inactive {
  enum class Code : std::uint8_t {
    kTerminating,  ///< it is being deleted
    kStopped,
    kFlavorNotFound,
    kCheckNotFound,
    kCheckInactive,
    kSeveralMultiKueueChecks,
    kMultiKueuePerFlavor,
    kMultiKueueWithProvisioning,  ///< `names`: the ones, then the others, each joined by commas
    kCohortCycle,                 ///< its cohorts are each other's parents: there is no text upstream
    kTopologyUnsupported,         ///< ours: a flavor has a topology, and places in it are not chosen here
    kMultiKueueUnsupported,
  };
  Code code;
  std::vector<std::string> names = {};  ///< sorted, but flavors: in their order
  friend bool operator==(const Inactive&, const Inactive&) = default;
};

struct ClusterQueue {
  kube::ClusterQueue object;
  std::vector<FlavorGroup> groups;
  bool covers_pods = false;
  std::vector<Inactive> inactive;  ///< empty: it takes part
  /// Grows when quota of it may have become free for its own workloads: limits or members of its tree are others, or a
  /// workload has given back, got or changed its quota.
  std::int64_t generation = 0;
  std::size_t place = 0;  ///< among all(), so by name
};

/// ClusterQueues and Cohorts, compiled into the quota tree. A Cohort that only members name is there as long as it has
/// some; one whose object is deleted stays as such. Where Kueue walks a map, queues and cohorts come by name here.
/// Source: Kueue v0.19.2, pkg/cache/scheduler/{cache,clusterqueue,cohort}.go, pkg/cache/hierarchy.
class ClusterQueues {
 public:
  ClusterQueues(Quotas& quotas, Flavors& flavors) : quotas_(quotas), tree_(quotas.tree()), flavors_(flavors) {}

  // ---- objects, as they come and go: no transaction is open --------------------------------------------------------
  QueueId set(const kube::ClusterQueue& queue);
  void remove_queue(std::string_view name);
  /// The cohort's node.
  QuotaNodeId set(const kube::Cohort& cohort);
  void remove_cohort(std::string_view name);
  void set(const kube::AdmissionCheck& check);
  void remove_check(std::string_view name);
  /// A flavor has come, gone or changed, which Flavors knows already. O(queues).
  void flavors_changed() { look_anew(); }

  [[nodiscard]] Flavors& flavors() { return flavors_; }

  // ---- questions ---------------------------------------------------------------------------------------------------
  /// Invalid: there is none.
  [[nodiscard]] QueueId find(std::string_view name) const { return tree_.find(cluster::QuotaNodeKind::kQueue, name); }
  [[nodiscard]] const ClusterQueue& at(QueueId queue) const { return queues_[queue.index()]; }
  [[nodiscard]] bool is_active(QueueId queue) const { return at(queue).inactive.empty(); }
  /// Rounds pop its heads: it is active, or would be if its cohorts were no circle, which its heads are told then.
  [[nodiscard]] bool has_turns(QueueId queue) const;
  /// The queue has quota of the flavor.
  [[nodiscard]] bool uses(QueueId queue, std::string_view flavor) const;
  /// By name.
  [[nodiscard]] std::span<const QueueId> all() const { return all_; }
  /// The queues of the node's whole tree, by name of cohort and queue on the way down; the node itself if it is one
  /// without a cohort. Nothing: the tree is a circle.
  [[nodiscard]] std::vector<QueueId> of_tree(QuotaNodeId node) const;
  /// Whether a check holds a workload with these flavors up: it is on one of them.
  [[nodiscard]] std::vector<std::string> checks_for(QueueId queue, std::span<const FlavorId> flavors) const;
  [[nodiscard]] const kube::AdmissionCheck* find_check(std::string_view name) const;

  void quota_changed_hands(QueueId queue) { ++queues_[queue.index()].generation; }

 private:
  [[nodiscard]] QuotaNodeId cohort(std::string_view name);
  void move_below(QuotaNodeId node, std::string_view cohort);
  void drop_if_unused(QuotaNodeId cohort);
  [[nodiscard]] Quotas::Limits limits_of(const std::vector<kube::ResourceGroup>& groups);
  [[nodiscard]] FlavorGroup compile(QueueId queue, const kube::ResourceGroup& group);
  void refresh(QuotaNodeId node);
  void number_queues();
  void look_anew();
  void look_anew_at(QueueId queue);
  [[nodiscard]] std::vector<Inactive> look_at(QueueId queue) const;
  void look_at_checks(const ClusterQueue& queue, std::vector<Inactive>& inactive) const;
  void add_queues(QuotaNodeId node, std::vector<QueueId>& queues) const;

  Quotas& quotas_;
  cluster::QuotaTree& tree_;
  Flavors& flavors_;
  std::vector<ClusterQueue> queues_;  // by node
  std::vector<QueueId> all_;
  std::set<QuotaNodeId> explicit_cohorts_;
  std::map<std::string, kube::AdmissionCheck, std::less<>> checks_;
};

}  // namespace loadline::queue::kueue
