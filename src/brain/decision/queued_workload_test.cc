#include "brain/decision/queued_workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace loadline::decision {
namespace {

using enum WorkloadStage;

constexpr std::array kStages{kPending, kReserved, kChecked, kAdmitted, kLeaving, kFinished};

TEST(QueuedWorkload, StagesFollowEachOther) {
  // By the stage before, in the order of kStages: those that may follow.
  const std::array<std::vector<WorkloadStage>, kStages.size()> following{{
      {kReserved, kFinished},
      {kPending, kChecked, kAdmitted, kFinished},
      {kPending, kAdmitted, kFinished},
      {kLeaving, kFinished},
      {kPending, kFinished},
      {kPending},  // made anew, as a Job that is suspended and resumed after it has ended
  }};
  for (std::size_t before = 0; before < kStages.size(); ++before) {
    for (const WorkloadStage after : kStages) {
      const bool expected = std::ranges::find(following.at(before), after) != following.at(before).end();
      EXPECT_EQ(may_follow(kStages.at(before), after), expected)
          << static_cast<int>(kStages.at(before)) << " → " << static_cast<int>(after);
    }
  }
}

TEST(QueuedWorkload, TellsWhenItsPodsMayStartAndWhenNoLonger) {
  std::vector<WorkloadStage> told;
  QueuedWorkloads workloads([&](const QueuedWorkload& workload) { told.push_back(workload.stage); });
  const WorkloadId id = workloads.open({{"worker", nullptr, 4, 2}});
  EXPECT_EQ(workloads.at(id).pod_sets.front().role, "worker");
  for (const WorkloadStage stage : {kReserved, kPending, kReserved, kChecked, kAdmitted, kLeaving, kPending}) {
    workloads.advance(id, stage);
  }
  EXPECT_EQ(told, (std::vector{kAdmitted, kLeaving}));
  EXPECT_DEATH(workloads.advance(id, kAdmitted), "may_follow");
}

TEST(QueuedWorkload, IsNotForgottenWhileUnitsWaitUnderIt) {
  QueuedWorkloads workloads([](const QueuedWorkload&) {});
  const WorkloadId id = workloads.open({});
  const Unit unit(cluster::PodId{3U});
  workloads.stand_under(id, unit);
  EXPECT_DEATH(workloads.close(id), "waiting");
  workloads.leave(id, unit);
  workloads.close(id);
}

}  // namespace
}  // namespace loadline::decision
