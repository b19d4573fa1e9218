// Room for pods of a group that are created later: it is found with the group's first pods, and held until they come.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/spellings/later_parts.h"
#include "brain/decision/why_text.h"
#include "brain/engine/testing/dispatcher_fixture.h"
#include "brain/workloads/reservation.h"

namespace loadline::engine {
namespace {

using cluster::ReservationId;
using cluster::testing::selecting;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::PodId;

constexpr const char* kRole = "role";

/// Workloads of one driver and, later, two workers; all of them ask for one CPU.
class LaterRooms : public testing::DispatcherFixture {
 protected:
  void add_node(const std::string& name, const std::string& cpus) {
    add(node(name).label("kubernetes.io/hostname", name).allocatable("cpu", cpus).allocatable("pods", "20"));
    dispatcher().capacity_freed();
  }

  static PodBuilder member(const std::string& workload, const std::string& role, std::int32_t priority = 0) {
    return pod(workload + '-' + role)
        .label("workload", workload)
        .label(kRole, role)
        .request("cpu", "1")
        .priority(priority)
        .group(workload);
  }

  /// Its group and the room for its workers, as its controller makes them.
  ReservationId make(const std::string& workload, std::int32_t priority = 0) {
    kube::PodGroup group;
    group.metadata.namespace_ = "default";
    group.metadata.name = workload;
    group.policy.min_count = 3;
    const std::vector<cluster::spellings::WrittenPart> later = {{"workers", 2, {{kRole, "worker", false}}}};
    cluster::spellings::note_order_of_creation(later, {}, group.metadata);
    kube::Reservation asked;
    asked.metadata.namespace_ = "default";
    asked.metadata.name = workload + "-room-0";
    asked.metadata.annotations[std::string(workloads::kStartsWith)] = workload;
    asked.selector = selecting("workload", workload);
    asked.selector->match_labels[kRole] = "worker";
    asked.pods = 2;
    const ReservationId id = dispatcher().keeper().open(asked, 0);
    dispatcher().keeper().keep(id, asked, {{"", member(workload, "worker", priority).build(), 2}});
    cluster_.set_pod_group(group);
    return id;
  }

  PodId driver(const std::string& workload, std::int32_t priority = 0) {
    return submit(member(workload, "driver", priority));
  }
  std::vector<PodId> workers(const std::string& workload) {
    std::vector<PodId> pods;
    for (const char* number : {"0", "1"}) {
      PodBuilder worker = member(workload, "worker");
      worker.pod().metadata.name += number;
      pods.push_back(submit(worker));
    }
    return pods;
  }
  void gone(PodId pod) {
    dispatcher().withdraw(pod);
    cluster_.remove_pod(pod);
    dispatcher().capacity_freed();
  }

  /// "held waiting consumed".
  std::string room(ReservationId id) {
    const cluster::Reservation& reservation = cluster_.reservations().at(id);
    const auto held =
        std::ranges::count_if(reservation.placeholders, [&](PodId each) { return cluster_.pod(each).node.valid(); });
    return std::to_string(held) + ' ' + std::to_string(std::ssize(reservation.placeholders) - held) + ' ' +
           std::to_string(reservation.consumed);
  }
  bool is_placed(PodId pod) { return cluster_.pod(pod).node.valid(); }
};

/// Each would fit by itself, and neither could go on.
TEST_F(LaterRooms, OfTwoOneStartsWithRoomForAllOfItAndTheOtherWaits) {
  add_node("n", "4");
  const ReservationId first = make("first");
  const ReservationId second = make("second");
  const PodId driver_1 = driver("first");
  const PodId driver_2 = driver("second");
  const std::vector<decision::Turn> turns = take_turns();
  EXPECT_TRUE(is_placed(driver_1));
  EXPECT_EQ(room(first), "2 0 0");
  EXPECT_FALSE(is_placed(driver_2));
  EXPECT_EQ(room(second), "0 2 0");
  ASSERT_EQ(turns.back().unit.group, cluster_.pod(driver_2).group);
  EXPECT_THAT(decision::text(cluster_, turns.back().why),
              HasSubstr("waits until there is room for the whole, of which 2 pods are created later"));
}

TEST_F(LaterRooms, PodsThatComeHaveTheRoomThatIsHeldForThem) {
  add_node("n", "3");
  const ReservationId id = make("train");
  driver("train");
  take_turns();
  const PodId stranger = submit(pod("stranger").request("cpu", "1"));
  take_turns();
  EXPECT_FALSE(is_placed(stranger));
  const std::vector<PodId> later = workers("train");
  take_turns();
  EXPECT_EQ(placed(later), 2U);
  EXPECT_EQ(room(id), "0 0 2");
  EXPECT_FALSE(is_placed(stranger));
}

/// Without room for the whole nothing of it is held, and others may have it.
TEST_F(LaterRooms, WhatHasNoRoomForAllOfItHoldsNone) {
  add_node("n", "2");
  const ReservationId id = make("train");
  const PodId waits = driver("train");
  const PodId stranger = submit(pod("stranger").request("cpu", "2"));
  take_turns();
  EXPECT_FALSE(is_placed(waits));
  EXPECT_EQ(room(id), "0 2 0");
  EXPECT_TRUE(is_placed(stranger));
  add_node("m", "3");
  take_turns();
  EXPECT_TRUE(is_placed(waits));
  EXPECT_EQ(room(id), "2 0 0");
}

TEST_F(LaterRooms, PlaceholdersAloneNeverStart) {
  add_node("n", "8");
  const ReservationId id = make("train");
  EXPECT_TRUE(take_turns().empty());
  EXPECT_EQ(room(id), "0 2 0");
}

TEST_F(LaterRooms, TheRoomIsGivenBackWhenTheFirstPartIsGone) {
  add_node("n", "4");
  const ReservationId first = make("first");
  const ReservationId second = make("second");
  const PodId driver_1 = driver("first");
  const PodId driver_2 = driver("second");
  take_turns();
  gone(driver_1);
  take_turns();
  EXPECT_EQ(room(first), "0 2 0");
  EXPECT_TRUE(is_placed(driver_2));
  EXPECT_EQ(room(second), "2 0 0");
}

/// A driver that is replaced beside its workers finds their room as it is; after all have gone, it is found anew.
TEST_F(LaterRooms, AWorkloadThatBeginsAnewFindsRoomForTheWholeAnew) {
  add_node("n", "3");
  const ReservationId id = make("train");
  std::vector<PodId> pods = {driver("train")};
  take_turns();
  for (const PodId worker : workers("train")) pods.push_back(worker);
  take_turns();
  gone(pods[0]);
  pods[0] = driver("train");
  take_turns();
  EXPECT_TRUE(is_placed(pods[0]));
  EXPECT_EQ(room(id), "0 0 2");
  for (const PodId pod : pods) gone(pod);
  const PodId stranger = submit(pod("stranger").request("cpu", "1"));
  take_turns();
  EXPECT_TRUE(is_placed(stranger));
  const PodId again = driver("train");
  take_turns();
  EXPECT_FALSE(is_placed(again));
  EXPECT_EQ(room(id), "0 2 0");
  gone(stranger);
  take_turns();
  EXPECT_TRUE(is_placed(again));
  EXPECT_EQ(room(id), "2 0 0");
}

/// A node is lost with the room on it, and a worker comes: it needs a place, and so does the rest of the room.
TEST_F(LaterRooms, APodThatComesStandsForAPlaceholderThatWaits) {
  add_node("n", "1");
  add_node("m", "2");
  const ReservationId id = make("train");
  const PodId first = driver("train");
  take_turns();
  ASSERT_TRUE(is_placed(first));
  const NodeId lost =
      cluster_.find_node("n") == cluster_.pod(first).node ? cluster_.find_node("m") : cluster_.find_node("n");
  for (const PodId each : cluster_.remove_node(lost)) dispatcher().keeper().displaced(each);
  take_turns();
  const std::string before = room(id);
  const std::vector<PodId> later = workers("train");
  take_turns();
  EXPECT_NE(before, "2 0 0");
  add_node("o", "3");
  take_turns();
  EXPECT_EQ(placed(later), 2U);
  EXPECT_EQ(room(id), "0 0 2");
}

/// What no API server knows is no victim of which a host is told; its room is made use of all the same.
TEST_F(LaterRooms, AGangThatIsEvictedLeavesItsRoomToo) {
  add_node("n", "3");
  const ReservationId id = make("train");
  const PodId low = driver("train");
  take_turns();
  const PodId high = submit(pod("high").request("cpu", "3").priority(10));
  std::vector<PodId> victims;
  for (const decision::Turn& turn : take_turns()) {
    for (const decision::PodTurn& each : turn.pods)
      victims.insert(victims.end(), each.victims.begin(), each.victims.end());
  }
  EXPECT_THAT(victims, ElementsAre(low));
  EXPECT_TRUE(is_placed(high));
  EXPECT_EQ(room(id), "0 2 0");
}

/// The first part is evicted for only if what leaves makes room for the whole.
TEST_F(LaterRooms, EvictionsMakeRoomForTheWhole) {
  add_node("n", "3");
  const PodId small = submit(pod("small").request("cpu", "2"));
  take_turns();
  const ReservationId id = make("train", 10);
  const PodId first = driver("train", 10);
  take_turns();
  EXPECT_TRUE(is_placed(first));
  EXPECT_EQ(room(id), "2 0 0");
  EXPECT_FALSE(cluster_.pod(small).known);
}

}  // namespace
}  // namespace loadline::engine
