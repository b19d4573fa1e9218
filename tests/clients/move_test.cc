// A move, on paper: room for a pod is held elsewhere before the pod is asked to go, its successor lands there, or
// wherever else it finds room, and nothing is held in the end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"
#include "brain/cluster/testing/seeds.h"
#include "brain/engine/dispatcher.h"
#include "brain/engine/registry.h"
#include "foundation/base/rng.h"

namespace loadline::engine::move {

using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;
using cluster::testing::PodBuilder;

/// One move at a time.
class Mover {
 public:
  Mover(cluster::Cluster& cluster, Dispatcher& dispatcher) : cluster_(cluster), dispatcher_(dispatcher) {}

  /// Asks for room for such a pod, which is proven once a turn has placed the placeholder.
  void reserve(const std::string& mover, PodBuilder like) {
    kube::Reservation asked;
    asked.metadata.name = "move-" + mover;
    asked.selector.emplace().match_labels["moves"] = mover;
    like.pod().metadata.name = asked.metadata.name;
    like.never_preempts();
    room_ = dispatcher_.keeper().open(asked, 0);
    dispatcher_.keeper().keep(room_, asked, {{"", like.build(), 1}});
  }
  [[nodiscard]] bool is_proven() const { return !dispatcher_.keeper().nodes_of(room_).empty(); }
  [[nodiscard]] bool has_landed() const { return dispatcher_.keeper().at(room_).consumed > 0; }

  /// The pod leaves, and its successor waits for its turn.
  PodId evict(PodId pod, const PodBuilder& successor) {
    eviction_ = {};
    eviction_.cause = decision::EvictionCause::kDrain;
    eviction_.pods = {pod};
    eviction_.drained = {cluster_.pod(pod).node};
    for (const auto& [node, pods] : dispatcher_.keeper().nodes_of(room_)) {
      eviction_.landing = decision::Landing::kProven;
      eviction_.places.push_back({pod, cluster_.find_node(node)});
    }
    dispatcher_.evictions().ask(eviction_);
    dispatcher_.leaving(pod);
    cluster_.remove_pod(pod);
    dispatcher_.capacity_freed();
    const PodId id = cluster_.add_pod(successor);
    dispatcher_.add(id);
    return id;
  }
  /// The last one: what was asked for, and where the room was.
  [[nodiscard]] const decision::Eviction& eviction() const { return eviction_; }
  /// Landed or given up: what is still held is free.
  void end() { dispatcher_.keeper().close(room_); }

 private:
  cluster::Cluster& cluster_;
  Dispatcher& dispatcher_;
  cluster::ReservationId room_;
  decision::Eviction eviction_;
};

class Moves : public ::testing::TestWithParam<int> {
 protected:
  Moves() : random_(static_cast<std::uint64_t>(GetParam())) {
    for (int i = 0; i < 4; ++i) cluster_.add_node(cluster::testing::node("n" + std::to_string(i)));
  }

  PodBuilder make() {
    const std::string name = "p" + std::to_string(++made_);
    PodBuilder pod(name);
    return pod.label("moves", name).request("cpu", std::to_string(1 + random_.below(3)));
  }
  PodId add(const PodBuilder& pod) {
    const PodId id = cluster_.add_pod(pod);
    dispatcher_.add(id);
    return id;
  }
  void take_turns() {
    while (const std::optional<Unit> unit = dispatcher_.next()) dispatcher_.take(*unit);
  }
  void add_some() {
    for (std::uint64_t pods = 1 + random_.below(3); pods > 0; --pods) {
      const PodBuilder pod = make();
      const PodId id = add(pod);
      take_turns();
      if (cluster_.pod(id).node.valid()) {
        running_.emplace_back(id, pod);
      } else {
        dispatcher_.withdraw(id);
        cluster_.remove_pod(id);
      }
    }
  }

  void move_one() {
    const std::size_t moved = random_.below(running_.size());
    const auto [pod, like] = running_[moved];
    const NodeId from = cluster_.pod(pod).node;
    kube::Node cordoned = cluster_.node_object(from);
    cordoned.unschedulable = true;
    cluster_.update_node(from, cordoned);
    Mover mover(cluster_, dispatcher_);
    PodBuilder successor = like;
    mover.reserve(successor.pod().metadata.labels.at("moves"), like);
    take_turns();
    if (mover.is_proven()) {
      add_some();  // others may not take the room
      successor.pod().metadata.name += "x";
      const PodId landed = running_[moved].first = mover.evict(pod, successor);
      if (random_.below(2) == 0) {  // a landing elsewhere, it may be
        cluster_.add_node(cluster::testing::node("late" + std::to_string(++made_)));
        dispatcher_.capacity_freed();
      }
      take_turns();
      EXPECT_TRUE(cluster_.pod(landed).node.valid()) << "room was proven before it left";
      EXPECT_EQ(mover.eviction().landing, decision::Landing::kProven);
      EXPECT_EQ(cluster_.pod(landed).node, mover.eviction().places.front().node);
      EXPECT_NE(cluster_.pod(landed).node, from);
      EXPECT_TRUE(mover.has_landed());
    } else {
      EXPECT_EQ(cluster_.pod(pod).node, from) << "without room elsewhere it stays";
    }
    mover.end();
    cordoned.unschedulable = false;
    cluster_.update_node(from, cordoned);
    dispatcher_.capacity_freed();
  }

  void check() const {
    EXPECT_TRUE(cluster_.reservations().empty());
    std::size_t on_nodes = 0;
    for (const NodeId node : cluster_.nodes()) on_nodes += cluster_.pods_on(node).size();
    EXPECT_EQ(on_nodes, running_.size());
  }

  Rng random_;
  cluster::Cluster cluster_;
  Dispatcher dispatcher_{cluster_, *placement::Scheduler::make(cluster_, registry(), kube::SchedulerConfiguration{})};
  std::vector<std::pair<PodId, PodBuilder>> running_;
  int made_ = 0;
};

TEST_P(Moves, EndInAPlaceAndHoldNothing) {
  for (int i = 0; i < 20 && !HasFailure(); ++i) {
    add_some();
    if (!running_.empty()) move_one();
    check();
  }
}

const int kFirst = cluster::testing::number_of("LOADLINE_CLIENT_FIRST_SEED", 0);
INSTANTIATE_TEST_SUITE_P(Seeds, Moves,
                         ::testing::Range(kFirst, kFirst + cluster::testing::number_of("LOADLINE_CLIENT_SEEDS", 20)));

}  // namespace
}  // namespace loadline::engine::move
