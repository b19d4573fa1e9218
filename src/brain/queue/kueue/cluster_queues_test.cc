#include "brain/queue/kueue/cluster_queues.h"

#include <gtest/gtest.h>

#include "brain/queue/kueue/testing/world.h"

namespace loadline::queue::kueue {
namespace {

using testing::QueueBuilder;
using testing::WorkloadBuilder;
using testing::World;

constexpr auto kGroup = cluster::QuotaNodeKind::kGroup;

TEST(ClusterQueues, ACohortThatOnlyMembersNameGoesWithTheLastOfThem) {
  World world;
  world.add(QueueBuilder("a").cohort("C").quota("f", "1")).add(QueueBuilder("b").cohort("C").quota("f", "1"));
  EXPECT_TRUE(world.tree.find(kGroup, "C").valid());
  world.scheduler.remove_queue("a");
  EXPECT_TRUE(world.tree.find(kGroup, "C").valid());
  world.add(QueueBuilder("b").quota("f", "1"));
  EXPECT_FALSE(world.tree.find(kGroup, "C").valid());
}

TEST(ClusterQueues, ACohortWhoseObjectIsDeletedStaysForItsMembersAlone) {
  World world;
  kube::Cohort cohort;
  cohort.metadata.name = "C";
  cohort.parent = "R";
  cohort.resource_groups = static_cast<const kube::ClusterQueue&>(QueueBuilder("x").quota("f", "5")).resource_groups;
  world.scheduler.set(cohort, world.now);
  world.add(QueueBuilder("a").cohort("C").quota("f", "1"));
  const auto most = [&] {
    const QuotaCellId cell = world.scheduler.queues().at(world.scheduler.queues().find("a")).groups[0].cells[0];
    return world.scheduler.quotas().potential(cell);
  };
  EXPECT_EQ(most(), Amount(6));
  EXPECT_TRUE(world.tree.find(kGroup, "R").valid());
  world.scheduler.remove_cohort("C", world.now);
  EXPECT_EQ(most(), Amount(1));
  EXPECT_FALSE(world.tree.find(kGroup, "R").valid());
  EXPECT_TRUE(world.tree.find(kGroup, "C").valid());
}

TEST(ClusterQueues, CohortsInACircleStopTheirQueuesUntilItIsBroken) {
  World world;
  world.add(QueueBuilder("q").cohort("A").quota("f", "4"));
  world.add_cohort("A", "B").add_cohort("B", "A");
  const WorkloadId id = world.submit(WorkloadBuilder("w", "q").gpus("1"));
  EXPECT_EQ(world.settle()["w"], "inactive queue");
  world.add_cohort("B", "").pass(1).settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(ClusterQueues, WaitForTheirFlavorsAndChecks) {
  World world;
  QueueBuilder queue("q");
  queue.quota("f", "4").object().admission_checks = {{"check", {"f"}}};
  world.add(queue);
  const WorkloadId id = world.run(WorkloadBuilder("w", "q").gpus("1"));
  EXPECT_FALSE(world.runs(id));
  kube::AdmissionCheck check;
  check.metadata.name = "check";
  check.conditions.push_back({"Active", "True", 0, {}, "", ""});
  world.scheduler.set(check, world.now);
  world.settle();
  EXPECT_TRUE(world.runs(id));
}

TEST(ClusterQueues, AdmitNothingIntoATopologyOrElsewhere) {
  World world;
  kube::ResourceFlavor racks = testing::flavor("racks");
  racks.topology = "default";
  world.add(racks).add(QueueBuilder("q").quota("racks", "4"));
  EXPECT_FALSE(world.runs(world.run(WorkloadBuilder("w", "q").gpus("1"))));
  kube::AdmissionCheck check;
  check.metadata.name = "away";
  check.controller_name = kube::kMultiKueueController;
  check.conditions.push_back({"Active", "True", 0, {}, "", ""});
  world.scheduler.set(check, world.now);
  QueueBuilder elsewhere("e");
  elsewhere.quota("f", "4").object().admission_checks = {{"away", {}}};
  world.add(elsewhere);
  EXPECT_FALSE(world.runs(world.run(WorkloadBuilder("v", "e").gpus("1"))));
}

TEST(ClusterQueues, SayWhichChecksAWorkloadHas) {
  World world;
  QueueBuilder queue("q");
  queue.quota("f", "4").quota("g", "4").object().admission_checks = {{"all", {}}, {"of-g", {"g"}}};
  world.add(queue);
  const ClusterQueues& queues = world.scheduler.queues();
  const std::vector<FlavorId>& flavors = queues.at(queues.find("q")).groups[0].flavors;
  EXPECT_EQ(queues.checks_for(queues.find("q"), {&flavors[0], 1}), std::vector<std::string>{"all"});
  EXPECT_EQ(queues.checks_for(queues.find("q"), flavors), (std::vector<std::string>{"all", "of-g"}));
}

TEST(ClusterQueues, GenerationsGrowWhenQuotaMayHaveBecomeFree) {
  World world;
  world.add(QueueBuilder("a").cohort("C").quota("f", "4")).add(QueueBuilder("b").cohort("C").quota("f", "4"));
  const ClusterQueues& queues = world.scheduler.queues();
  const auto generation = [&](const char* name) { return queues.at(queues.find(name)).generation; };
  const std::int64_t before = generation("b");
  world.add(QueueBuilder("a").cohort("C").quota("f", "4"));  // the same
  EXPECT_EQ(generation("b"), before);
  world.add(QueueBuilder("a").cohort("C").quota("f", "5"));
  EXPECT_GT(generation("b"), before);
  const std::int64_t since = generation("b");
  const WorkloadId id = world.run(WorkloadBuilder("w", "a").gpus("1"));
  world.scheduler.remove(id, world.now);
  EXPECT_EQ(generation("b"), since);
  EXPECT_GT(generation("a"), since);
}

TEST(ClusterQueues, ThatAreRemovedLeaveNoUsageBehind) {
  World world;
  world.add(QueueBuilder("a").cohort("C").quota("f", "4")).add(QueueBuilder("b").cohort("C").quota("f", "0"));
  world.run(WorkloadBuilder("w", "b").gpus("4"));
  world.submit(WorkloadBuilder("v", "b").gpus("4"));
  world.scheduler.remove_queue("b");
  EXPECT_TRUE(world.runs(world.run(WorkloadBuilder("a1", "a").gpus("4"))));
}

}  // namespace
}  // namespace loadline::queue::kueue
