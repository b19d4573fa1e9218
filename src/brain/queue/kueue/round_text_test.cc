#include "brain/queue/kueue/round_text.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using Policy = testing::QueuePreemptionPolicy;
using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

std::string message_for(World& world, const kube::KueueWorkload& workload) {
  const WorkloadId id = world.submit(workload);
  for (const Decision& it : world.round().decisions) {
    if (it.workload == id) return text(world.scheduler, it);
  }
  return "nothing";
}

TEST(RoundText, TellsOfQuotaThatIsTooSmall) {
  World world;
  world.add(QueueBuilder("q").quotas("f", {{"cpu", "2"}, {"memory", "1Gi"}}));
  EXPECT_EQ(
      message_for(world, WorkloadBuilder("w", "q").pods(3, {{"cpu", "1500m"}, {"memory", "512Mi"}})),
      "couldn't assign flavors to pod set main: insufficient quota for cpu in flavor f, previously considered "
      "podsets requests (0) + current podset request (4500m) > maximum capacity (2), insufficient quota for memory "
      "in flavor f, previously considered podsets requests (0) + current podset request (1536Mi) > maximum "
      "capacity (1Gi)");
}

TEST(RoundText, TellsOfQuotaThatIsInUse) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4").quota("g", "1"));
  world.run(WorkloadBuilder("other", "q").gpus("3"));
  EXPECT_EQ(
      message_for(world, WorkloadBuilder("w", "q").gpus("3")),
      "couldn't assign flavors to pod set main: insufficient quota for gpu in flavor g, previously considered "
      "podsets requests (0) + current podset request (3) > maximum capacity (1), insufficient unused quota for gpu "
      "in flavor f, 2 more needed");
}

TEST(RoundText, TellsWhatKeepsPodsFromFlavors) {
  World world;
  kube::ResourceFlavor spot = testing::flavor("spot");
  spot.node_taints = {{"spot", "yes", kube::TaintEffect::kNoSchedule, {}}};
  world.add(spot)
      .add(testing::flavor("zoned", {{"zone", "a"}}))
      .add(QueueBuilder("q").quota("spot", "4").quota("zoned", "4"));
  WorkloadBuilder workload("w", "q");
  workload.gpus("1").spec().node_selector = {{"zone", "b"}};
  EXPECT_EQ(
      message_for(world, workload),
      "couldn't assign flavors to pod set main: flavor zoned doesn't match node affinity, untolerated taint {spot "
      "yes NoSchedule <nil>} in flavor spot");
}

TEST(RoundText, TellsOfResourcesThatAreNotDeclared) {
  World world;
  world.add(QueueBuilder("q").quota("f", "4"));
  EXPECT_EQ(message_for(world, WorkloadBuilder("w", "q").pods(1, {{"tpu", "1"}})),
            "couldn't assign flavors to pod set main: resource tpu unavailable in ClusterQueue");
}

TEST(RoundText, TellsOfVictims) {
  World world;
  world.add(QueueBuilder("q").cohort("C").quota("f", "4").within(Policy::kLowerPriority));
  world.add_cohort("C", "R");
  const WorkloadId low = world.run(WorkloadBuilder("low", "q").gpus("4").priority(-3));
  WorkloadBuilder high("high", "q");
  high.gpus("4").priority(7).object().metadata.labels = {{"kueue.x-k8s.io/job-uid", "j"}};
  EXPECT_EQ(message_for(world, high),
            "couldn't assign flavors to pod set main: insufficient unused quota for gpu in flavor f, 4 more needed. "
            "Pending the preemption of 1 workload(s)");
  const WorkloadId by = world.scheduler.workloads().find("ns/high");
  const Victim victim{low, PreemptionReason::kInClusterQueue};
  const std::string message =
      "Preempted to accommodate a workload (UID: high, JobUID: j) due to prioritization in the ClusterQueue; preemptor "
      "path: /R/C/q; preemptee path: /R/C/q";
  EXPECT_EQ(preempted_text(world.scheduler, by, victim), message);
  const std::string priorities =
      "; preemptor effective priority: 7 (base: 7, boost: 0); preemptee effective priority: -3 (base: -3, boost: 0)";
  EXPECT_EQ(preempted_event_text(world.scheduler, by, victim), message + priorities);
  EXPECT_EQ(preempting_event_text(world.scheduler, by, victim),
            "Preempted workload ns/low (UID: low) in ClusterQueue q" + priorities);
  EXPECT_NE(preempted_text(world.scheduler, low, victim).find("JobUID: UNKNOWN"), std::string::npos);
}

TEST(RoundText, TellsWhatHeadsMissedByEachOther) {
  World world;
  world.add(QueueBuilder("l").cohort("C").quota("f", "1"));
  world.add(QueueBuilder("a").cohort("C").quota("f", "0")).add(QueueBuilder("b").cohort("C").quota("f", "0"));
  world.submit(WorkloadBuilder("a1", "a").gpus("1"));
  EXPECT_EQ(message_for(world, WorkloadBuilder("b1", "b").gpus("1")),
            "Workload no longer fits after processing another workload");
}

TEST(RoundText, TellsWhichFlavorsWereConsidered) {
  World world;
  world.scheduler.tell_attempts(true);
  world.add(QueueBuilder("l").cohort("C").quota("b", "4"));
  world.add(QueueBuilder("q").cohort("C").quota("a", "2").quota("b", "0"));
  world.submit(WorkloadBuilder("w", "q").gpus("3"));
  const Round round = world.round();
  EXPECT_EQ(reservation_text(world.scheduler, round.decisions.at(0), Duration{2'600'000'000}),
            "Quota reserved in ClusterQueue q, wait time since queued was 3s; Flavors considered: main: "
            "a(NoFit;insufficient quota for gpu in flavor a, previously considered podsets requests (0) + current "
            "podset request (3) > maximum capacity (2)), b(Fit;borrow=1)");
  world.submit(WorkloadBuilder("v", "q").gpus("2"));
  EXPECT_EQ(reservation_text(world.scheduler, world.round().decisions.at(0), {}),
            "Quota reserved in ClusterQueue q, wait time since queued was 0s");
}

TEST(RoundText, TellsWhyAQueueIsNotActive) {
  World world;
  QueueBuilder queue("q");
  queue.quota("f", "4").object().admission_checks = {{"check", {}}, {"away", {}}};
  const auto condition = [&] {
    return active_condition(world.scheduler.queues().at(world.scheduler.queues().find("q")));
  };
  world.add(queue);
  EXPECT_EQ(condition().reason, "AdmissionCheckNotFound");
  EXPECT_EQ(condition().message, "Can't admit new workloads: references missing AdmissionCheck(s): away,check.");
  kube::AdmissionCheck check;
  check.metadata.name = "check";
  check.conditions.push_back({"Active", "False", 0, {}, "", ""});
  world.scheduler.set(check, world.now);
  queue.object().stop_policy = kube::StopPolicy::kHold;
  world.add(queue);
  world.scheduler.remove_flavor("f", world.now);
  EXPECT_EQ(condition().reason, "Stopped");
  EXPECT_EQ(condition().message,
            "Can't admit new workloads: is stopped, references missing ResourceFlavor(s): f, references missing "
            "AdmissionCheck(s): away, references inactive AdmissionCheck(s): check.");
  queue.object().stop_policy = kube::StopPolicy::kNone;
  queue.object().admission_checks.pop_back();
  check.conditions[0].status = "True";
  world.scheduler.set(check, world.now);
  world.add(testing::flavor("f")).add(queue);
  EXPECT_TRUE(condition().is_active);
  EXPECT_EQ(condition().message, "Can admit new workloads");
}

}  // namespace
}  // namespace loadline::queue::kueue
