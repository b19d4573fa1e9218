#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/extender_calls.h"
#include "brain/placement/plugin.h"
#include "brain/placement/plugin_states.h"
#include "brain/placement/profile.h"
#include "brain/placement/reason.h"
#include "foundation/base/contract.h"

namespace loadline::placement {

/// A rejection's reasons as obstacles that have nothing to add.
std::vector<Obstacle> obstacles_of(const Rejection& rejection);

/// Distinct rejections, numbered. Id 0 is "passed".
class RejectionTable {
 public:
  RejectionTable();
  RejectionId intern(const Rejection& rejection);
  /// The same for a rejection that has no detail, of which there is one a plugin: O(1).
  RejectionId intern(std::string_view plugin, Code code, ReasonKind kind, const WakeUps& wake_ups);
  /// REQUIRES: the id came from this table.
  [[nodiscard]] const Rejection& at(RejectionId id) const {
    REQUIRES(id.index() < rejections_.size());
    return *rejections_[id.index()];
  }
  [[nodiscard]] std::size_t size() const { return rejections_.size(); }

 private:
  std::map<Rejection, RejectionId> ids_;
  std::vector<const Rejection*> rejections_;
  std::array<RejectionId, static_cast<std::size_t>(ReasonKind::kOther) + 1> plain_;  // by kind; invalid: not yet asked
};

/// How much of an attempt to keep.
enum class Detail : std::uint8_t {
  kDecision,  ///< the choice, and on failure the reasons
  kFull,      ///< also every score, and reasons on success too
};

/// The normalised, weighted scores of one plugin over the feasible nodes.
struct ScoreColumn {
  std::string_view plugin;  ///< or the URL of an extender
  bool skipped = false;
  std::vector<std::int64_t> scores;  ///< in the order of Attempt::feasible; zeros if skipped
};

/// How many nodes were refused with one rejection.
struct RejectionCount {
  RejectionId rejection;
  std::size_t nodes = 0;
  friend bool operator==(const RejectionCount&, const RejectionCount&) = default;
};

/// What one scheduling cycle decided.
struct Attempt {
  cluster::PodId pod;
  cluster::NodeId node;  ///< the choice; invalid: none

  std::vector<cluster::NodeId> feasible;       ///< in scan order; with Detail::kFull
  std::vector<RejectionCount> rejections;      ///< why no node will do, by rejection; with kFull also if one will
  std::vector<RejectionId> rejection_by_node;  ///< by node; an invalid id: not looked at; with kFull, or where looking
                                               ///< at each node found none
  RejectionId absent;                          ///< the rejection of nodes that were not looked at; invalid: none
  std::optional<Rejection> pre_filter;         ///< the pod was refused as a whole
  std::string error;                           ///< a plugin failed; empty: none did

  std::vector<cluster::NodeId> best;  ///< with Detail::kFull: the feasible nodes of the highest score
  std::int64_t best_score = 0;
  bool by_nomination = false;        ///< the nominated node was tried first and fits
  bool by_reservation = false;       ///< room was held for it on the node, which was tried first
  cluster::PodId consumes;           ///< the placeholder that the pod uses up; invalid: none
  std::vector<ScoreColumn> columns;  ///< with Detail::kFull
  std::vector<std::string_view> skipped_filters;
  std::vector<std::string_view> rejecting_plugins;  ///< sorted, distinct
  WakeUps wake_ups;                                 ///< what may help, beside room, a pod that was refused
  std::int64_t examined = 0;                        ///< nodes looked at

  [[nodiscard]] bool scheduled() const { return node.valid(); }
};

class RankedSearch;

/// One pod's way through the framework: PreFilter, nodes that room is held on or that it is nominated to, Filter,
/// PreScore, Score, choice. The cluster is changed only tentatively (nominated pods, placeholders) and is as before
/// when the cycle ends.
class Cycle {
 public:
  Cycle(cluster::Cluster& cluster, const Profile& profile, RejectionTable& rejections, cluster::PodId pod);

  /// Only these nodes are looked at, which are in scan order. REQUIRES: `nodes` outlive the cycle, nothing has run, and
  /// run() is called with a start.
  void confine(std::span<const cluster::NodeId> nodes);

  /// Runs the stages in order. `start` is where in the scan order a search over a share of the nodes begins; it is
  /// moved on as upstream does.
  Attempt run(std::size_t& start, Detail detail);

  /// The same decision over every node, with the help of what is known from earlier pods of the signature, into an
  /// attempt that is empty: it is large.
  void run(RankedSearch& search, Attempt& attempt);

  /// Those of the nodes, in their order, on which the pod fits: PreFilter, and then filter_node() and the extenders. No
  /// other node is looked at. O(nodes × filters). REQUIRES: nothing has run.
  std::vector<cluster::NodeId> fitting(std::span<const cluster::NodeId> nodes);

  /// Those of the nodes, in their order, on which the pod fits, or may once other pods have left: all but those that
  /// are refused for a reason that no eviction resolves. No extender is asked. O(nodes × filters). REQUIRES: nothing
  /// has run.
  std::vector<cluster::NodeId> resolvable(std::span<const cluster::NodeId> nodes);

  /// The filters' answer about one node, kPassed or a rejection: first with the nominated pods of at least the pod's
  /// priority in place, then without. REQUIRES: PreFilter has run.
  RejectionId filter_node(cluster::NodeId node);

  /// All that keeps the pod from the node: what every filter has to say, where filter_node() stops at the first.
  /// REQUIRES: PreFilter has run.
  std::vector<Obstacle> obstacles(cluster::NodeId node);

  /// Tells the plugins of a tentative change that is already visible in the cluster.
  void pod_added(cluster::PodId pod, cluster::NodeId node);
  void pod_removed(cluster::PodId pod, cluster::NodeId node);

  // ---- for plugins -------------------------------------------------------------------------------------------------
  [[nodiscard]] cluster::Cluster& cluster() { return cluster_; }
  [[nodiscard]] const cluster::Cluster& cluster() const { return cluster_; }
  [[nodiscard]] cluster::PodId pod() const { return pod_; }
  [[nodiscard]] const cluster::PodRecord& record() const { return cluster_.pod(pod_); }
  [[nodiscard]] const cluster::PodShape& shape() const { return *shape_; }
  RejectionId reject(const Rejection& rejection) { return rejections_.intern(rejection); }
  [[nodiscard]] const Rejection& rejection(RejectionId id) const { return rejections_.at(id); }
  RejectionId reject(const Plugin& plugin, Code code, ReasonKind kind) {
    return rejections_.intern(plugin.name(), code, kind, plugin.wake_ups());
  }

  [[nodiscard]] const Profile& profile() const { return profile_; }
  /// To Score, no pod runs and no image is on the nodes, see ExtenderCalls::nodes_look_empty().
  [[nodiscard]] bool nodes_look_empty() const { return extenders_.nodes_look_empty(); }

  /// PreScore or Score cannot do its work: the attempt ends with this error.
  void fail(std::string text) { failure_ = std::move(text); }
  [[nodiscard]] const std::string& failure() const { return failure_; }

  /// The plugin's state of this cycle, made on first use. A plugin has one state type for its filters and one for its
  /// scores.
  template <class State>
  State& state(const Plugin* plugin) {
    if (lasting_ != nullptr) {
      if (State* found = lasting_->find<State>(plugin)) return *found;
    }
    if (State* found = states_.find<State>(plugin)) return *found;
    return (making_lasting_ ? *lasting_ : states_).add<State>(plugin);
  }

  // ---- for ranked searches -----------------------------------------------------------------------------------------

  /// While it lives, states that plugins make outlast the cycle: they go into `states`.
  class Lasting {
   public:
    Lasting(Cycle& cycle, PluginStates& states) : cycle_(cycle), before_(cycle.lasting_) {
      cycle_.lasting_ = &states;
      cycle_.making_lasting_ = true;
    }
    ~Lasting() {
      cycle_.lasting_ = before_;
      cycle_.making_lasting_ = false;
    }
    Lasting(const Lasting&) = delete;
    Lasting& operator=(const Lasting&) = delete;

   private:
    Cycle& cycle_;
    PluginStates* before_;
  };
  /// Whether the filter did not skip in this cycle. REQUIRES: PreFilter has run.
  [[nodiscard]] bool takes_part(const Plugin* filter) const;

  [[nodiscard]] ExtenderCalls& extenders() { return extenders_; }

 private:
  std::vector<RejectionId> filter_nodes(std::span<const cluster::NodeId> nodes);
  bool run_pre_filters(Attempt& attempt, std::optional<std::vector<Symbol>>& only_nodes);
  template <class Passes>
  std::vector<cluster::NodeId> nodes_that_pass(std::span<const cluster::NodeId> nodes, Passes&& passes);
  cluster::NodeId try_first(Attempt& attempt);
  bool try_reserved(Attempt& attempt);
  bool try_nominated(Attempt& attempt);
  RejectionId narrowed_by(std::vector<std::string_view> plugins);
  void run_filters(Attempt& attempt, const std::optional<std::vector<Symbol>>& only_nodes, std::size_t& start);
  void ask_extenders(Attempt& attempt);
  void score(Attempt& attempt, Detail detail);
  void choose(Attempt& attempt, const std::vector<std::int64_t>& totals);
  RejectionId run_filter_plugins(cluster::NodeId node);
  void note_rejections(Attempt& attempt) const;
  void note_plugins(Attempt& attempt) const;
  [[nodiscard]] std::size_t feasible_wanted(std::size_t nodes) const;
  [[nodiscard]] bool is_left_out(cluster::NodeId node) const { return !inside_.empty() && !inside_[node.index()]; }

  cluster::Cluster& cluster_;
  const Profile& profile_;
  RejectionTable& rejections_;
  cluster::PodId pod_;
  const cluster::PodShape* shape_;
  PluginStates states_;
  PluginStates* lasting_ = nullptr;
  bool making_lasting_ = false;
  std::string failure_;
  std::vector<const Plugin*> filters_;  // those that did not skip
  bool has_filters_ = false;            // PreFilter has run, so it is known which those are
  std::vector<std::pair<cluster::NodeId, RejectionId>> refused_;
  ExtenderCalls extenders_;
  std::span<const cluster::NodeId> confined_to_;
  std::vector<bool> inside_;  // by node; empty: all are
};

}  // namespace loadline::placement
