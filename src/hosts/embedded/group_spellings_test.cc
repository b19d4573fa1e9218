// Groups in the words of other projects in a whole cluster, and pods of groups that have succeeded.
#include <gmock/gmock.h>

#include "foundation/document/writer.h"
#include "hosts/embedded/testing/cluster_fixture.h"

namespace loadline::embedded {
namespace {

using document::Value;
using testing::kPods;
using testing::node;
using ::testing::SizeIs;
using testing::volcano_job;

const kube::ResourceReference kNodes{"", "v1", "nodes"};

/// Pods take four of the eight CPUs of a node.
class GroupSpellingsTest : public testing::ClusterTest {
 protected:
  std::size_t on_nodes() {
    std::size_t count = 0;
    for (const Value& pod : list(kPods)) {
      if (!document::text_at(pod, {"spec", "nodeName"}).empty()) ++count;
    }
    return count;
  }
  void wait() { loop_.advance(Duration::seconds(3)); }
  void add_node(const char* name) {
    apply(kNodes, document::write_json(node(name)));
    wait();
  }
  void add_pod(const std::string& name, const std::string& metadata, const std::string& spec = "") {
    apply(kPods, fmt::format("{{apiVersion: v1, kind: Pod, metadata: {{name: {}, namespace: default, {}}}, spec: {{{} "
                             "containers: [{{name: app, image: train, resources: {{requests: {{cpu: \"4\"}}}}}}]}}}}",
                             name, metadata, spec));
  }
  std::string node_of(const std::string& pod) {
    for (const Value& each : list(kPods)) {
      if (document::text_at(each, {"metadata", "name"}) == pod) {
        return std::string(document::text_at(each, {"spec", "nodeName"}));
      }
    }
    return "there is no such pod";
  }
  void remove_pod(const std::string& name) {
    kube::ResourceReference one = kPods;
    one.name = name;
    client_->remove(one, {.grace_period_seconds = 0}, [](const kube::Answer<Value>& answer) { EXPECT_TRUE(answer); });
    wait();
  }
};

TEST_F(GroupSpellingsTest, APodGroupOfTheSchedulerPluginsStartsWholeAndSaysSo) {
  const kube::ResourceReference groups{"scheduling.x-k8s.io", "v1alpha1", "podgroups", "default"};
  const auto phase = [&] { return std::string(document::text_at(list(groups).front(), {"status", "phase"})); };
  start({node("a")});
  apply(groups, R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {minMember: 3}
)");
  wait();
  EXPECT_EQ(phase(), "Pending");
  for (const char* name : {"p0", "p1", "p2"}) add_pod(name, "labels: {scheduling.x-k8s.io/pod-group: train}");
  wait();
  EXPECT_EQ(on_nodes(), 0U);
  EXPECT_EQ(phase(), "Scheduling");
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);
  EXPECT_EQ(phase(), "Running");
}

TEST_F(GroupSpellingsTest, AJobOfVolcanoStartsWhole) {
  const kube::ResourceReference jobs{"batch.volcano.sh", "v1alpha1", "jobs", "default"};
  start({node("a")});
  apply(jobs, volcano_job("default-scheduler"));
  wait();
  EXPECT_THAT(list({"scheduling.volcano.sh", "v1beta1", "podgroups", "default"}), SizeIs(1));
  EXPECT_THAT(list(kPods), SizeIs(3));
  EXPECT_EQ(on_nodes(), 0U);
  add_node("b");
  EXPECT_EQ(on_nodes(), 3U);
}

TEST_F(GroupSpellingsTest, APodGroupOfVolcanoIsToldOfInEventsOfItsOwn) {
  start({node("a")});
  apply({"scheduling.volcano.sh", "v1beta1", "podgroups", "default"}, R"(
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {minMember: 3}
)");
  for (const char* name : {"p0", "p1", "p2"}) add_pod(name, "annotations: {scheduling.k8s.io/group-name: train}");
  wait();
  ASSERT_FALSE(events("Unschedulable").empty());
  EXPECT_THAT(events("Unschedulable").front(), ::testing::StartsWith("3/3 tasks in gang unschedulable: pod group is "));
  add_node("b");
  EXPECT_THAT(events("Scheduled"), ::testing::Contains("pod group is ready"));
}

TEST_F(GroupSpellingsTest, AGroupFollowsItsPriorityClass) {
  const kube::ResourceReference classes{"scheduling.k8s.io", "v1", "priorityclasses"};
  const kube::ResourceReference groups{"scheduling.volcano.sh", "v1beta1", "podgroups", "default"};
  start({});
  for (const char* name : {"first", "second"}) {
    apply(groups, fmt::format("{{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {{name: {0}, "
                              "namespace: default}}, spec: {{minMember: 2, priorityClassName: of-{0}}}}}",
                              name));
    for (int i = 0; i < 2; ++i) {
      add_pod(fmt::format("{}-{}", name, i), fmt::format("annotations: {{scheduling.k8s.io/group-name: {}}}", name));
    }
  }
  wait();
  // The class comes after all of them, and before there is room for one of the two. Whichever is tried first, the
  // second has the room in the end.
  apply(classes, "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: of-second}, value: 1000}");
  add_node("a");
  EXPECT_EQ(node_of("second-0"), "a");
  EXPECT_EQ(node_of("second-1"), "a");
  EXPECT_EQ(on_nodes(), 2U);
}

TEST_F(GroupSpellingsTest, PodsOfKueueSayThemselvesHowManyTheyAre) {
  const std::string member =
      "labels: {kueue.x-k8s.io/queue-name: q, kueue.x-k8s.io/pod-group-name: train}, "
      "annotations: {kueue.x-k8s.io/pod-group-total-count: '3'}";
  start({node("a"), node("b")});
  add_pod("p0", member);
  add_pod("p1", member);
  wait();
  EXPECT_EQ(on_nodes(), 0U);
  add_pod("p2", member);
  wait();
  EXPECT_EQ(on_nodes(), 3U);
}

/// A gang of three of which one has succeeded, and another is lost and replaced.
class SucceededMemberTest : public GroupSpellingsTest {
 protected:
  void lose_one_after_another_has_succeeded(ClusterOptions options) {
    start({node("a"), node("b")}, std::move(options));
    apply({"scheduling.k8s.io", "v1alpha2", "podgroups", "default"}, R"(
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata: {name: train, namespace: default}
spec: {schedulingPolicy: {gang: {minCount: 3}}}
)");
    const std::string spec = "restartPolicy: Never, schedulingGroup: {podGroupName: train},";
    add_pod("p0", "annotations: {loadline.dev/run-time: 5s}", spec);
    add_pod("p1", "annotations: {loadline.dev/run-time: forever}", spec);
    add_pod("p2", "annotations: {loadline.dev/run-time: forever}", spec);
    wait();
    ASSERT_EQ(on_nodes(), 3U);
    loop_.advance(Duration::seconds(20));
    remove_pod("p2");
    add_pod("p3", "annotations: {loadline.dev/run-time: forever}", spec);
    wait();
  }
};

TEST_F(SucceededMemberTest, CountsSoThatTheReplacementStarts) {
  lose_one_after_another_has_succeeded({});
  EXPECT_NE(node_of("p3"), "");
  remove_pod("p0");  // what has succeeded is forgotten with its object
  remove_pod("p3");
  add_pod("p4", "annotations: {loadline.dev/run-time: forever}",
          "restartPolicy: Never, schedulingGroup: {podGroupName: train},");
  wait();
  EXPECT_EQ(node_of("p4"), "");
}

TEST_F(SucceededMemberTest, DoesNotCountIfThePolicySaysSo) {
  ClusterOptions options;
  options.policy.emplace().gang.minimum = gang::GroupMinimum::kUnfinished;
  lose_one_after_another_has_succeeded(std::move(options));
  EXPECT_EQ(node_of("p3"), "");
}

}  // namespace
}  // namespace loadline::embedded
