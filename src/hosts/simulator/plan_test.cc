#include "hosts/simulator/plan.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/node/runtime_class.h"
#include "objects/kube/scheduling/priority_class.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

constexpr Instant kStart = Instant{} + Duration::seconds(1'700'000'000);

struct PlanTest : ::testing::Test {
  kube::Objects objects;
  kube::SchedulerConfiguration configuration;

  PlanTest() {
    for (const auto& [name, value] : {std::pair("low", 10), std::pair("middle", 50), std::pair("high", 100)}) {
      kube::PriorityClass priority_class;
      priority_class.metadata.name = name;
      priority_class.value = value;
      objects.of<kube::PriorityClass>().push_back(priority_class);
    }
  }

  void add(const NodeBuilder& node) { objects.of<kube::Node>().push_back(node); }
  void add(const PodBuilder& pod) { objects.of<kube::Pod>().push_back(pod); }
  void add_replicas(const std::string& name, int replicas, PodBuilder pod_template) {
    kube::ReplicaSet replica_set;
    replica_set.metadata.name = name;
    replica_set.metadata.namespace_ = "default";
    replica_set.replicas = replicas;
    replica_set.selector = selecting("app", name);
    const kube::Pod built = pod_template.label("app", name);
    replica_set.template_ = {built.metadata, built.spec};
    replica_set.template_.metadata.name.clear();
    objects.of<kube::ReplicaSet>().push_back(replica_set);
  }

  Plan plan() {
    PlanOptions options;
    options.now = kStart;
    auto made = make_plan(objects, configuration, options);
    EXPECT_TRUE(made);
    return std::move(*made);
  }
};

PlannedPod find(const Plan& plan, const std::string& name) {
  for (const PlannedPod& pod : plan.pods) {
    if (pod.name == name) return pod;
  }
  ADD_FAILURE() << name << " is not in the plan";
  return {};
}

std::vector<const PlannedPod*> with_outcome(const Plan& plan, PodOutcome outcome) {
  std::vector<const PlannedPod*> pods;
  for (const PlannedPod& pod : plan.pods) {
    if (pod.outcome == outcome) pods.push_back(&pod);
  }
  return pods;
}

// ---- the queue ------------------------------------------------------------------------------------------------------

TEST_F(PlanTest, NamesTheWorkloadsThatWantNoPods) {
  add_replicas("web", 1, pod(""));
  add_replicas("idle", 0, pod(""));
  const Plan result = plan();
  EXPECT_EQ(result.idle, (std::vector<WorkloadName>{{"ReplicaSet", "default", "idle"}}));
}

TEST_F(PlanTest, WithoutNodesEverythingIsPending) {
  add(pod("p"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "p").outcome, PodOutcome::kPending);
  EXPECT_EQ(find(made, "p").message, "no nodes available to schedule pods");
}

TEST_F(PlanTest, ImportantPodsComeFirstAndThenTheOldest) {
  add(node("n").allocatable("cpu", "2"));
  add(pod("low").request("cpu", "1").priority_class("low"));
  add(pod("high-1").request("cpu", "1").priority_class("high"));
  add(pod("high-2").request("cpu", "1").priority_class("high"));
  add(pod("high-3").request("cpu", "1").priority_class("high"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "high-1").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "high-2").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "high-3").outcome, PodOutcome::kPending);
  EXPECT_EQ(find(made, "low").outcome, PodOutcome::kPending);
  EXPECT_EQ(find(made, "high-1").priority, 100);
  EXPECT_EQ(find(made, "low").message,
            "0/1 nodes are available: 1 Insufficient cpu. "
            "no new claims to deallocate, preemption: 0/1 nodes are available: 1 No preemption victims found for "
            "incoming pod.");
  ASSERT_EQ(find(made, "low").reasons.size(), 1U);
  EXPECT_EQ(find(made, "low").reasons[0].plugin, "NodeResourcesFit");
}

TEST_F(PlanTest, NodesShowTheirPodsAndWhatTheyRequest) {
  add(node("n").taint("a", kube::TaintEffect::kPreferNoSchedule, "1"));
  add(pod("there").request("cpu", "1").on_node("n").exists());
  kube::RuntimeClass& sandbox = objects.of<kube::RuntimeClass>().emplace_back();
  sandbox.metadata.name = "sandbox";
  sandbox.overhead = {{{"cpu", quantity("250m")}}};
  PodBuilder boxed = pod("new").request("cpu", "500m");
  boxed.spec().runtime_class_name = "sandbox";
  add(boxed);
  const Plan made = plan();
  EXPECT_EQ(find(made, "there").outcome, PodOutcome::kRunning);
  EXPECT_EQ(find(made, "new").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "new").node, "n");
  ASSERT_EQ(made.nodes.size(), 1U);
  EXPECT_EQ(made.nodes[0].pods, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(made.nodes[0].resources.at("cpu").requested, quantity("1750m"));
  EXPECT_EQ(made.nodes[0].resources.at("cpu").allocatable, quantity("4"));
  EXPECT_EQ(made.nodes[0].taints, std::vector<std::string>{"a=1:PreferNoSchedule"});
}

TEST_F(PlanTest, GatedPodsAndThoseOfOtherSchedulersAreLeftAlone) {
  add(node("n"));
  add(pod("gated").gated("example.com/quota"));
  add(pod("foreign").scheduler("volcano"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "gated").outcome, PodOutcome::kGated);
  EXPECT_EQ(find(made, "gated").message, "waiting for scheduling gates: [example.com/quota]");
  EXPECT_EQ(find(made, "foreign").outcome, PodOutcome::kIgnored);
  EXPECT_EQ(find(made, "foreign").message, "no profile answers to schedulerName \"volcano\"");
}

TEST_F(PlanTest, AnInconsistentConfigurationIsAnError) {
  configuration.profiles[0].plugins.score.enabled = {{"NodeName", 1}};
  EXPECT_FALSE(make_plan(objects, configuration, {}));
}

TEST_F(PlanTest, APodWaitsForAnAffinityMatchThatIsPlacedLater) {
  const char* zone = "topology.kubernetes.io/zone";
  add(node("a").zone("a"));
  add(node("b").zone("b"));
  add(pod("web").near(pods_with("app", "db", zone)).priority_class("high"));
  add(pod("db").label("app", "db").selects_nodes(zone, "b"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "db").node, "b");
  EXPECT_EQ(find(made, "web").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "web").node, "b");
  EXPECT_EQ(made.cycles, 3U);
}

// ---- preemption -----------------------------------------------------------------------------------------------------

TEST_F(PlanTest, APreemptorGetsItsNodeWhenTheVictimsGracePeriodEnds) {
  add(node("n"));
  add(pod("victim").request("cpu", "4").on_node("n").exists().priority(10));
  add(pod("preemptor").request("cpu", "2").priority_class("high"));
  const Plan made = plan();
  const PlannedPod victim = find(made, "victim");
  EXPECT_EQ(victim.outcome, PodOutcome::kPreempted);
  EXPECT_EQ(victim.preempted_by, "default/preemptor");
  EXPECT_EQ(victim.node, "n");
  EXPECT_EQ(victim.after, Duration::seconds(0));
  const PlannedPod preemptor = find(made, "preemptor");
  EXPECT_EQ(preemptor.outcome, PodOutcome::kPlaced);
  EXPECT_EQ(preemptor.node, "n");
  EXPECT_EQ(preemptor.after, Duration::seconds(30));
  EXPECT_EQ(preemptor.message, "");
  EXPECT_EQ(preemptor.nominated_node, "");
  ASSERT_EQ(made.events.size(), 1U);
  EXPECT_EQ(made.events[0].subject, "Pod default/victim");
  EXPECT_EQ(made.events[0].reason, "Preempted");
  EXPECT_EQ(made.nodes[0].pods.size(), 1U);
}

TEST_F(PlanTest, AVictimsOwnGracePeriodCounts) {
  add(node("n"));
  add(pod("victim").request("cpu", "4").on_node("n").exists().priority(10).grace_period(5));
  add(pod("preemptor").request("cpu", "2").priority_class("high"));
  EXPECT_EQ(find(plan(), "preemptor").after, Duration::seconds(5));
}

/// A snapshot between an eviction and its end: the objects say that much.
TEST_F(PlanTest, AVictimOfBeforeThePlanLeavesForWhoeverIsNominatedToItsRoom) {
  add(node("n"));
  PodBuilder victim = pod("victim").request("cpu", "4").on_node("n").exists().priority(10);
  victim.pod().metadata.deletion_timestamp = kStart + Duration::seconds(20);
  victim.pod().status.conditions.push_back({"DisruptionTarget", "True", "PreemptionByScheduler", ""});
  add(victim);
  PodBuilder preemptor = pod("preemptor").request("cpu", "2").priority_class("high");
  preemptor.pod().status.nominated_node_name = "n";
  add(preemptor);
  const Plan made = plan();
  EXPECT_EQ(find(made, "victim").outcome, PodOutcome::kEvicted);
  EXPECT_EQ(find(made, "victim").message, "was being deleted when the plan began, preempted by pod default/preemptor");
  EXPECT_EQ(find(made, "victim").preempted_by, "default/preemptor");
  EXPECT_EQ(find(made, "preemptor").node, "n");
}

TEST_F(PlanTest, RoomThatAVictimLeavesIsKeptForThePreemptor) {
  add(node("n"));
  add(pod("victim").request("cpu", "3").on_node("n").exists().priority(10));
  add(pod("preemptor").request("cpu", "4").priority_class("high"));
  add(pod("small").request("cpu", "1").priority_class("low"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "preemptor").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "small").outcome, PodOutcome::kPending);
}

TEST_F(PlanTest, AReplicaSetReplacesItsVictimsAtOnceEachByAnotherName) {
  add(node("n"));
  add_replicas("web", 2, pod("").request("cpu", "2"));
  for (const char* name : {"web-a", "web-b"}) {
    add(pod(name)
            .label("app", "web")
            .owned_by("ReplicaSet", "web")
            .request("cpu", "2")
            .on_node("n")
            .exists()
            .priority(0));
  }
  add(pod("preemptor").request("cpu", "4").priority_class("high"));
  const Plan made = plan();
  EXPECT_EQ(with_outcome(made, PodOutcome::kPreempted).size(), 2U);
  EXPECT_EQ(find(made, "preemptor").outcome, PodOutcome::kPlaced);
  const auto replacements = with_outcome(made, PodOutcome::kPending);
  ASSERT_EQ(replacements.size(), 2U);
  EXPECT_NE(replacements[0]->name, replacements[1]->name);
  EXPECT_EQ(replacements[0]->workload.kind, "ReplicaSet");
  EXPECT_EQ(replacements[0]->workload.name, "web");
  EXPECT_EQ(made.pods.size(), 5U);
}

TEST_F(PlanTest, AReplacementGoesElsewhereIfThereIsRoom) {
  add(node("n").label("gpu", "yes"));
  add(node("spare"));
  add_replicas("web", 1, pod("").request("cpu", "3"));
  add(pod("web-a")
          .label("app", "web")
          .owned_by("ReplicaSet", "web")
          .request("cpu", "3")
          .on_node("n")
          .exists()
          .priority(0));
  add(pod("preemptor").request("cpu", "4").priority_class("high").selects_nodes("gpu", "yes"));
  const Plan made = plan();
  ASSERT_EQ(with_outcome(made, PodOutcome::kPlaced).size(), 2U);
  EXPECT_EQ(made.nodes[1].pods.size(), 1U);
}

TEST_F(PlanTest, PodsOfPolicyNeverWait) {
  add(node("n"));
  add(pod("there").request("cpu", "4").on_node("n").exists().priority(10));
  objects.of<kube::PriorityClass>()[2].preemption_policy = kube::PreemptionPolicy::kNever;
  add(pod("polite").request("cpu", "2").priority_class("high"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "there").outcome, PodOutcome::kRunning);
  EXPECT_EQ(find(made, "polite").outcome, PodOutcome::kPending);
}

// A pod that must preempt was refused for lack of room; a pod that its affinity selects helps it all the same.
TEST_F(PlanTest, AnAffinityMatchThatComesHelpsAPodThatMustEvict) {
  add(node("n").allocatable("cpu", "4"));
  add(pod("there").request("cpu", "3").on_node("n").exists().priority(10));
  add(pod("large").request("cpu", "3").near(pods_with("app", "db", "kubernetes.io/hostname")).priority_class("high"));
  add(pod("db").label("app", "db").request("cpu", "1").priority_class("high"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "db").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "there").outcome, PodOutcome::kPreempted);
  EXPECT_EQ(find(made, "large").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "large").after, Duration::seconds(30)) << "as soon as its victim is gone";
}

TEST_F(PlanTest, ABudgetMovesTheChoiceToAnotherNode) {
  add(node("a"));
  add(node("b"));
  add(pod("guarded").label("app", "web").request("cpu", "4").on_node("a").exists().priority(1));
  add(pod("free").request("cpu", "4").on_node("b").exists().priority(5));
  add(pod("preemptor").request("cpu", "4").priority_class("high"));
  EXPECT_EQ(find(plan(), "guarded").outcome, PodOutcome::kPreempted);
  kube::PodDisruptionBudget budget;
  budget.metadata.name = "web";
  budget.metadata.namespace_ = "default";
  budget.selector = selecting("app", "web");
  budget.min_available = kube::IntOrString{1, ""};
  objects.of<kube::PodDisruptionBudget>().push_back(budget);
  const Plan made = plan();
  EXPECT_EQ(find(made, "guarded").outcome, PodOutcome::kRunning);
  EXPECT_EQ(find(made, "free").outcome, PodOutcome::kPreempted);
}

// ---- taints and time ------------------------------------------------------------------------------------------------

TEST_F(PlanTest, ANoExecuteTaintEvictsWhenTolerationRunsOut) {
  add(node("n").taint("maintenance", kube::TaintEffect::kNoExecute));
  kube::Toleration for_a_minute = tolerating("maintenance", kube::TaintEffect::kNoExecute);
  for_a_minute.toleration_seconds = 60;
  add(pod("intolerant").on_node("n").exists());
  add(pod("patient").on_node("n").exists().tolerates(for_a_minute));
  add(pod("tolerant").on_node("n").exists().tolerates(tolerating("maintenance")));
  add(pod("newcomer").tolerates(for_a_minute));
  const Plan made = plan();
  EXPECT_EQ(find(made, "intolerant").outcome, PodOutcome::kEvicted);
  EXPECT_EQ(find(made, "intolerant").after, Duration::seconds(0));
  EXPECT_EQ(find(made, "patient").outcome, PodOutcome::kEvicted);
  EXPECT_EQ(find(made, "patient").after, Duration::seconds(60));
  EXPECT_EQ(find(made, "newcomer").outcome, PodOutcome::kEvicted);
  EXPECT_EQ(find(made, "newcomer").node, "n");
  EXPECT_EQ(find(made, "tolerant").outcome, PodOutcome::kRunning);
  EXPECT_EQ(made.nodes[0].pods.size(), 1U);
  EXPECT_EQ(made.events.at(0).reason, "TaintManagerEviction");
}

TEST_F(PlanTest, AnEvictedPodsRoomGoesToAPodThatWaits) {
  add(node("n").taint("maintenance", kube::TaintEffect::kNoExecute));
  add(pod("intolerant").request("cpu", "4").on_node("n").exists());
  add(pod("waits").request("cpu", "4").tolerates(tolerating("maintenance")));
  const Plan made = plan();
  EXPECT_EQ(find(made, "waits").outcome, PodOutcome::kPlaced);
  EXPECT_EQ(find(made, "waits").after, Duration::seconds(30));
}

TEST_F(PlanTest, APodThatLeavesAnywayMakesRoomAtItsTime) {
  add(node("n"));
  add(pod("leaving").request("cpu", "4").on_node("n").exists().deleted_at(kStart.nanoseconds / 1'000'000'000 + 7));
  add(pod("waits").request("cpu", "4"));
  const Plan made = plan();
  EXPECT_EQ(find(made, "leaving").outcome, PodOutcome::kEvicted);
  EXPECT_EQ(find(made, "waits").after, Duration::seconds(7));
}

TEST_F(PlanTest, APodThatKeepsLosingItsNodeIsReplacedOnlySoOften) {
  add(node("n").taint("flaky", kube::TaintEffect::kNoExecute));
  kube::Toleration briefly = tolerating("flaky", kube::TaintEffect::kNoExecute);
  briefly.toleration_seconds = 10;
  add_replicas("web", 1, pod("").tolerates(briefly));
  const Plan made = plan();
  EXPECT_EQ(with_outcome(made, PodOutcome::kEvicted).size(), 4U);  // the first and three replacements
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_EQ(made.notes[0].message, "keeps losing its node; the plan stops replacing it");
}

// Seconds that 64 bits of nanoseconds cannot hold must not wrap round into the past.
TEST_F(PlanTest, VeryLongTolerationsAreForGood) {
  add(node("n").taint("maintenance", kube::TaintEffect::kNoExecute));
  kube::Toleration very_long = tolerating("maintenance", kube::TaintEffect::kNoExecute);
  very_long.toleration_seconds = std::int64_t{1} << 40;
  add(pod("p").on_node("n").exists().tolerates(very_long));
  EXPECT_EQ(find(plan(), "p").after, Duration::seconds(0));
  EXPECT_EQ(find(plan(), "p").outcome, PodOutcome::kRunning);
}

}  // namespace
}  // namespace loadline::simulator
