// Nodes that are to be free by a time: which pods are evicted when, and what is said about it.
#include "hosts/control/node_drain.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "brain/cluster/spellings/kinds.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/maintenance_annotations.h"

namespace loadline::control {
namespace {

using controllers::testing::TestCluster;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Two nodes with a gang of two across them; n1 is to be free within two hours.
class NodeDrainTest : public ::testing::Test {
 protected:
  NodeDrainTest() {
    cluster_.add(make_node_drain());
    cluster_.apply(
        R"({apiVersion: scheduling.k8s.io/v1alpha2, kind: PodGroup, metadata: {name: train, namespace: default},
                       spec: {schedulingPolicy: {gang: {minCount: 2}}}})");
  }
  void put_node(const std::string& name, const std::string& by, bool is_cordoned = true) {
    const std::string annotation = by.empty() ? "" : fmt::format("loadline.dev/drain-by: '{}'", by);
    cluster_.apply(
        fmt::format("{{kind: Node, apiVersion: v1, metadata: {{name: {0}, uid: {0}, annotations: {{{1}}}}}, "
                    "spec: {{unschedulable: {2}}}}}",
                    name, annotation, is_cordoned));
  }
  void put_pod(const std::string& name, const std::string& node, const std::string& annotations = "",
               const std::string& group = "schedulingGroup: {podGroupName: train}, ") {
    cluster_.apply(fmt::format(
        "{{kind: Pod, apiVersion: v1, metadata: {{name: {0}, namespace: default, uid: {0}, labels: {{app: train}}, "
        "annotations: {{{2}}}, ownerReferences: [{{apiVersion: batch/v1, kind: Job, name: train, uid: u, controller: "
        "true}}]}}, spec: {{nodeName: {1}, {3}terminationGracePeriodSeconds: 300}}, "
        "status: {{phase: Running, startTime: '2025-12-31T20:00:00Z'}}}}",
        name, node, annotations, group));
  }
  [[nodiscard]] std::vector<std::string> evicted() const {
    std::vector<std::string> names;
    for (const std::string& each : cluster_.done) {
      if (each.starts_with("create pods/eviction "))
        names.push_back(each.substr(std::size("create pods/eviction ") - 1));
    }
    return names;
  }
  void wait_minutes(std::int64_t minutes) { cluster_.wait(Duration::seconds(60 * minutes)); }

  TestCluster cluster_;
};

constexpr const char* kByTwo = "2026-01-01T02:00:00Z";

TEST_F(NodeDrainTest, EvictsSinglePodsAtOnce) {
  put_node("n1", kByTwo);
  put_pod("web", "n1", "", "");
  put_pod("far", "n2", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), ElementsAre("web"));
  EXPECT_THAT(cluster_.events,
              Contains("Normal DrainedFromNode Evicted: node n1 is to be free by 2026-01-01T02:00:00Z"));
  EXPECT_THAT(cluster_.events, Contains("Normal Drained Nothing is left to evict"));
}

TEST_F(NodeDrainTest, WaitsForTheCheckpointOfAGangAndEvictsAllOfIt) {
  put_node("n1", kByTwo);
  put_node("n2", "", false);
  const std::string before =
      "loadline.dev/last-checkpoint: '2025-12-31T23:50:00Z', loadline.dev/checkpoint-interval: 1h";
  put_pod("train-0", "n1", before);
  put_pod("train-1", "n2", before);
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Normal DrainScheduled pod group default/train (2 pods) leaves as a whole at "
                                        "2026-01-01T00:50:00Z, after its next checkpoint"));
  EXPECT_EQ(cluster_.again_after, Duration::seconds(50 * 60));
  // It is due and has not come: the gang has until its grace period would no longer do.
  wait_minutes(55);
  EXPECT_THAT(evicted(), IsEmpty());
  put_pod("train-0", "n1", "loadline.dev/last-checkpoint: '2026-01-01T00:54:00Z'");
  put_pod("train-1", "n2", "loadline.dev/last-checkpoint: '2026-01-01T00:54:00Z'");
  cluster_.settle();
  EXPECT_THAT(evicted(), ElementsAre("train-0", "train-1"));
  EXPECT_THAT(cluster_.events,
              Contains("Normal DrainedFromNode Evicted with pod group default/train (2 pods): node n1 is to be free by "
                       "2026-01-01T02:00:00Z; its work is saved as of 2026-01-01T00:54:00Z"));
}

TEST_F(NodeDrainTest, EvictsAGangThatSaysNothingAsLateAsItsGracePeriodAllows) {
  put_node("n1", kByTwo);
  put_pod("train-0", "n1");
  put_pod("train-1", "n2");
  cluster_.settle();
  wait_minutes(114);
  EXPECT_THAT(evicted(), IsEmpty());
  wait_minutes(1);
  EXPECT_THAT(evicted(), ElementsAre("train-0", "train-1"));
}

TEST_F(NodeDrainTest, LeavesAloneAGangThatEndsByItself) {
  put_node("n1", kByTwo);
  put_pod("train-0", "n1", "loadline.dev/expected-duration: 5h");
  put_pod("train-1", "n2", "loadline.dev/expected-duration: 5h");
  cluster_.settle();
  wait_minutes(59);
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Normal DrainScheduled pod group default/train (2 pods) is left alone: it is "
                                        "expected to end by itself at 2026-01-01T01:00:00Z"));
}

TEST_F(NodeDrainTest, LeavesAloneAGangWhoseOwnerEndsIt) {
  put_node("n1", kByTwo);
  put_pod("train-0", "n1");
  put_pod("train-1", "n2");
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("leaves as a whole")));
  // It has run since 20:00, so it ends at 1:00.
  cluster_.apply(
      "{kind: Job, apiVersion: batch/v1, metadata: {name: train, namespace: default, uid: u}, spec: "
      "{activeDeadlineSeconds: 18000, template: {spec: {containers: []}}}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("is left alone: it is expected to end by itself at "
                                                  "2026-01-01T01:00:00Z")));
}

TEST_F(NodeDrainTest, LetsMembersGoThatTheirGroupGoesOnWithout) {
  put_node("n1", kByTwo);
  put_pod("train-0", "n1");
  put_pod("train-1", "n2");
  put_pod("train-2", "n2");
  cluster_.settle();
  EXPECT_THAT(evicted(), ElementsAre("train-0"));
}

TEST_F(NodeDrainTest, EvictsNobodyOfAGangThatABudgetHolds) {
  cluster_.apply(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: train, namespace: default}, spec: "
      "{selector: "
      "{matchLabels: {app: train}}}, status: {observedGeneration: 1, disruptionsAllowed: 1}}");
  put_node("n1", kByTwo);
  put_pod("train-0", "n1");
  put_pod("train-1", "n2");
  cluster_.settle();
  wait_minutes(120);
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Warning DrainHeld pod group default/train (2 pods) stays: PodDisruptionBudget "
                                        "default/train allows 1 of 2 disruptions"));
}

TEST_F(NodeDrainTest, GoesOnFromWhenTheDrainWasAnnounced) {
  put_node("n1", kByTwo);
  cluster_.settle();
  EXPECT_EQ(cluster_.caches.of<kube::Node>().find("", "n1")->metadata().annotations.at(
                std::string(kube::kDrainAnnouncedAnnotation)),
            "2026-01-01T00:00:00Z");
}

TEST_F(NodeDrainTest, AnEarlierDrainDoesNotCountForALaterOne) {
  put_node("n1", kByTwo);
  cluster_.settle();
  put_node("n1", "", false);
  cluster_.apply(
      "{kind: Node, apiVersion: v1, metadata: {name: n1, uid: n1, annotations: {loadline.dev/drain-announced: "
      "'2025-12-01T00:00:00Z'}}, spec: {}}");
  cluster_.settle();
  EXPECT_FALSE(cluster_.caches.of<kube::Node>().find("", "n1")->metadata().annotations.contains(
      kube::kDrainAnnouncedAnnotation));
  // A checkpoint of before the drain is none to leave at.
  put_node("n1", kByTwo);
  put_pod("train-0", "n1", "loadline.dev/last-checkpoint: '2025-12-31T23:50:00Z'");
  put_pod("train-1", "n2", "loadline.dev/last-checkpoint: '2025-12-31T23:50:00Z'");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
}

TEST_F(NodeDrainTest, PodsThatShareABudgetAreNotAskedToLeaveBeyondIt) {
  cluster_.apply(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: train, namespace: default}, spec: "
      "{selector: {matchLabels: {app: train}}}, status: {observedGeneration: 1, disruptionsAllowed: 1}}");
  put_node("n1", kByTwo);
  put_pod("a", "n1", "", "");
  put_pod("b", "n1", "", "");
  cluster_.settle();
  // Nobody renews the budget here once the first pod has left, so that the second one goes after it.
  EXPECT_THAT(cluster_.events,
              Contains("Warning DrainHeld pod default/b stays: PodDisruptionBudget default/train allows "
                       "no disruption"));
}

/// The eviction API would refuse, whatever the status says that was counted before the change.
TEST_F(NodeDrainTest, ABudgetThatItsControllerHasNotCountedSinceItChangedHoldsPods) {
  cluster_.apply(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: train, namespace: default}, spec: "
      "{selector: {matchLabels: {app: train}}}, status: {observedGeneration: 0, disruptionsAllowed: 1}}");
  put_node("n1", kByTwo);
  put_pod("web", "n1", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events,
              Contains("Warning DrainHeld pod default/web stays: PodDisruptionBudget default/train has "
                       "changed, and its controller has not counted it since"));
}

TEST_F(NodeDrainTest, PodsThatAreNotReadyGoWhereTheBudgetLetsThem) {
  cluster_.apply(
      "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: train, namespace: default}, spec: "
      "{unhealthyPodEvictionPolicy: AlwaysAllow, selector: {matchLabels: {app: train}}}, status: {disruptionsAllowed: "
      "0}}");
  put_node("n1", kByTwo);
  put_pod("web", "n1", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), ElementsAre("web"));
}

TEST_F(NodeDrainTest, APodWithTwoBudgetsStays) {
  for (const char* name : {"one", "two"}) {
    cluster_.apply(fmt::format(
        "{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: {}, namespace: default}}, spec: "
        "{{selector: {{matchLabels: {{app: train}}}}}}, status: {{observedGeneration: 1, disruptionsAllowed: 5}}}}",
        name));
  }
  put_node("n1", kByTwo);
  put_pod("web", "n1", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains("Warning DrainHeld pod default/web stays: the pod has more than one "
                                        "PodDisruptionBudget (default/one, default/two), which the eviction API does "
                                        "not support"));
}

/// The leader cannot be spared, although there are workers enough.
TEST_F(NodeDrainTest, NoMemberLeavesAGroupWhoseSubgroupsHaveMinimums) {
  cluster_.apply(
      "{apiVersion: scheduler.grove.io/v1alpha1, kind: PodGang, metadata: {name: serve, namespace: default}, spec: "
      "{podgroups: [{name: leader, minReplicas: 1, podReferences: []}, {name: workers, minReplicas: 1, podReferences: "
      "[]}]}}");
  put_node("n1", kByTwo);
  const auto put_member = [&](const std::string& name, const std::string& node, const std::string& clique) {
    cluster_.apply(fmt::format(
        "{{kind: Pod, apiVersion: v1, metadata: {{name: {0}, namespace: default, uid: {0}, labels: {{grove.io/podgang: "
        "serve, grove.io/podclique: {2}}}, ownerReferences: [{{apiVersion: grove.io/v1alpha1, kind: PodClique, name: "
        "c, "
        "uid: u, controller: true}}]}}, spec: {{nodeName: {1}}}, status: {{phase: Running, startTime: "
        "'2025-12-31T20:00:00Z'}}}}",
        name, node, clique));
  };
  put_member("leader-0", "n1", "leader");
  for (const char* name : {"worker-0", "worker-1", "worker-2"}) put_member(name, "n2", "workers");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("pod group default/serve (4 pods) leaves as a whole")));
}

TEST_F(NodeDrainTest, SaysWhatItCannotRead) {
  put_node("n1", "tomorrow");
  put_pod("web", "n1", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events,
              ElementsAre("Warning InvalidDrainBy loadline.dev/drain-by: \"tomorrow\" is no time; write "
                          "it as 2026-01-01T00:00:00Z"));
  put_node("n2", kByTwo);
  put_pod("train-0", "n2", "loadline.dev/checkpoint-interval: hourly");
  cluster_.settle();
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("InvalidAnnotation pod default/train-0: "
                                                  "annotations[loadline.dev/checkpoint-interval]: counts as absent: "
                                                  "\"hourly\" is no span of time")));
}

TEST_F(NodeDrainTest, DoesNothingToANodeThatIsNotCordoned) {
  put_node("n1", kByTwo, false);
  put_pod("web", "n1", "", "");
  cluster_.settle();
  EXPECT_THAT(evicted(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("DrainNotBegun")));
}

}  // namespace
}  // namespace loadline::control
