#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "brain/cluster/cluster.h"
#include "brain/gang/place.h"
#include "brain/gang/search/member_kinds.h"
#include "brain/gang/search/packing.h"
#include "brain/placement/scheduler.h"

namespace loadline::gang {

/// A depth-first search over the model itself, for members that mind each other for more than room: each step puts one
/// member on a node that passes its filters then, and goes on from there.
///
/// 1. Members that mind the order first: any of them next, on any node, those first that find the fewest nodes. What
///    counts is who is where, so a state that was entered is not entered again, whichever way leads there.
/// 2. Then those that mind their neighbours. They only keep others out, so they can as well come after all that mind
///    the order, and among them the order does not matter: the kind that finds the fewest nodes next.
/// 3. Then those that mind room alone, as a packing (packing.h), whose answer is placed through the filters.
///
/// Nodes that are alike and have the same members are tried once. In each state, the cheapest bounds of the packing
/// hold with the nodes that members may go to now, or might later (quick_shortage.h); at the root, all of them. A step
/// that leads to a state that was entered before is seen as such before the cluster changes.
class ModelSearch {
 public:
  /// Everything that is named outlives it. REQUIRES: the caller has a transaction open.
  ModelSearch(cluster::Cluster& cluster, placement::Scheduler& scheduler, const MemberKinds& kinds,
              std::span<const cluster::NodeId> nodes, std::uint64_t budget);

  enum class Outcome : std::uint8_t {
    kFound,
    kFailed,  ///< there is none
    kBudget,
    kDisagree,  ///< the filters refuse what the packing found: its numbers are not all that matters
  };
  /// The cluster is as before on return. To be called once.
  Outcome run();

  /// Where the members go, in an order in which they can be placed. Of kFound.
  [[nodiscard]] const std::vector<Place>& places() const { return path_; }
  /// Of kFailed.
  [[nodiscard]] const Shortage& shortage() const { return shortage_; }
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  /// By kind and node: whether members may go there; of kinds that nothing is asked about, empty.
  using Admissions = std::vector<std::vector<bool>>;

  Outcome descend(Concern phase);
  Outcome try_kind(std::size_t kind, const std::vector<bool>& fits, Concern phase);
  Outcome try_order(const Admissions& fits);
  Outcome try_neighbours(const Admissions& fits);
  Outcome pack_rest(const Packing& packing);
  Outcome place_packed(const PackingResult& packed);
  Outcome leave_out(std::size_t kind, Concern phase);

  [[nodiscard]] Admissions look(Concern phase);
  [[nodiscard]] Admissions reach(const Admissions& fits) const;
  bool spread_reach(std::size_t kind, Admissions& reach) const;
  [[nodiscard]] Packing remaining(const Admissions& admissions) const;
  [[nodiscard]] bool is_met() const;
  [[nodiscard]] bool asks_for_all() const;
  [[nodiscard]] bool has_left(Concern concern) const;
  [[nodiscard]] cluster::PodId next_pod(std::size_t kind) const;
  [[nodiscard]] std::vector<std::size_t> tries(std::size_t kind, const std::vector<bool>& fits) const;
  bool enter(Concern phase);
  bool take_step(std::size_t looks);
  bool take_glance();
  bool is_known(Concern phase);
  void write_key(Concern phase);
  void note(std::size_t kind, std::size_t node);
  void unnote(std::size_t kind, std::size_t node);
  void put(std::size_t kind, std::size_t node);
  void ask(std::size_t kind, std::int64_t sign);

  cluster::Cluster& cluster_;
  placement::Scheduler& scheduler_;
  const MemberKinds& kinds_;
  std::span<const cluster::NodeId> nodes_;
  std::uint64_t budget_;
  std::vector<std::size_t> alike_;  // by node: the first like it
  Admissions room_only_;            // of kinds that mind room alone: nodes that pass their filters at the beginning

  std::vector<const PackingKind*> room_kinds_;     // by kind
  std::vector<std::int64_t> left_;                 // by kind: members that have no node, and are not left out
  std::vector<std::size_t> used_;                  // by kind: members that have one
  PackingDemand demand_;                           // what is still asked for
  std::vector<PackingNode> room_;                  // by node
  std::vector<std::vector<std::size_t>> content_;  // by node: the kinds of the members there, sorted
  std::vector<std::string> chosen_;                // volumes that were chosen for members, in order of the path
  std::vector<Place> path_;
  std::unordered_set<std::string> entered_;
  std::size_t memory_ = 0;
  std::uint64_t steps_ = 0, glances_ = 0;
  std::string key_;                      // of the state that is looked at
  std::vector<std::size_t> used_nodes_;  // for it: those with members, sorted
  Shortage shortage_;
};

}  // namespace loadline::gang
