// What is released never was placed: books and later decisions equal those of a cluster in which it had no turn.
// LOADLINE_RELEASE_SEEDS runs more of these histories, LOADLINE_RELEASE_FIRST_SEED other ones.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/seeds.h"
#include "brain/cluster/testing/volume_books.h"
#include "brain/engine/dispatcher.h"
#include "brain/placement/testing/history.h"

namespace loadline::engine {

using decision::CarriedOut;
using decision::PodTurn;
using decision::Turn;
using decision::Unit;

namespace {

using cluster::NodeId;
using cluster::PodId;

class ReleaseHistory : public placement::testing::History {
 protected:
  void set_up() {
    for (std::uint64_t i = 2 + random_.below(6); i > 0; --i) add(random_.node("first" + std::to_string(i)));
    storage_.set_up(true);
    kube::PodGroup group;
    group.metadata = placement::testing::metadata_of("group");
    group.policy.min_count = 2;
    cluster_.set_pod_group(group);
    for (int i = 0; i < 6; ++i) templates_.push_back(random_template(i));
    for (auto& each : templates_) each.spec().pod_group_name = random_.one_of({"", "", "group"});
    dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), configuration_, extensions_),
                        random_.chance(50) ? Refusals::kTold : Refusals::kUntold, CarriedOut::kByHost);
  }

  /// Room that is given back is last among the pods of its node, so where it was consumed `order` does not count.
  [[nodiscard]] std::string books(bool order) const {
    std::string text;
    for (const NodeId node : cluster_.nodes()) {
      std::string of_node = placement::testing::books_of(cluster_, node);
      if (!order) std::ranges::sort(of_node);
      text += of_node + '\n';
    }
    for (const auto& [pod, object] : objects_.pods) {
      const cluster::GroupId group = cluster_.pod(pod).group;
      if (group.valid()) text += cluster_.pod_text(pod) + ' ' + std::to_string(cluster_.group(group).placed) + '\n';
    }
    return text + placement::testing::books_of_reservations(cluster_) + cluster::testing::books_of(cluster_.volumes());
  }

  ReservationKeeper& keeper() { return dispatcher_->keeper(); }

  /// Room is kept as production does, and the history's books follow.
  void happen_to_reservations() override {
    const std::string name = random_.one_of({"room1", "room2"});
    const auto known = reservations_.find(name);
    if (known == reservations_.end()) {
      const std::string app = random_.one_of({"web", "db", "train"});
      kube::Reservation asked;
      asked.metadata.name = name;
      asked.selector = cluster::testing::selecting("app", app);
      asked.refill = random_.chance(40);
      objects_.reservations[name] = {app, asked.refill};
      cluster::testing::PodBuilder shape = random_.pod(name);
      shape.label("app", app).never_preempts();
      const cluster::ReservationId id = keeper().open(asked, 0);
      reservations_.emplace(name, Reserved{id, asked, shape.build()});
      return keep(reservations_.at(name));
    }
    if (random_.chance(50)) return keep(known->second);
    if (random_.chance(50)) return keeper().let_go(known->second.id);
    keeper().close(known->second.id);
    reservations_.erase(known);
    objects_.reservations.erase(name);
  }

  struct Reserved {
    cluster::ReservationId id;
    kube::Reservation asked;
    kube::Pod placeholder;
  };
  void keep(const Reserved& reserved) {
    keeper().keep(reserved.id, reserved.asked, {{"", reserved.placeholder, 1 + random_.below(4)}});
  }

  void consume(PodId pod, const placement::Decision& decision) override {
    const PodId placeholder = decision.attempt.consumes;
    if (!placeholder.valid()) return;
    const cluster::ReservationId id = cluster_.pod(placeholder).reservation;
    dispatcher_->withdraw(placeholder);
    cluster_.consume(placeholder);
    keeper().consume(pod, placeholder, NodeId{});
    keeper().confirm(pod);
    keeper().refill(id);
  }

  /// What the history knows of placeholders: those that are there.
  void note_placeholders() {
    objects_.placeholders.clear();
    for (const auto& [name, reserved] : reservations_) {
      for (const PodId each : cluster_.reservations().at(reserved.id).placeholders) {
        objects_.placeholders[each] = keeper().placeholder(each);
      }
    }
  }

  /// Nodes went behind the dispatcher's back.
  void line_up_placeholders() {
    for (const auto& [name, reserved] : reservations_) {
      const std::vector<PodId> placeholders = cluster_.reservations().at(reserved.id).placeholders;
      for (const PodId each : placeholders) {
        if (cluster_.pod(each).node.valid()) continue;
        dispatcher_->withdraw(each);
        keeper().displaced(each);
      }
    }
  }

  /// Some pods come, and have their turns; what is left without a place goes.
  void schedule_some() {
    std::vector<PodId> made;
    for (std::uint64_t pods = 1 + random_.below(4); pods > 0; --pods) made.push_back(create());
    dispatcher_->reclaim();  // the history changed the cluster behind the dispatcher's back
    dispatcher_->capacity_freed();
    if (random_.chance(30)) happen_to_reservations();
    line_up_placeholders();
    for (const PodId pod : made) dispatcher_->add(pod);
    for (int turns = 0; turns < 12; ++turns) {
      const std::optional<Unit> unit = dispatcher_->next();
      if (!unit) break;
      take_turn(*unit);
    }
    const std::map<PodId, kube::Pod> pods = objects_.pods;
    for (const auto& [pod, object] : pods) {  // older ones may have lost their nomination
      if (cluster_.pod(pod).node.valid() || cluster_.pod(pod).nominated.valid()) continue;
      if (std::ranges::find(made, pod) != made.end()) dispatcher_->withdraw(pod);
      remove(pod);
    }
  }

  /// Nodes that offer less by now than what is on them: what leaves such a node does not fit there any more.
  [[nodiscard]] std::set<NodeId> overfull_nodes() const {
    std::set<NodeId> overfull;
    for (const NodeId node : cluster_.nodes()) {
      bool is_over = std::cmp_greater(cluster_.pods_on(node).size(), cluster_.allowed_pods(node));
      for (std::size_t i = 0; i < cluster_.resources().size(); ++i) {
        const cluster::ResourceId resource{i};
        is_over = is_over || cluster_.requested(node, resource) > cluster_.allocatable(node, resource);
      }
      if (is_over) overfull.insert(node);
    }
    return overfull;
  }

  [[nodiscard]] std::map<PodId, NodeId> held_room() const {
    std::map<PodId, NodeId> held;
    for (const auto& [name, reserved] : reservations_) {
      for (const PodId each : cluster_.reservations().at(reserved.id).placeholders) {
        if (cluster_.pod(each).node.valid()) held[each] = cluster_.pod(each).node;
      }
    }
    return held;
  }

  /// Of several pods that are released, the first may have left before there was room for its placeholder again.
  void hold_what_waits(const std::map<PodId, NodeId>& held) {
    for (const auto& [placeholder, node] : held) {
      if (cluster_.pod(placeholder).node.valid()) continue;
      dispatcher_->withdraw(placeholder);
      cluster_.place(placeholder, node);
    }
  }

  void take_turn(Unit unit) {
    const std::string before = books(true);
    const std::string before_by_name = books(false);
    const std::set<NodeId> overfull = overfull_nodes();
    const std::map<PodId, NodeId> held = held_room();
    const Turn turn = dispatcher_->take(unit);
    std::vector<PodId> placed;
    bool did_more = false;  // which no release takes back
    bool has_consumed = false;
    for (const PodTurn& pod : turn.pods) {
      if (cluster_.pod(pod.pod).reservation.valid()) return;  // nobody carries out what is decided for a placeholder
      if (pod.node.valid()) placed.push_back(pod.pod);
      did_more = did_more || pod.nominated.valid() || !pod.denominated.empty();
      has_consumed = has_consumed || pod.consumed.valid();
      did_more = did_more || (pod.consumed.valid() && overfull.contains(pod.node));
      EXPECT_EQ(dispatcher_->claims_of(pod.pod) != nullptr, pod.node.valid());
    }
    if (!placed.empty() && !did_more && random_.chance(60)) {
      const bool are_several = placed.size() > 1;
      while (!placed.empty()) {
        const auto each = placed.begin() + static_cast<std::ptrdiff_t>(random_.below(placed.size()));
        dispatcher_->release(*each);
        EXPECT_EQ(dispatcher_->claims_of(*each), nullptr);
        if (random_.chance(50)) waiting_.push_back(*each);
        placed.erase(each);
      }
      if (are_several) hold_what_waits(held);
      EXPECT_EQ(books(!has_consumed), has_consumed ? before_by_name : before);
      ++released_;
      for (const PodId pod : std::exchange(waiting_, {})) dispatcher_->add(pod);
    }
    carry_out(turn);
  }

  /// What was not released becomes a fact.
  void carry_out(const Turn& turn) {
    for (const PodTurn& pod : turn.pods) {
      if (cluster_.pod(pod.pod).nominated.valid()) cluster_.nominate(pod.pod, NodeId{});
      if (!cluster_.pod(pod.pod).node.valid()) continue;
      dispatcher_->confirm(pod.pod);
      storage_.note(pod.volumes);
      start(pod.pod);
    }
    for (const PodTurn& pod : turn.pods) {
      for (const PodId victim : pod.victims) {
        if (objects_.pods.contains(victim)) remove(victim);
      }
    }
  }

  std::optional<Dispatcher> dispatcher_;
  std::map<std::string, Reserved> reservations_;
  std::vector<PodId> waiting_;
  int released_ = 0;
};

TEST_P(ReleaseHistory, LeavesNoTraceOfWhatIsReleased) {
  set_up();
  for (int i = 1; i <= 40 && !HasFailure(); ++i) {
    happen();
    schedule_some();
    note_placeholders();
    if (i % 4 == 0) expect_no_trace();
  }
  expect_counts_to_be_current();
}

const int kFirstSeed = cluster::testing::number_of("LOADLINE_RELEASE_FIRST_SEED", 0);

INSTANTIATE_TEST_SUITE_P(Seeds, ReleaseHistory,
                         ::testing::Range(kFirstSeed,
                                          kFirstSeed + cluster::testing::number_of("LOADLINE_RELEASE_SEEDS", 25)));

}  // namespace
}  // namespace loadline::engine
