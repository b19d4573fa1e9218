#include "app/report/pod_groups.h"

#include <gmock/gmock.h>

namespace loadline::report {
namespace {

using simulator::GroupOutcome;
using simulator::PlannedGroup;

PlannedGroup gang(GroupOutcome outcome, std::int32_t min_count, std::size_t members, std::size_t placed = 0) {
  PlannedGroup group;
  group.name_space = "ml";
  group.name = "train";
  group.outcome = outcome;
  group.is_described = true;
  group.min_count = min_count;
  group.members = members;
  group.placed = placed;
  group.workloads = {{"Job", "ml", "train"}};
  return group;
}

std::string text(const PlannedGroup& group) { return group_text(group).joined(); }

TEST(PodGroups, SayThatTheyStart) {
  EXPECT_EQ(text(gang(GroupOutcome::kStarted, 4, 4, 4)), "starts: 4 of 4 pods have a node");
  EXPECT_EQ(text(gang(GroupOutcome::kStarted, 4, 6, 5)), "starts: 5 of 6 pods have a node; 4 had to start together");
  PlannedGroup running = gang(GroupOutcome::kStarted, 1, 1, 1);
  running.running = 1;
  EXPECT_EQ(text(running), "runs: 1 of 1 pod has a node");
  running.min_count = 3;
  EXPECT_EQ(text(running), "runs: 1 of 1 pod has a node, fewer than the 3 that must start together");
}

TEST(PodGroups, SayWhatStopsTheNextOne) {
  PlannedGroup group = gang(GroupOutcome::kDoesNotFit, 5, 5);
  group.fits = 4;
  group.stopped_by = {4, "train-4", {"Job", "ml", "train"}, "0/2 nodes are available: 2 Insufficient cpu.", {}};
  EXPECT_EQ(text(group),
            "waits: 5 must start together, 4 fit; the 5th does not: 0/2 nodes are available: 2 Insufficient cpu.");
  group.placed = 2;
  group.fits = 1;
  group.hopeful = 1;
  EXPECT_EQ(
      group_text(group).headline,
      "waits: 5 must start together, 2 have a node, 1 more fits, 1 more if others were evicted; the 5th does not");
  group.workloads.push_back({"Job", "ml", "launcher"});
  group.placed = group.fits = group.hopeful = 0;
  EXPECT_EQ(group_text(group).headline, "waits: 5 must start together, none fits (Job ml/train)");
}

TEST(PodGroups, SayThatEvictionsWouldNotDo) {
  PlannedGroup group = gang(GroupOutcome::kDoesNotFit, 3, 3);
  group.fits = 1;
  group.hopeful = 2;
  EXPECT_EQ(
      text(group),
      "waits: 3 must start together, 1 fits, 2 more if others were evicted; even then they would not fit together");
}

TEST(PodGroups, SayThatMembersAreKeptBack) {
  PlannedGroup group = gang(GroupOutcome::kDoesNotFit, 3, 3);
  group.fits = 2;
  group.gated = 1;
  EXPECT_EQ(text(group), "waits: 3 must start together, 2 fit, 1 is held back by scheduling gates");
  group = gang(GroupOutcome::kHeld, 3, 3);
  group.gated = 3;
  EXPECT_EQ(text(group), "waits: 3 must start together, 3 are held back by scheduling gates");
}

TEST(PodGroups, SayWhoIsMissing) {
  PlannedGroup group = gang(GroupOutcome::kHeld, 3, 2);
  EXPECT_EQ(text(group), "waits for more pods: 3 must start together, 2 are there");
  group.rejected = 1;
  EXPECT_EQ(text(group), "waits for more pods: 3 must start together, 2 are there, 1 is rejected at admission");
  EXPECT_EQ(text(gang(GroupOutcome::kHeld, 3, 0)), "has no pods: none names it in spec.schedulingGroup.podGroupName");
  group = gang(GroupOutcome::kHeld, 0, 1);
  group.is_described = false;
  group.min_count.reset();
  EXPECT_EQ(text(group), "waits: there is no PodGroup of that name; 1 pod names it");
}

TEST(PodGroups, WaitForRoomOrAreWrong) {
  PlannedGroup group = gang(GroupOutcome::kWaitsForRoom, 2, 2);
  group.fits = 1;
  group.hopeful = 1;
  EXPECT_EQ(text(group), "waits for room: 2 must start together, 1 fits, 1 more once the pods are gone that it evicts");
  group.evicts = {{"pod group ml/old (8 pods)", 8, 7200}, {"pod ml/dev", 1, 0}};
  EXPECT_THAT(text(group),
              ::testing::EndsWith("it evicts: evicted pod group ml/old (8 pods), pod ml/dev: 2.0 GPU-hours are lost"));
  group.outcome = GroupOutcome::kFailed;
  group.message = "two schedulers";
  EXPECT_EQ(text(group), "cannot be scheduled: two schedulers");
}

TEST(PodGroups, CountAsManyAsYouLike) {
  PlannedGroup group = gang(GroupOutcome::kDoesNotFit, 200, 200);
  group.stopped_by = {0, "p", {"Job", "ml", "train"}, "no", {}};
  for (const auto& [fits, next] : {std::pair(1U, "2nd"),
                                   {2U, "3rd"},
                                   {3U, "4th"},
                                   {10U, "11th"},
                                   {12U, "13th"},
                                   {20U, "21st"},
                                   {110U, "111th"},
                                   {121U, "122nd"}}) {
    group.fits = fits;
    EXPECT_NE(group_text(group).headline.find(std::string("; the ") + next + " does not"), std::string::npos) << next;
  }
}

TEST(PodGroups, HoldOnlyPodsThatWaitForThem) {
  simulator::Plan plan;
  plan.groups = {gang(GroupOutcome::kDoesNotFit, 2, 2)};
  const GroupsOfPods groups(plan);
  simulator::PlannedPod pod;
  pod.name_space = "ml";
  EXPECT_EQ(groups.waited_for(pod), nullptr);
  pod.pod_group = "train";
  EXPECT_EQ(groups.waited_for(pod), &plan.groups[0]);
  pod.name_space = "other";
  EXPECT_EQ(groups.waited_for(pod), nullptr);
  plan.groups[0].outcome = GroupOutcome::kStarted;
  pod.name_space = "ml";
  EXPECT_EQ(GroupsOfPods(plan).waited_for(pod), nullptr);
}

}  // namespace
}  // namespace loadline::report
