#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/countable_demand.h"
#include "brain/placement/cycle.h"
#include "brain/placement/extensions.h"
#include "brain/placement/fit_error.h"
#include "brain/placement/plugin_registry.h"
#include "brain/placement/preemption.h"
#include "brain/placement/profile.h"
#include "brain/placement/search_cache.h"
#include "brain/placement/switches.h"
#include "foundation/base/result.h"
#include "objects/kube/config/scheduler_configuration.h"

namespace loadline::placement {

/// What became of one pod's turn.
struct Decision {
  Attempt attempt;
  Preemption preemption;                      ///< searched for only if the attempt failed
  std::shared_ptr<const FitError> fit_error;  ///< of a failed attempt: what is told of both

  bool asked_extenders = false;  ///< the next time they may answer differently
  std::vector<ExtenderTrouble> extender_troubles;
};

/// What the pod is told; empty: it was placed.
std::string text(const Decision& decision);

/// A decision in full, and all that keeps the pod from each node, where a decision names a node's first rejection only.
struct Examination {
  Decision decision;
  /// By node; empty: the pod fits there, or the search does not come to the node (Attempt::absent). No entries if the
  /// pod was refused as a whole.
  std::vector<std::vector<Obstacle>> obstacles;
};

/// Asks a profile's plugins where a pod should go, and which pods it may evict. It decides; the caller places,
/// nominates and evicts in the cluster.
class Scheduler {
 public:
  /// Errors: a profile is inconsistent, or an extension cannot work with its configuration.
  /// `built_in` is engine::registry(), or what a test has in its place.
  static Result<Scheduler> make(cluster::Cluster& cluster, PluginRegistry built_in,
                                const kube::SchedulerConfiguration& configuration, const Extensions& extensions = {},
                                const Switches& switches = {});

  /// Adds the profile, or puts it in the place of the one that answers to the same name; between decisions. Errors: the
  /// profile is inconsistent, or an extension cannot work with it; then nothing has changed.
  Result<void> set_profile(const kube::SchedulerConfiguration& configuration, const kube::SchedulerProfile& settings,
                           const Extensions& extensions = {});
  /// REQUIRES: the caller asks for no decision about a pod of that scheduler any more.
  void remove_profile(std::string_view scheduler_name);

  /// What the policy says to all profiles, those of later too; from the next decision on. What is remembered from pod
  /// to pod stays true: it is about nodes, and only how many of them are looked at changes.
  void set_switches(const Switches& switches);

  /// The profile that answers to the name, or null. Valid until it is replaced or removed.
  [[nodiscard]] const Profile* profile(std::string_view scheduler_name) const;
  /// That of the pod's scheduler. REQUIRES: profile() knows it.
  [[nodiscard]] const Profile& profile_of(cluster::PodId pod) const { return *entry_of(pod).profile; }

  /// What pods of the shape demand by numbers, under the profile of their scheduler; nothing is counted where no
  /// profile answers to it. Valid until profiles change, or the cluster is reclaimed. Amortised O(1).
  const CountableDemand& demand_of(cluster::ShapeId shape);
  const CountableDemand& demand_of(cluster::PodId pod) { return demand_of(cluster_->pod(pod).shape); }

  /// Why the pod may not enter the queue yet, or nothing.
  [[nodiscard]] std::optional<Rejection> gate(const kube::Pod& pod) const;

  /// The same for a pod that the cluster knows, as far as it waits for other pods: those of its group. REQUIRES:
  /// profile() knows the pod's scheduler.
  [[nodiscard]] std::optional<Rejection> gate(cluster::PodId pod) const;

  /// One scheduling cycle, and after a failed one the search for victims. REQUIRES: profile() knows the pod's
  /// scheduler.
  Decision decide(cluster::PodId pod, Detail detail = Detail::kDecision, Search preemption = Search::kAsConfigured);
  /// The same, into a Decision that is empty: it is large.
  void decide(cluster::PodId pod, Detail detail, Search preemption, Decision& decision);

  /// The cycle over these nodes alone, as if the cluster had no others: they are what a message counts. Nobody is
  /// preempted, and the reasons say so where `preemption` asks for a search.
  /// REQUIRES: as decide(); the nodes are in scan order, and not none.
  void decide_within(cluster::PodId pod, std::span<const cluster::NodeId> nodes, Detail detail, Search preemption,
                     Decision& decision);

  /// Those of the nodes, in their order, on which the pod fits as the cluster stands: nothing is scored, and nobody
  /// would be evicted. Room that reservations hold is not for it. O(nodes × filters). REQUIRES: as decide().
  std::vector<cluster::NodeId> fitting(cluster::PodId pod, std::span<const cluster::NodeId> nodes);

  /// Those of the nodes, in their order, on which the pod fits, or may once other pods have left: see
  /// Cycle::resolvable(). O(nodes × filters). REQUIRES: as decide().
  std::vector<cluster::NodeId> resolvable(cluster::PodId pod, std::span<const cluster::NodeId> nodes);

  /// decide() with every detail and over every node. O(nodes × filters). REQUIRES: as decide().
  Examination examine(cluster::PodId pod);

  /// Lets the plugins claim what the pod needs on the node beside room: volumes. Call before placing it. A placeholder
  /// claims nothing.
  void reserve(cluster::PodId pod, cluster::NodeId node);

  /// Why the pod, which was placed, is not to be bound yet, or nothing. REQUIRES: as decide().
  [[nodiscard]] std::optional<Rejection> permit(cluster::PodId pod) const;

  /// Frees, with Cluster::reclaim(), what the cluster and the scheduler remember of pods and shapes that are gone. To
  /// be called now and then in a cluster where pods come and go: see Cluster::reclaimable(). O(what is remembered).
  /// Ids of rejections are given out anew once there are very many: none is to be kept across this call.
  /// REQUIRES: the caller holds no id of a removed pod.
  void reclaim();

  [[nodiscard]] const RejectionTable& rejections() const { return *rejections_; }

 private:
  Scheduler(cluster::Cluster& cluster, PluginRegistry built_in)
      : cluster_(&cluster), built_in_(built_in), rejections_(std::make_shared<RejectionTable>()) {}

  /// A profile, and what is remembered of its decisions.
  struct Entry {
    std::unique_ptr<Profile> profile;
    std::unique_ptr<SearchCache> searches;
  };

  [[nodiscard]] const Entry& entry_of(cluster::PodId pod) const;
  /// How the PostFilter plugins are asked.
  struct PostFiltering {
    Search search = Search::kAsConfigured;
    RankedSearch* ranked = nullptr;
    std::size_t nodes = 0;  ///< of the cluster, as far as the pod sees it
    bool is_part = false;   ///< these are a part of its nodes
  };
  void conclude(Cycle& cycle, const Profile& profile, Decision& decision, const PostFiltering& how);
  std::vector<NoHelp> run_post_filters(Cycle& cycle, const Profile& profile, Decision& decision,
                                       const PostFiltering& how);

  cluster::Cluster* cluster_;
  PluginRegistry built_in_;
  Switches switches_;
  std::vector<Entry> profiles_;
  std::vector<std::unique_ptr<const CountableDemand>> demands_;  // by shape, as far as they were asked for
  std::uint64_t reclaims_ = 0;                                   // of the cluster, that demands_ know of
  std::shared_ptr<RejectionTable> rejections_;
  std::size_t start_ = 0;  // where the next search begins in scan order
};

}  // namespace loadline::placement
