#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/ledgers/change_log.h"
#include "brain/placement/cycle.h"
#include "brain/placement/dry_run_memory.h"
#include "brain/placement/facts_view.h"
#include "brain/placement/node_ranking.h"
#include "brain/placement/plugin_states.h"
#include "brain/placement/profile.h"
#include "brain/placement/signature.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

/// A pod's signature in two parts, and how far the plugins' answers about it reach.
struct SignedPod {
  Signature facts;                         ///< what plugins of Locality::kFacts read
  Signature rest;                          ///< what the others read
  std::vector<const Plugin*> on_facts;     ///< of Locality::kFacts
  std::vector<const Plugin*> topological;  ///< of Locality::kTopology; all others are of kNode
};

/// The search for a node, for all pods of one signature and priority, kept from one such pod to the next.
///
/// Plugins are divided by their Locality. Those that look at nodes' facts are asked once, see FactsView. Those that
/// look at one node alone are asked again only about nodes that have changed: the rejection, if any, and the sum of
/// their scores, rank the node. Those whose answers depend on pods elsewhere are asked in every cycle, but only about
/// one node of each class, classes being nodes with equal coordinates: two for anti-affinity on hostnames (with and
/// without such a pod), one a zone for spreading over zones. Scores that are normalised over all nodes are settled
/// among the classes too, for normalising looks at nothing but which raw scores there are. The choice equals that of
/// Cycle::run over every node; what it costs is O(nodes changed since the last pod of the signature · log nodes +
/// classes + late nodes). Late are a few nodes at most that came since all were ranked: these are asked all.
class RankedSearch {
 public:
  /// null: the pod cannot be searched for in this way.
  static std::unique_ptr<RankedSearch> make(Cycle& cycle, const Profile& profile, const SignedPod& pod);

  /// Fills in the choice, or, if no node will do, the rejections. REQUIRES: share() was called, the cycle's pod has
  /// the signature, and the cycle has the plugins' states.
  void run(Cycle& cycle, Attempt& attempt);

  /// Names the view of nodes' facts that the search needs. Searches with equal keys share one.
  [[nodiscard]] const std::string& facts_key() const { return facts_key_; }
  /// REQUIRES: called once, before run().
  void share(std::shared_ptr<FactsView> view) {
    REQUIRES(facts_ == nullptr && view != nullptr);
    facts_ = std::move(view);
  }

  /// What the plugins of Locality::kFacts and kNode remember for the signature.
  [[nodiscard]] PluginStates& states() { return states_; }
  /// By what nodes differ, to such pods.
  [[nodiscard]] const std::vector<Coordinate>& coordinates() const { return coordinates_; }
  /// The profile's filters that did not skip, those of Locality::kTopology unasked.
  [[nodiscard]] const std::vector<const Plugin*>& filters() const { return filters_; }
  /// The profile's PreFilter plugins of Locality::kTopology.
  [[nodiscard]] const std::vector<const Plugin*>& pre_filters() const { return topology_pre_filters_; }
  /// Why the node would not do in the last run(), which found none that would; valid until the cluster changes.
  [[nodiscard]] RejectionId rejection(cluster::NodeId node) const;
  /// The dry runs of preemption by such pods; null: the filters that take part look further than one node, so none can
  /// be kept.
  DryRunMemory* dry_runs(const Cycle& cycle);
  /// Memory held, about.
  [[nodiscard]] std::size_t bytes() const { return ranking_.bytes() + dry_runs_.bytes(); }

 private:
  /// The best node of a class.
  struct Finalist {
    cluster::NodeId node;
    std::uint32_t stands_for;  // nodes of the class
    std::int64_t score;
  };

  explicit RankedSearch(const Signature& signature) : coordinates_(signature.coordinates()) {}
  bool divide_filters(Cycle& cycle, const Profile& profile, const SignedPod& pod);
  void divide_scores(Cycle& cycle, const Profile& profile, const SignedPod& pod);

  void catch_up(Cycle& cycle);
  [[nodiscard]] bool follow_members(const cluster::Cluster& cluster);
  [[nodiscard]] bool is_late(cluster::NodeId node) const;
  void rank(Cycle& cycle, std::span<const cluster::NodeId> nodes);
  void filter(Cycle& cycle, std::span<const cluster::NodeId> nodes);
  void rank_passing(Cycle& cycle);
  std::uint32_t class_of(const NodeRanking::ClassKey& key);
  std::uint32_t kind_of_group(FactsView::Group group);
  void append_coordinates(const cluster::Cluster& cluster, cluster::NodeId node, NodeRanking::ClassKey& key) const;
  void add_node_scores(Cycle& cycle, std::span<const cluster::NodeId> nodes, std::vector<std::int64_t>& sums);

  void find_finalists(Cycle& cycle);
  void look_at(Cycle& cycle, cluster::NodeId node);
  void look_beside(Cycle& cycle, cluster::NodeId own);
  void choose(Cycle& cycle, Attempt& attempt);
  void settle_scores(Cycle& cycle);
  void count_rejections(Attempt& attempt) const;

  std::vector<Coordinate> coordinates_;
  PluginStates states_;
  std::vector<const Plugin*> filters_, node_filters_, topology_filters_, topology_pre_filters_, topology_pre_scores_;
  std::vector<WeightedPlugin> node_scores_;     // of Locality::kNode and not normalised: the rank
  std::vector<const Plugin*> raw_scores_;       // of Locality::kNode and normalised: part of the class
  std::vector<WeightedPlugin> settled_scores_;  // settled among classes in every cycle: the normalised, and topological
  FactsPlugins facts_plugins_;
  std::string facts_key_;
  std::shared_ptr<FactsView> facts_;
  std::uint64_t facts_generation_ = 0;  // of the view, when the nodes were ranked

  NodeRanking ranking_;
  cluster::ChangeLog::Mark caught_up_ = 0;
  std::vector<cluster::NodeId> stale_;  // to be ranked again
  // Nodes that came since all were ranked are few, and looked at one by one: those that are tried in a transaction go
  // as they came, and the ranking does not learn of them.
  std::vector<cluster::NodeId> late_;
  std::size_t runs_with_late_ = 0;
  cluster::ChangeLog::Mark members_seen_ = 0;
  DryRunMemory dry_runs_;

  struct RecentKind {
    NodeRanking::ClassKey key;
    std::uint32_t class_id = 0;
  };
  std::array<RecentKind, 16> recent_kinds_;
  std::vector<std::uint32_t> group_classes_;  // by group, while nothing else tells classes apart

  // Scratch, kept for its memory.
  std::vector<cluster::NodeId> changed_, passing_;
  std::vector<RejectionId> rejections_;
  std::vector<std::int64_t> ranks_, scores_, raw_;
  std::vector<Finalist> finalists_;
  std::vector<RejectionId> class_rejections_;                           // of the last run
  std::vector<std::pair<cluster::NodeId, RejectionId>> refused_aside_;  // nodes set aside, of the last run
};

}  // namespace loadline::placement
