#include "brain/engine/admitted_room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "brain/engine/testing/dispatcher_fixture.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::engine {
namespace {

using decision::Fit;
using queue::kueue::RoomAnswer;
using queue::kueue::RoomRequest;
using ::testing::HasSubstr;
using testing::node;
using testing::NodeId;
using testing::pod;
using testing::PodBuilder;
using testing::PodId;

class AdmittedRoomTest : public testing::DispatcherFixture {
 protected:
  AdmittedRoom& room() {
    if (!room_) {
      const auto find_workload = [this](const std::string& name) {
        const auto found = workloads_.find(name);
        return found == workloads_.end() ? nullptr : &found->second;
      };
      const auto find_flavor = [this](std::string_view name) { return name == "f" ? &flavor_ : nullptr; };
      room_.emplace(cluster_, dispatcher(),
                    AdmittedRoom::Host{find_workload, find_flavor, [](const auto&) { return nullptr; },
                                       [](kube::Pod&) { return Result<void>(); }});
    }
    return *room_;
  }
  /// A Workload of so many pods like that one, and what it would be admitted with.
  RoomRequest request(const std::string& name, const PodBuilder& like, std::int32_t count) {
    kube::KueueWorkload& workload = workloads_["default/" + name];
    workload.metadata.namespace_ = "default";
    workload.metadata.name = name;
    workload.queue_name = "queue";
    kube::PodSet& set = workload.pod_sets.emplace_back();
    set.name = "main";
    set.count = count;
    set.template_.spec = like.build().spec;
    RoomRequest request{"default/" + name, {}, {}};
    request.admission.cluster_queue = "queue";
    kube::PodSetAssignment& assigned = request.admission.pod_set_assignments.emplace_back();
    assigned.name = "main";
    assigned.count = count;
    assigned.flavors.emplace("cpu", "f");
    return request;
  }
  /// A pod as the Workload's job makes it.
  static PodBuilder of(const std::string& workload, PodBuilder pod) {
    pod.pod().metadata.annotations[std::string(kube::kWorkloadAnnotation)] = workload;
    pod.pod().metadata.labels[std::string(kube::kPodSetLabel)] = "main";
    return pod;
  }
  [[nodiscard]] std::string node_of(PodId id) const {
    const NodeId on = cluster_.pod(id).node;
    return on.valid() ? std::string(cluster_.node_name(on)) : "";
  }

  kube::ResourceFlavor flavor_;
  std::map<std::string, kube::KueueWorkload> workloads_;
  std::optional<AdmittedRoom> room_;
};

TEST_F(AdmittedRoomTest, HoldsNodesForAllPodsUntilTheyAreThere) {
  add(node("n1").allocatable("cpu", "4"));
  add(node("n2").allocatable("cpu", "4"));
  const RoomRequest train = request("train", pod("w").request("cpu", "3"), 2);
  EXPECT_EQ(room().find(train).fit, Fit::kYes);
  EXPECT_TRUE(cluster_.reservations().empty());
  EXPECT_EQ(room().hold(train).fit, Fit::kYes);

  const PodId other = submit(pod("other").request("cpu", "2").priority(1000).never_preempts());
  take_turns();
  EXPECT_EQ(node_of(other), "");

  const PodId first = submit(of("train", pod("w-0").request("cpu", "3")));
  const PodId second = submit(of("train", pod("w-1").request("cpu", "3")));
  const auto turns = take_turns();
  EXPECT_NE(node_of(first), "");
  EXPECT_NE(node_of(second), "");
  EXPECT_NE(node_of(first), node_of(second));
  for (const decision::Turn& turn : turns) {
    for (const decision::PodTurn& each : turn.pods) EXPECT_FALSE(each.reservation.valid());  // of no object
  }
  EXPECT_TRUE(cluster_.reservations().empty());
}

TEST_F(AdmittedRoomTest, IsForThePodsOfItsWorkloadAlone) {
  add(node("n1").allocatable("cpu", "4"));
  ASSERT_EQ(room().hold(request("train", pod("w").request("cpu", "3"), 1)).fit, Fit::kYes);
  const PodId other = submit(of("eval", pod("e-0").request("cpu", "3")));
  take_turns();
  EXPECT_EQ(node_of(other), "");
  room().let_go("default/train");
  take_turns();
  EXPECT_EQ(node_of(other), "n1");
}

TEST_F(AdmittedRoomTest, SaysForWhichPodsThereIsNone) {
  add(node("n1").allocatable("cpu", "4"));
  add(node("n2").allocatable("cpu", "4"));
  const RoomAnswer answer = room().hold(request("train", pod("w").request("cpu", "3"), 3));
  EXPECT_EQ(answer.fit, Fit::kNo);
  EXPECT_THAT(answer.why,
              HasSubstr("pod set main: 2 of 3 pods find some: 0/2 nodes are available: 2 Insufficient cpu"));
  EXPECT_TRUE(cluster_.reservations().empty());
  EXPECT_EQ(room().times_freed(), 0U);  // or it would be asked again for ever
  const PodId other = submit(pod("other").request("cpu", "4"));
  take_turns();
  EXPECT_EQ(node_of(other), "n1");
}

TEST_F(AdmittedRoomTest, CountsTheNodeLabelsOfTheFlavor) {
  flavor_.node_labels["gpu"] = "a100";
  add(node("n1").allocatable("cpu", "4"));
  EXPECT_EQ(room().find(request("train", pod("w").request("cpu", "1"), 1)).fit, Fit::kNo);
  add(node("n2").allocatable("cpu", "4").label("gpu", "a100"));
  EXPECT_EQ(room().find(request("train2", pod("w").request("cpu", "1"), 1)).fit, Fit::kYes);
}

TEST_F(AdmittedRoomTest, CountsPodsOfWorkloadsThatLeaveAsGone) {
  add(node("n1").allocatable("cpu", "4"));
  const PodId runs = submit(of("low", pod("l-0").request("cpu", "4")));
  take_turns();
  ASSERT_EQ(node_of(runs), "n1");
  RoomRequest train = request("train", pod("w").request("cpu", "2"), 2);
  EXPECT_EQ(room().find(train).fit, Fit::kNo);
  train.leaving = {"default/low"};
  EXPECT_EQ(room().find(train).fit, Fit::kYes);
  EXPECT_EQ(node_of(runs), "n1");
}

TEST_F(AdmittedRoomTest, PodsOfLowerPriorityLeaveForItOnceItsPodsAreThere) {
  add(node("n1").allocatable("cpu", "4"));
  add(node("n2").allocatable("cpu", "4"));
  for (const char* name : {"low-1", "low-2"}) submit(pod(name).request("cpu", "4"));
  take_turns();
  EXPECT_EQ(room().hold(request("train", pod("w").request("cpu", "3").priority(10), 2)).fit, Fit::kAfterEvictions);
  EXPECT_TRUE(cluster_.reservations().empty());
  EXPECT_EQ(room().hold(request("large", pod("w").request("cpu", "3").priority(10), 3)).fit, Fit::kNo);
}

TEST_F(AdmittedRoomTest, WhatStoodOnANodeThatIsLostIsNotHeldElsewhere) {
  const NodeId lost = add(node("n1").allocatable("cpu", "4"));
  add(node("n2").allocatable("cpu", "4"));
  ASSERT_EQ(room().hold(request("train", pod("w").request("cpu", "3"), 2)).fit, Fit::kYes);
  for (const PodId placeholder : cluster_.remove_node(lost)) dispatcher().keeper().displaced(placeholder);
  const PodId first = submit(of("train", pod("w-0").request("cpu", "3")));
  const PodId second = submit(of("train", pod("w-1").request("cpu", "3")));
  take_turns();
  EXPECT_EQ(node_of(first), "n2");
  EXPECT_EQ(node_of(second), "");
  EXPECT_TRUE(cluster_.reservations().empty());
}

TEST_F(AdmittedRoomTest, IsHeldAgainIfABindingIsRefused) {
  dispatcher_.emplace(cluster_, *placement::Scheduler::make(cluster_, registry(), configuration_, extensions_),
                      Refusals::kTold, decision::CarriedOut::kByHost);
  add(node("n1").allocatable("cpu", "4"));
  ASSERT_EQ(room().hold(request("train", pod("w").request("cpu", "3"), 1)).fit, Fit::kYes);
  const PodId first = submit(of("train", pod("w-0").request("cpu", "3")));
  take_turns();
  ASSERT_EQ(node_of(first), "n1");
  dispatcher().release(first);
  const PodId other = submit(pod("other").request("cpu", "3"));
  take_turns();
  EXPECT_EQ(node_of(other), "");
  dispatcher().add(first);
  take_turns();
  EXPECT_EQ(node_of(first), "n1");
  dispatcher().confirm(first);
  EXPECT_TRUE(cluster_.reservations().empty());
}

TEST_F(AdmittedRoomTest, PodsOfAnotherSchedulerAreNotLookedAt) {
  PodBuilder alien = pod("w").request("cpu", "3");
  alien.scheduler("other");
  EXPECT_EQ(room().hold(request("train", alien, 3)).fit, Fit::kYes);
  EXPECT_TRUE(cluster_.reservations().empty());
}

}  // namespace
}  // namespace loadline::engine
