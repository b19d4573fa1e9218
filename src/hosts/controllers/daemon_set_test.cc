#include "hosts/controllers/daemon_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "brain/workloads/daemon_nodes.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/pod_readiness.h"

namespace loadline::controllers {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::string_view kAgent = R"(
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, uid: agent-uid, annotations: {deprecated.daemonset.template.generation: '1'}}
spec:
  revisionHistoryLimit: 10
  updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1, maxSurge: 0}}
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      nodeSelector: {role: work}
      containers: [{name: a, image: 'agent:1'}]
)";

class DaemonSetTest : public ::testing::Test {
 protected:
  DaemonSetTest() {
    cluster_.add(make_daemon_set_controller());
    for (const char* name : {"n1", "n2", "n3"}) add_node(name);
    cluster_.apply("{kind: Node, metadata: {name: other}}");
  }

  void add_node(const std::string& name, const std::string& spec = "{}") {
    cluster_.apply("{kind: Node, metadata: {name: " + name + ", uid: " + name +
                   ", labels: {role: work}}, spec: " + spec + "}");
  }
  const kube::DaemonSetStatus& status() const { return cluster_.get<kube::DaemonSet>("agent")->view.status; }
  /// The pods of a node that are not being deleted.
  std::vector<ObjectPtr<kube::Pod>> on(std::string_view node) const {
    std::vector<ObjectPtr<kube::Pod>> pods;
    for (const auto& pod : cluster_.all<kube::Pod>()) {
      if (workloads::daemon_target(*pod->view.spec) == node && !pod->is_being_deleted()) pods.push_back(pod);
    }
    return pods;
  }
  int of_image(std::string_view image) const {
    int count = 0;
    for (const auto& pod : cluster_.all<kube::Pod>()) count += pod->view.spec->containers[0].image == image ? 1 : 0;
    return count;
  }
  void set_image(const std::string& image) {
    cluster_.set<kube::DaemonSet>("agent", {"spec", "template", "spec", "containers"},
                                  document::read_yaml("[{name: a, image: '" + image + "'}]", "t").documents.at(0));
    cluster_.set<kube::DaemonSet>("agent", {"metadata", "annotations", "deprecated.daemonset.template.generation"},
                                  Value(std::to_string(++generation_)));
  }
  void set_strategy(const std::string& yaml) {
    cluster_.set<kube::DaemonSet>("agent", {"spec", "updateStrategy"}, document::read_yaml(yaml, "t").documents.at(0));
  }
  void converge() {
    for (int i = 0; i < 20; ++i) {
      cluster_.settle();
      cluster_.run_pods();
    }
    cluster_.settle();
  }
  testing::TestCluster cluster_;
  int generation_ = 1;
};

TEST_F(DaemonSetTest, PinsOnePodToEveryNodeThatItSelects) {
  cluster_.apply(kAgent);
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(3));
  ASSERT_THAT(on("n1"), SizeIs(1));
  const Value& pod = on("n1")[0]->document;
  EXPECT_EQ(document::find_at(pod, {"spec", "affinity"})->object().size(), 1U);
  EXPECT_EQ(document::text_at(pod, {"metadata", "labels", "pod-template-generation"}), "1");
  const auto revisions = cluster_.all<ControllerRevision>();
  ASSERT_THAT(revisions, SizeIs(1));
  const std::string hash = revisions[0]->metadata().labels.at("controller-revision-hash");
  EXPECT_EQ(revisions[0]->metadata().name, "agent-" + hash);
  EXPECT_EQ(document::text_at(pod, {"metadata", "labels", "controller-revision-hash"}), hash);
  EXPECT_THAT(document::find_at(pod, {"spec", "tolerations"})->array(), SizeIs(6));
  EXPECT_THAT(cluster_.events, Contains("Normal SuccessfulCreate Created pod: agent-00001"));
  EXPECT_EQ(status().desired_number_scheduled, 3);
  EXPECT_EQ(status().current_number_scheduled, 3);
  EXPECT_EQ(status().updated_number_scheduled, 3);
  EXPECT_EQ(status().number_unavailable, 3);
  converge();
  EXPECT_EQ(status().number_ready, 3);
  EXPECT_EQ(status().number_available, 3);
  EXPECT_EQ(status().number_unavailable, 0);
}

TEST_F(DaemonSetTest, FollowsNodes) {
  cluster_.apply(kAgent);
  converge();
  add_node("n4");
  converge();
  EXPECT_THAT(on("n4"), SizeIs(1));
  add_node("n4", "{taints: [{key: busy, effect: NoSchedule}]}");
  converge();
  EXPECT_THAT(on("n4"), SizeIs(1)) << "a taint that came later evicts no pod";
  EXPECT_EQ(status().number_misscheduled, 1);
  EXPECT_EQ(status().desired_number_scheduled, 3);
  add_node("n4", "{taints: [{key: broken, effect: NoExecute}]}");
  converge();
  EXPECT_THAT(on("n4"), IsEmpty());
  cluster_.apply("{kind: Node, metadata: {name: n1, uid: n1}}");
  converge();
  EXPECT_THAT(on("n1"), IsEmpty());
  // Pods that wait for a node that is gone go, too.
  const std::string waiting = on("n2")[0]->metadata().name;
  cluster_.caches.of<kube::Node>().erase({"", "n2"});
  converge();
  EXPECT_EQ(cluster_.get<kube::Pod>(waiting), nullptr);
}

TEST_F(DaemonSetTest, ReplacesFailedPodsMoreAndMoreSlowly) {
  cluster_.apply(kAgent);
  converge();
  const auto fail = [&] {
    const std::string name = on("n1")[0]->metadata().name;
    cluster_.set<kube::Pod>(name, {"status", "phase"}, Value("Failed"));
    cluster_.settle();
    return name;
  };
  const std::string first = fail();
  EXPECT_EQ(cluster_.get<kube::Pod>(first), nullptr);
  EXPECT_THAT(cluster_.events, Contains("Warning FailedDaemonPod Found failed daemon pod default/" + first +
                                        " on node n1, will try to kill it"));
  const std::string second = fail();
  EXPECT_NE(cluster_.get<kube::Pod>(second), nullptr);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(1));
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(cluster_.get<kube::Pod>(second), nullptr);
  const std::string third = fail();
  EXPECT_EQ(cluster_.again_after, Duration::seconds(2));
  EXPECT_NE(cluster_.get<kube::Pod>(third), nullptr);
}

TEST_F(DaemonSetTest, RollsWithinUnavailability) {
  cluster_.apply(kAgent);
  converge();
  set_image("agent:2");
  cluster_.settle();
  EXPECT_EQ(of_image("agent:2"), 1);
  EXPECT_EQ(status().updated_number_scheduled, 1);
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(of_image("agent:2"), 2);
  converge();
  EXPECT_EQ(of_image("agent:2"), 3);
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(3));
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(2));
  set_image("agent:1");
  converge();
  EXPECT_EQ(of_image("agent:1"), 3);
  EXPECT_THAT(cluster_.all<ControllerRevision>(), SizeIs(2));
}

TEST_F(DaemonSetTest, SurgesBeforeOldPodsGo) {
  cluster_.apply(kAgent);
  set_strategy("{type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 2}}");
  converge();
  set_image("agent:2");
  cluster_.settle();
  EXPECT_EQ(of_image("agent:2"), 2);
  EXPECT_EQ(of_image("agent:1"), 3) << "an old pod goes when the new one is available";
  converge();
  EXPECT_EQ(of_image("agent:2"), 3);
  EXPECT_EQ(of_image("agent:1"), 0);
}

/// Upstream's end-to-end suite: nothing else happened any more, and the old pods stayed for ever.
TEST_F(DaemonSetTest, IsAskedAgainWhenTheNewPodBesideAnOldOneBecomesAvailable) {
  cluster_.apply(kAgent);
  cluster_.set<kube::DaemonSet>("agent", {"spec", "minReadySeconds"}, Value(std::int64_t{10}));
  set_strategy("{type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 3}}");
  converge();
  cluster_.wait(Duration::seconds(10));
  EXPECT_EQ(status().number_available, 3);
  set_image("agent:2");
  cluster_.settle();
  cluster_.now = cluster_.now + Duration::seconds(60);  // the new pods take a while to start
  cluster_.run_pods();
  cluster_.settle();
  EXPECT_EQ(of_image("agent:1"), 3);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(10));
  cluster_.wait(*cluster_.again_after);
  EXPECT_EQ(of_image("agent:1"), 0);
  EXPECT_EQ(of_image("agent:2"), 3);
}

TEST_F(DaemonSetTest, LeavesPodsAloneOnDelete) {
  cluster_.apply(kAgent);
  set_strategy("{type: OnDelete}");
  converge();
  set_image("agent:2");
  converge();
  EXPECT_EQ(of_image("agent:1"), 3);
  cluster_.caches.of<kube::Pod>().erase(on("n1")[0]->key());
  converge();
  EXPECT_EQ(of_image("agent:2"), 1);
}

TEST_F(DaemonSetTest, KeepsTheOldestOfTwoPods) {
  cluster_.apply(kAgent);
  converge();
  const std::string kept = on("n1")[0]->metadata().name;
  cluster_.now = cluster_.now + Duration::seconds(10);
  cluster_.apply(
      "{kind: Pod, metadata: {name: one-more, labels: {app: agent}}, spec: {nodeName: n1, containers: "
      "[{name: a}]}}");
  cluster_.set<kube::Pod>(kept, {"spec", "nodeName"}, Value("n1"));
  converge();
  ASSERT_THAT(on("n1"), SizeIs(1));
  EXPECT_EQ(on("n1")[0]->metadata().name, kept);
}

}  // namespace
}  // namespace loadline::controllers
