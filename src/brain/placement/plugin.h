#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/placement/obstacle.h"
#include "brain/placement/plugin_states.h"
#include "brain/placement/reason.h"
#include "brain/placement/signature.h"
#include "brain/placement/wake_ups.h"

namespace loadline::placement {

class Cycle;

inline constexpr std::int64_t kMaxNodeScore = 100;

/// The points at which a plugin takes part, as configuration names them.
enum class Point : std::uint16_t {
  kPreEnqueue = 1 << 0,
  kQueueSort = 1 << 1,
  kPreFilter = 1 << 2,
  kFilter = 1 << 3,
  kPostFilter = 1 << 4,
  kPreScore = 1 << 5,
  kScore = 1 << 6,
  kReserve = 1 << 7,
  kPermit = 1 << 8,
  kPreBind = 1 << 9,
  kBind = 1 << 10,
};

/// A set of points.
struct Points {
  std::uint16_t bits = 0;
  constexpr Points() = default;
  constexpr Points(Point point) : bits(static_cast<std::uint16_t>(point)) {}  // NOLINT: a point is a set of one
  friend constexpr Points operator|(Points a, Points b) {
    a.bits = static_cast<std::uint16_t>(a.bits | b.bits);
    return a;
  }
  [[nodiscard]] constexpr bool has(Point point) const { return (bits & static_cast<std::uint16_t>(point)) != 0; }
};
constexpr Points operator|(Point a, Point b) { return Points(a) | Points(b); }

/// What PreFilter made of the pod as a whole.
struct PreFilterResult {
  bool skip = false;                              ///< Filter need not run
  std::optional<Rejection> rejection;             ///< no node will do
  std::optional<std::vector<Symbol>> only_nodes;  ///< Filter need look at these names only

  static PreFilterResult go_on() { return {}; }
  static PreFilterResult skipped() { return {true, std::nullopt, std::nullopt}; }
  static PreFilterResult rejected(Rejection rejection) { return {false, std::move(rejection), std::nullopt}; }
};

/// What PostFilter made of a pod that fits nowhere. Plugins answer in turn until one helps or fails.
struct PostFilterResult {
  bool failed = false;  ///< ends the stage with this message alone
  std::string message;
};

/// Nodes that passed the filters; or, where nodes are known to be alike to the plugin, one of each equivalence class.
struct FeasibleNodes {
  std::span<const cluster::NodeId> nodes;
  std::span<const std::uint32_t> alike;  ///< how many nodes each one stands for; empty: itself only

  FeasibleNodes(std::span<const cluster::NodeId> each) : nodes(each) {}     // NOLINT: a list of nodes is one
  FeasibleNodes(const std::vector<cluster::NodeId>& each) : nodes(each) {}  // NOLINT: the same
  FeasibleNodes(std::span<const cluster::NodeId> some, std::span<const std::uint32_t> stand_for)
      : nodes(some), alike(stand_for) {}
  [[nodiscard]] std::size_t count(std::size_t i) const { return alike.empty() ? 1 : alike[i]; }
};

/// One plugin of the scheduling framework. Plugins decide and never act: they read the cluster through the cycle, keep
/// what belongs to one cycle in its state slots, and are otherwise immutable, so one instance serves every cycle.
class Plugin {
 public:
  virtual ~Plugin() = default;

  /// The name configuration uses. REQUIRES: static storage.
  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual Points points() const = 0;

  virtual PreFilterResult pre_filter(Cycle&) const { return {}; }
  /// What Filter, or Score, fails with in a profile that runs the plugin there but not at PreFilter, or PreScore.
  /// Empty: it does without.
  [[nodiscard]] virtual std::string without_pre_filter() const { return {}; }
  [[nodiscard]] virtual std::string without_pre_score() const { return {}; }
  /// kPassed, or why the pod of the cycle may not go to the node (`cycle.reject(...)`).
  virtual RejectionId filter(Cycle&, cluster::NodeId) const { return kPassed; }
  /// filter() of those nodes whose rejection is still kPassed. To be overridden where a loop saves something.
  virtual void filter_each(Cycle& cycle, std::span<const cluster::NodeId> nodes,
                           std::span<RejectionId> rejections) const {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (rejections[i] == kPassed) rejections[i] = filter(cycle, nodes[i]);
    }
  }
  /// Which pods that come or go elsewhere may help a pod that filter() refused. By default none: only room may.
  [[nodiscard]] virtual WakeUps wake_ups() const { return {}; }
  /// All that makes filter() refuse the node, for a reader; adds nothing if it passes. By default the rejection's
  /// reasons.
  virtual void explain(Cycle& cycle, cluster::NodeId node, std::vector<Obstacle>& obstacles) const;
  /// A pod was tentatively put on, or taken off, a node within the cycle (nominated pods, preemption's dry run). The
  /// cluster already shows it; a plugin acts only if its own state needs to follow. Not called for plugins that
  /// skipped.
  virtual void pod_added(Cycle&, cluster::PodId, cluster::NodeId) const {}
  virtual void pod_removed(Cycle&, cluster::PodId, cluster::NodeId) const {}

  /// REQUIRES: the plugin takes part in PostFilter. Preemption is asked for apart: see Profile::preemptor().
  virtual PostFilterResult post_filter(Cycle&) const { return {}; }

  /// False: all scores of this plugin would be equal, so it need not score; or it failed, see Cycle::fail().
  virtual bool pre_score(Cycle&, const FeasibleNodes&) const { return true; }
  /// Raw scores of the feasible nodes, in their order. May fail, see Cycle::fail(), if the plugin is of
  /// Locality::kCluster: what is kept from cycle to cycle cannot fail.
  virtual void score(Cycle&, std::span<const cluster::NodeId>, std::span<std::int64_t>) const {}
  /// Turns raw scores into 0..kMaxNodeScore, in place; what is out of range then fails the attempt.
  virtual void normalize(Cycle&, std::span<const cluster::NodeId>, std::span<std::int64_t>) const {}

  /// Whether normalize() does anything.
  [[nodiscard]] virtual bool normalizes() const { return false; }

  /// Writes down what filter() and score() read of the cycle's pod, and says how far their answers reach. By default no
  /// answer is kept beyond the cycle it was given in.
  virtual Locality sign(Cycle&, Signature&) const { return Locality::kCluster; }

  /// Writes down which facts that many nodes share the answers depend on, if the plugin is of Locality::kFacts.
  virtual void add_shared_facts(const Cycle&, Signature&) const {}

  /// The pod is about to be placed on the node, or no longer is: claims the plugin's own resources (volumes, devices).
  virtual void reserve(Cycle&, cluster::NodeId) const {}

  /// Gates: why the pod may not enter the queue yet. None: it may.
  [[nodiscard]] virtual std::optional<Rejection> pre_enqueue(const kube::PodSpec&) const { return std::nullopt; }
  /// The same, as far as it depends on other pods and not on the pod's spec alone.
  [[nodiscard]] virtual std::optional<Rejection> pre_enqueue(const cluster::Cluster&, cluster::PodId) const {
    return std::nullopt;
  }

  /// Why the pod, which was placed, is not to be bound yet: it waits for other pods. None: it may be.
  [[nodiscard]] virtual std::optional<Rejection> permit(const cluster::Cluster&, cluster::PodId) const {
    return std::nullopt;
  }
};

/// helper.DefaultNormalizeScore: scales to 0..100 of the largest score; `reverse` turns it round.
void normalize_by_maximum(std::span<std::int64_t> scores, bool reverse);

}  // namespace loadline::placement
