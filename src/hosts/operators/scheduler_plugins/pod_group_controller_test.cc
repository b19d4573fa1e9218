#include "hosts/operators/scheduler_plugins/pod_group_controller.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace loadline::operators {
namespace {

/// The status of a group of pods in these phases.
class CoschedulingStatusTest : public ::testing::Test {
 protected:
  CoschedulingStatusTest() { group_.min_member = 2; }

  const kube::CoschedulingStatus& look(const std::vector<kube::PodPhase>& phases) {
    std::vector<kube::Pod> pods(phases.size());
    std::vector<const kube::Pod*> pointers;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      pods[i].metadata.namespace_ = "ml";
      pods[i].metadata.owner_references = {{"batch/v1", "Job", "train", "u", true}};
      pods[i].status.phase = phases[i];
      pointers.push_back(&pods[i]);
    }
    group_.status = status_of(group_, pointers);
    return group_.status;
  }

  kube::CoschedulingPodGroup group_;
};

using enum kube::PodPhase;

TEST_F(CoschedulingStatusTest, FollowsThePods) {
  EXPECT_EQ(look({}).phase, "Pending");
  EXPECT_EQ(look({kPending}).phase, "Pending");
  EXPECT_EQ(look({kPending, kPending}).phase, "Scheduling");
  EXPECT_EQ(group_.status.occupied_by, "ml/train");
  EXPECT_EQ(look({kRunning, kPending}).phase, "Scheduling");
  EXPECT_EQ(look({kRunning, kRunning}).phase, "Running");
  EXPECT_EQ(group_.status.running, 2);
  EXPECT_EQ(look({kRunning, kSucceeded}).phase, "Running");
  EXPECT_EQ(look({kSucceeded, kSucceeded}).phase, "Finished");
  EXPECT_EQ(look({kRunning, kRunning}).phase, "Finished");  // final
}

TEST_F(CoschedulingStatusTest, FailsOnceAPodHasAndAllHaveBegun) {
  look({});
  look({kPending, kPending});
  EXPECT_EQ(look({kFailed, kPending}).phase, "Scheduling");
  EXPECT_EQ(look({kFailed, kRunning}).phase, "Failed");
  EXPECT_EQ(group_.status.failed, 1);
  EXPECT_EQ(look({kRunning, kRunning}).phase, "Failed");  // final
}

TEST_F(CoschedulingStatusTest, IsPendingAgainWhenPodsAreMissing) {
  look({});
  look({kPending, kPending});
  EXPECT_EQ(look({kRunning}).phase, "Pending");
}

}  // namespace
}  // namespace loadline::operators
