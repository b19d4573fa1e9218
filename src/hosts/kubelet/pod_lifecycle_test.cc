#include "hosts/kubelet/pod_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/kubelet/pod_status.h"
#include "objects/kube/core/node.h"

namespace loadline::kubelet {
namespace {

using controllers::testing::TestCluster;
using document::Value;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class PodLifecycleTest : public ::testing::Test {
 protected:
  PodLifecycleTest() {
    cluster_.add(make_pod_lifecycle({}));
    put_node("");
  }

  void put_node(const std::string& annotation) {
    cluster_.apply("metadata: {name: node-1, uid: u, annotations: {kwok.x-k8s.io/node: fake" + annotation + "}}" + R"(
kind: Node
apiVersion: v1
spec: {podCIDR: 10.1.2.0/24}
status:
  allocatable: {cpu: "4", memory: 8Gi, pods: "10", nvidia.com/gpu: "2"}
  addresses: [{type: InternalIP, address: 172.18.0.2}]
)");
    cluster_.settle();
  }

  /// A pod that is bound to the node.
  void bind(const std::string& name, const std::string& annotations, const std::string& spec,
            const std::string& labels = "{}") {
    cluster_.apply("{kind: Pod, apiVersion: v1, metadata: {name: " + name + ", labels: " + labels + ", annotations: {" +
                   annotations + "}}, spec: {nodeName: node-1, " + spec +
                   "}, status: {phase: Pending, conditions: [{type: PodScheduled, status: 'True', lastTransitionTime: "
                   "'2026-01-01T00:00:00Z'}]}}");
    cluster_.settle();
  }
  void wait(std::int64_t seconds) { cluster_.wait(Duration::seconds(seconds)); }
  /// Asks for the deletion, as the API server marks it.
  void ask_to_delete(const std::string& name, std::int64_t grace) {
    const std::string at = format_rfc3339(cluster_.now + Duration::seconds(grace));
    cluster_.set<kube::Pod>(name, {"metadata", "deletionGracePeriodSeconds"}, Value(grace));
    cluster_.set<kube::Pod>(name, {"metadata", "deletionTimestamp"}, Value(at));
    cluster_.settle();
  }
  [[nodiscard]] Value document(const std::string& name) const {
    const auto pod = cluster_.get<kube::Pod>(name);
    return pod == nullptr ? Value() : pod->document;
  }
  [[nodiscard]] std::string phase(const std::string& name) const {
    return std::string(document::text_at(document(name), {"status", "phase"}));
  }
  /// "Ready=False ContainersNotReady".
  [[nodiscard]] std::string condition(const std::string& name, const std::string& type) const {
    const auto pod = cluster_.get<kube::Pod>(name);
    for (const kube::Condition& one : pod->view.status.conditions) {
      if (one.type == type) return one.status + (one.reason.empty() ? "" : ' ' + one.reason);
    }
    return "none";
  }
  [[nodiscard]] const kube::ContainerStatus& container(const std::string& name, std::size_t index = 0) const {
    return cluster_.get<kube::Pod>(name)->view.status.container_statuses.at(index);
  }
  /// "running", "waiting CrashLoopBackOff", "terminated 137 OOMKilled".
  [[nodiscard]] std::string state(const std::string& name, std::size_t index = 0) const {
    return say(container(name, index).state);
  }
  [[nodiscard]] std::string init_state(const std::string& name, std::size_t index) const {
    return say(cluster_.get<kube::Pod>(name)->view.status.init_container_statuses.at(index).state);
  }
  static std::string say(const kube::ContainerState& state) {
    if (state.running) return "running";
    if (state.terminated)
      return "terminated " + std::to_string(state.terminated->exit_code) + ' ' + state.terminated->reason;
    return state.waiting ? "waiting " + state.waiting->reason : "none";
  }

  TestCluster cluster_;
};

constexpr const char* kOne = "containers: [{name: c, image: nginx}]";
constexpr const char* kJob = "restartPolicy: Never, containers: [{name: c, image: nginx}]";

TEST_F(PodLifecycleTest, RunsABoundPodWithOneWrite) {
  bind("web", "", kOne);
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status web"));
  EXPECT_EQ(phase("web"), "Running");
  EXPECT_EQ(state("web"), "running");
  for (const char* type : {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    EXPECT_EQ(condition("web", type), "True") << type;
  }
  const auto& status = cluster_.get<kube::Pod>("web")->view.status;
  EXPECT_EQ(status.pod_ip, "10.1.2.2");
  EXPECT_EQ(status.host_ip, "172.18.0.2");
  EXPECT_TRUE(container("web").ready);
  EXPECT_THAT(
      cluster_.events,
      ElementsAre("Normal Pulled Container image \"nginx\" already present on machine and can be accessed by the pod",
                  "Normal Created Container created", "Normal Started Container started"));
  EXPECT_EQ(cluster_.again_after, std::nullopt);
  wait(3600);
  EXPECT_EQ(cluster_.done.size(), 1U);
}

TEST_F(PodLifecycleTest, KnowsItsHostsAddressOnceThatHasOne) {
  cluster_.apply(
      "{kind: Node, apiVersion: v1, metadata: {name: node-1, uid: u, annotations: {kwok.x-k8s.io/node: fake}}, spec: "
      "{podCIDR: 10.1.2.0/24}, status: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}}");
  bind("web", "", kOne);
  EXPECT_EQ(cluster_.get<kube::Pod>("web")->view.status.host_ip, "");
  put_node("");
  EXPECT_EQ(cluster_.get<kube::Pod>("web")->view.status.host_ip, "172.18.0.2");
}

/// The server merges addresses, and takes no two of a family. Simulation: a node came back with another address, and
/// nothing could be told of its pods any more.
TEST_F(PodLifecycleTest, AnAddressTakesThePlaceOfTheOneBefore) {
  cluster_.apply(
      "{kind: Pod, apiVersion: v1, metadata: {name: web, uid: u}, status: {hostIP: 10.0.0.1, hostIPs: [{ip: "
      "10.0.0.1}], "
      "podIPs: [{ip: 10.1.0.1}]}}");
  const auto list = [](const char* ip) {
    return Value(document::Array{Value(document::Object{{"ip", Value(ip), {}}})});
  };
  const Value status(document::Object{{"hostIPs", list("10.0.0.2"), {}}, {"podIPs", list("10.1.0.1"), {}}});
  const Value patch = status_patch(*cluster_.get<kube::Pod>("web"), status);
  EXPECT_EQ(document::write_json(*document::find_at(patch, {"status"})),
            R"({"hostIPs":[{"$patch":"delete","ip":"10.0.0.1"},{"ip":"10.0.0.2"}]})");
}

TEST_F(PodLifecycleTest, LeavesPodsOfRealNodesAlone) {
  cluster_.apply("{kind: Pod, apiVersion: v1, metadata: {name: other}, spec: {nodeName: real}}");
  cluster_.settle();
  EXPECT_THAT(cluster_.done, IsEmpty());
}

TEST_F(PodLifecycleTest, DeletesADeletedPodOnceItHasStopped) {
  bind("web", "loadline.dev/stop-time: 5s", kOne);
  cluster_.done.clear();
  ask_to_delete("web", 30);
  EXPECT_THAT(cluster_.done, IsEmpty());
  EXPECT_THAT(cluster_.events.back(), "Normal Killing Stopping container c");
  EXPECT_EQ(cluster_.again_after, Duration::seconds(5));
  wait(5);
  EXPECT_THAT(cluster_.done, ElementsAre("patch pods/status web", "delete pods web"));
  EXPECT_EQ(cluster_.get<kube::Pod>("web"), nullptr);
}

TEST_F(PodLifecycleTest, KillsAtTheEndOfTheGracePeriod) {
  bind("slow", "loadline.dev/stop-time: 1h", kOne);
  cluster_.refuse = [](const watching::Action& action) -> std::optional<kube::Status> {
    if (action.verb != watching::Action::Verb::kDelete) return std::nullopt;
    return kube::Status{500, "InternalError", "later", {}};
  };
  ask_to_delete("slow", 3);
  wait(2);
  EXPECT_EQ(state("slow"), "running");
  wait(1);
  EXPECT_EQ(state("slow"), "terminated 137 Error");
  EXPECT_EQ(phase("slow"), "Failed");
}

TEST_F(PodLifecycleTest, EndsAJob) {
  bind("job", "", kJob);
  EXPECT_EQ(phase("job"), "Running");
  EXPECT_EQ(cluster_.again_after, Duration::seconds(10));
  wait(10);
  EXPECT_EQ(phase("job"), "Succeeded");
  EXPECT_EQ(state("job"), "terminated 0 Completed");
  EXPECT_EQ(condition("job", "Ready"), "False PodCompleted");
  EXPECT_EQ(condition("job", "Initialized"), "True PodCompleted");
  EXPECT_EQ(container("job").state.terminated->finished_at, cluster_.now);
}

TEST_F(PodLifecycleTest, FailsAsAnnotated) {
  bind("oom", "loadline.dev/failure: OOMKilled, loadline.dev/run-time: 3s", kJob);
  wait(3);
  EXPECT_EQ(phase("oom"), "Failed");
  EXPECT_EQ(state("oom"), "terminated 137 OOMKilled");
}

TEST_F(PodLifecycleTest, BacksOffFromCrashes) {
  bind("crash", "loadline.dev/failure: Error, loadline.dev/run-time: 1s", kOne);
  wait(1);
  EXPECT_EQ(state("crash"), "terminated 1 Error");
  EXPECT_EQ(phase("crash"), "Running");
  wait(1);
  EXPECT_EQ(state("crash"), "running");
  EXPECT_EQ(container("crash").restart_count, 1);
  wait(1);
  EXPECT_EQ(state("crash"), "waiting CrashLoopBackOff");
  EXPECT_EQ(condition("crash", "Ready"), "False ContainersNotReady");
  EXPECT_EQ(cluster_.again_after, Duration::seconds(10));
  EXPECT_THAT(cluster_.events.back(),
              StartsWith("Warning BackOff Back-off restarting failed container c in pod crash_default("));
  wait(11);
  EXPECT_EQ(cluster_.again_after, Duration::seconds(20));
  EXPECT_EQ(container("crash").restart_count, 2);
}

TEST_F(PodLifecycleTest, PullsForAWhileIfTold) {
  bind("slow", "loadline.dev/start-delay: 4s", kOne);
  EXPECT_EQ(phase("slow"), "Pending");
  EXPECT_EQ(state("slow"), "waiting ContainerCreating");
  EXPECT_EQ(condition("slow", "PodReadyToStartContainers"), "False");
  EXPECT_THAT(cluster_.events, ElementsAre("Normal Pulling Pulling image \"nginx\""));
  wait(4);
  EXPECT_EQ(phase("slow"), "Running");
  EXPECT_THAT(cluster_.events.at(1),
              StartsWith("Normal Pulled Successfully pulled image \"nginx\" in 4s (4s including"));
}

TEST_F(PodLifecycleTest, RunsInitContainersOneAfterTheOtherAndSidecarsBeside) {
  bind("many", "loadline.dev/run-time.second: 2s",
       "restartPolicy: Never, initContainers: [{name: first, image: a}, {name: side, image: s, restartPolicy: Always}, "
       "{name: second, image: b}], containers: [{name: c, image: nginx}]");
  EXPECT_EQ(init_state("many", 0), "running");
  EXPECT_EQ(init_state("many", 1), "waiting PodInitializing");
  EXPECT_EQ(condition("many", "Initialized"), "False ContainersNotInitialized");
  wait(1);
  EXPECT_EQ(init_state("many", 0), "terminated 0 Completed");
  EXPECT_EQ(init_state("many", 1), "running");
  EXPECT_EQ(init_state("many", 2), "running");
  EXPECT_EQ(phase("many"), "Pending");
  wait(2);
  EXPECT_EQ(phase("many"), "Running");
  EXPECT_EQ(condition("many", "Ready"), "True");
  wait(10);
  EXPECT_EQ(init_state("many", 1), "terminated 143 Error");
  EXPECT_EQ(phase("many"), "Succeeded");
}

TEST_F(PodLifecycleTest, FailsIfAnInitContainerFailsForGood) {
  bind("bad", "loadline.dev/exit-code.first: '3'",
       "restartPolicy: Never, initContainers: [{name: first, image: a}], containers: [{name: c, image: nginx}]");
  wait(1);
  EXPECT_EQ(phase("bad"), "Failed");
  EXPECT_EQ(init_state("bad", 0), "terminated 3 Error");
  EXPECT_EQ(state("bad"), "waiting PodInitializing");
}

TEST_F(PodLifecycleTest, IsReadyAgainHoweverOftenOthersDenyIt) {
  bind("web", "", kOne);
  ASSERT_EQ(condition("web", "Ready"), "True");
  for (int i = 0; i < 3; ++i) {  // within a second, so that it is the very same patch each time
    document::Array conditions = document::items_at(document("web"), {"status", "conditions"});
    for (Value& each : conditions) {
      if (document::text_at(each, {"type"}) == "Ready") each = std::move(each).with("status", Value("False"));
    }
    cluster_.set<kube::Pod>("web", {"status", "conditions"}, Value(std::move(conditions)));
    cluster_.settle();
    EXPECT_EQ(condition("web", "Ready"), "True") << i;
  }
}

TEST_F(PodLifecycleTest, IsReadyWhenProbesAndGatesSay) {
  bind("gated", "",
       "readinessGates: [{conditionType: example.com/ok}], containers: [{name: c, image: nginx, readinessProbe: "
       "{initialDelaySeconds: 7, periodSeconds: 10, successThreshold: 1}}]");
  EXPECT_EQ(condition("gated", "Ready"), "False ContainersNotReady");
  EXPECT_EQ(phase("gated"), "Running");
  wait(7);
  EXPECT_EQ(condition("gated", "ContainersReady"), "True");
  EXPECT_EQ(condition("gated", "Ready"), "False ReadinessGatesNotReady");
}

TEST_F(PodLifecycleTest, RayServesUntilItIsToldToStop) {
  bind("head", "", "restartPolicy: Never, containers: [{name: ray, image: ray}, {name: ray-job-submitter, image: ray}]",
       "{ray.io/node-type: head}");
  wait(29);
  EXPECT_TRUE(cluster_.get<kube::Pod>("head")->view.status.container_statuses.at(1).state.running);
  wait(1);
  EXPECT_TRUE(cluster_.get<kube::Pod>("head")->view.status.container_statuses.at(1).state.terminated);
  wait(1000);
  EXPECT_TRUE(cluster_.get<kube::Pod>("head")->view.status.container_statuses.at(0).state.running);
}

TEST_F(PodLifecycleTest, EndsPodsPastTheirDeadline) {
  bind("late", "loadline.dev/run-time: forever, loadline.dev/stop-time: 2s",
       std::string("activeDeadlineSeconds: 5, ") + kJob);
  wait(5);
  EXPECT_EQ(phase("late"), "Running");
  EXPECT_THAT(cluster_.events, ::testing::Contains(HasSubstr("DeadlineExceeded")));
  wait(2);
  EXPECT_EQ(phase("late"), "Failed");
  EXPECT_EQ(cluster_.get<kube::Pod>("late")->view.status.reason, "DeadlineExceeded");
}

TEST_F(PodLifecycleTest, RefusesWhatDoesNotFit) {
  bind("big", "", "containers: [{name: c, image: nginx, resources: {requests: {cpu: '3'}}}]");
  bind("bigger", "", "containers: [{name: c, image: nginx, resources: {requests: {cpu: '2'}}}]");
  EXPECT_EQ(phase("big"), "Running");
  EXPECT_EQ(phase("bigger"), "Failed");
  const auto& status = cluster_.get<kube::Pod>("bigger")->view.status;
  EXPECT_EQ(status.reason, "OutOfcpu");
  EXPECT_EQ(status.message,
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 2000, used: 3000, capacity: 4000");
  bind("gpus", "", "containers: [{name: c, image: nginx, resources: {requests: {nvidia.com/gpu: '3'}}}]");
  EXPECT_EQ(cluster_.get<kube::Pod>("gpus")->view.status.reason, "UnexpectedAdmissionError");
  bind("elsewhere", "", "nodeSelector: {zone: b}, containers: [{name: c, image: nginx}]");
  EXPECT_EQ(cluster_.get<kube::Pod>("elsewhere")->view.status.reason, "NodeAffinity");
}

/// The pod that came while the node was gone is looked at first.
TEST_F(PodLifecycleTest, ANodeThatComesBackCountsWhatItHadTaken) {
  const std::string both_gpus = "containers: [{name: c, image: nginx, resources: {requests: {nvidia.com/gpu: '2'}}}]";
  bind("old", "", both_gpus);
  ASSERT_EQ(phase("old"), "Running");
  cluster_.caches.of<kube::Node>().erase({"", "node-1"});
  cluster_.settle();
  bind("new", "", both_gpus);
  put_node("");
  EXPECT_EQ(phase("old"), "Running");
  EXPECT_EQ(phase("new"), "Failed");
  EXPECT_EQ(cluster_.get<kube::Pod>("new")->view.status.reason, "UnexpectedAdmissionError");
}

/// Upstream's end-to-end suite: the scheduler bound a pod to what had become free, and its node refused it for good.
TEST_F(PodLifecycleTest, APodThatWasResizedHoldsWhatItRequestsNow) {
  const auto request = [](const std::string& cpu) {
    return "[{name: c, image: nginx, resources: {requests: {cpu: '" + cpu + "'}}}]";
  };
  const auto resize = [&](const std::string& cpu) {
    cluster_.set<kube::Pod>("big", {"spec", "containers"}, document::read_yaml(request(cpu), "t").documents.at(0));
  };
  bind("big", "", "containers: " + request("3"));
  resize("1");
  bind("next", "", "containers: " + request("3"));
  EXPECT_EQ(phase("next"), "Running");
  ask_to_delete("next", 0);
  resize("2");
  bind("too-big", "", "containers: " + request("3"));
  EXPECT_EQ(cluster_.get<kube::Pod>("too-big")->view.status.message,
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 3000, used: 2000, capacity: 4000");
}

TEST_F(PodLifecycleTest, CannotStartIfToldSo) {
  bind("stuck", "loadline.dev/failure: ImagePullBackOff", kOne);
  EXPECT_EQ(phase("stuck"), "Pending");
  EXPECT_EQ(state("stuck"), "waiting ImagePullBackOff");
  ask_to_delete("stuck", 30);
  EXPECT_EQ(cluster_.get<kube::Pod>("stuck"), nullptr);
}

TEST_F(PodLifecycleTest, SaysWhatItCannotRead) {
  bind("typo", "loadline.dev/run-time: soon", kOne);
  EXPECT_THAT(cluster_.events.front(),
              "Warning InvalidAnnotation Annotation loadline.dev/run-time: \"soon\" is not a duration such as \"90s\" "
              "or \"1h30m\"");
  EXPECT_EQ(phase("typo"), "Running");
}

TEST_F(PodLifecycleTest, StandsStillWhileTheMachineIsDown) {
  bind("web", "", kOne);
  put_node(", loadline.dev/unready: 'true'");
  cluster_.done.clear();
  bind("late", "", kOne);
  ask_to_delete("web", 1);
  wait(60);
  EXPECT_THAT(cluster_.done, IsEmpty());
  EXPECT_EQ(phase("late"), "Pending");
  put_node("");
  EXPECT_EQ(phase("late"), "Running");
  EXPECT_EQ(cluster_.get<kube::Pod>("web"), nullptr);
}

TEST_F(PodLifecycleTest, GoesOnAfterARestartOfTheProcess) {
  bind("job", "loadline.dev/run-time: 60s", kJob);
  wait(20);
  TestCluster second;
  second.now = cluster_.now;
  second.add(make_pod_lifecycle({}));
  for (const auto& [name, node] : cluster_.caches.of<kube::Node>().in("")) second.caches.of<kube::Node>().put(node);
  second.caches.of<kube::Pod>().put(cluster_.get<kube::Pod>("job"));
  second.settle();
  EXPECT_THAT(second.done, IsEmpty());
  EXPECT_EQ(second.again_after, Duration::seconds(40));
  second.wait(Duration::seconds(40));
  EXPECT_EQ(document::text_at(second.get<kube::Pod>("job")->document, {"status", "phase"}), "Succeeded");
}

TEST_F(PodLifecycleTest, RemembersACrashAfterARestartOfTheProcess) {
  bind("crash", "loadline.dev/failure: Error, loadline.dev/run-time: 1s", kOne);
  for (int second = 0; second < 3; ++second) wait(1);
  EXPECT_EQ(state("crash"), "waiting CrashLoopBackOff");
  wait(4);
  TestCluster second;
  second.now = cluster_.now;
  second.add(make_pod_lifecycle({}));
  for (const auto& [name, node] : cluster_.caches.of<kube::Node>().in("")) second.caches.of<kube::Node>().put(node);
  second.caches.of<kube::Pod>().put(cluster_.get<kube::Pod>("crash"));
  second.settle();
  EXPECT_THAT(second.done, IsEmpty());
  EXPECT_EQ(second.again_after, Duration::seconds(6));
  second.wait(Duration::seconds(6));
  const Value status = *document::find_at(second.get<kube::Pod>("crash")->document, {"status", "containerStatuses"});
  EXPECT_EQ(document::text_at(status.array().at(0), {"lastState", "terminated", "reason"}), "Error");
  EXPECT_NE(document::find_at(status.array().at(0), {"state", "running"}), nullptr);
}

}  // namespace
}  // namespace loadline::kubelet
