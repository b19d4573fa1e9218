#include "hosts/timeline/timeline.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "foundation/document/reader.h"
#include "hosts/timeline/testing/play.h"

namespace loadline::timeline {
namespace {

using testing::digest;
using testing::job;
using testing::minutes;
using testing::node;
using testing::play;
using testing::steps;
using testing::text;
using testing::workload;

TEST(Timeline, LetsJobsTakeTurnsOnOneGpu) {
  const Timeline timeline = play(node("a") + job("first") + job("second") + job("third"));
  // A pod starts as soon as it is bound, runs for its ten minutes, and makes room at once: docs/virtual-nodes.md.
  for (const auto& [name, turn] : std::map<std::string, int>{{"first", 0}, {"second", 1}, {"third", 2}}) {
    const WorkloadLife& life = workload(timeline, name);
    EXPECT_EQ(text(life.arrived), "0.000") << name;
    EXPECT_EQ(life.ending, Ending::kCompleted) << name;
    EXPECT_EQ(life.ended->nanoseconds - life.started->nanoseconds, minutes(10).nanoseconds) << name;
    EXPECT_EQ(life.all_started, life.started) << name;
    EXPECT_EQ(life.failed_pods, 0U) << name;
  }
  std::vector<std::string> starts;
  for (const PodLife& pod : timeline.pods) starts.push_back(text(pod.started));
  std::ranges::sort(starts);
  EXPECT_EQ(starts, (std::vector<std::string>{"0.000", "1200.000", "600.000"}));
  EXPECT_TRUE(timeline.is_idle);
  EXPECT_EQ(timeline.end, minutes(30)) << "when the last thing happened";
  EXPECT_TRUE(timeline.notes.empty()) << digest(timeline);
  ASSERT_EQ(timeline.resources.size(), 3U);
  EXPECT_EQ(timeline.resources[2].resource, "nvidia.com/gpu");
  // The GPU is handed over within an instant: it is never free in between.
  EXPECT_EQ(steps(timeline.resources[2].requested), "0.000=1 1800.000=0");
  EXPECT_EQ(steps(timeline.resources[2].allocatable), "0.000=1");
  EXPECT_EQ(steps(timeline.pending_pods), "0.000=2 600.000=1 1200.000=0");
}

TEST(Timeline, TellsOfQueuesAsTheyAreUsed) {
  const std::string queues = R"(---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: any}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors: [{name: any, resources: [{name: cpu, nominalQuota: 8}, {name: nvidia.com/gpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: default, namespace: default}
spec: {clusterQueue: team}
)";
  const Timeline timeline = play(node("a", 2) + queues + job("first") + job("second"));
  EXPECT_TRUE(timeline.notes.empty()) << digest(timeline);
  ASSERT_EQ(timeline.queues.size(), 1U);
  const QueueLife& queue = timeline.queues.front();
  EXPECT_EQ(queue.name, "team");
  EXPECT_EQ(queue.resource, "nvidia.com/gpu");
  EXPECT_EQ(queue.nominal, 1);
  const auto most = [](const std::vector<Step>& steps) {
    return std::ranges::max_element(steps, {}, &Step::value)->value;
  };
  EXPECT_EQ(most(queue.pending), 1) << "there are GPUs for both, and quota for one";
  EXPECT_EQ(most(queue.used), 1);
  EXPECT_EQ(queue.pending.back().value, 0);
  EXPECT_EQ(queue.used.back().value, 0);
  EXPECT_GE(*workload(timeline, "second").started, minutes(10));
}

TEST(Timeline, TellsWhyAJobFailed) {
  const Timeline timeline =
      play(node("a") + job("bad", "loadline.dev/run-time: 1m, loadline.dev/exit-code: '3'", "backoffLimit: 1"));
  const WorkloadLife& life = workload(timeline, "bad");
  EXPECT_EQ(life.ending, Ending::kFailed);
  EXPECT_EQ(life.message, "Job has reached the specified backoff limit");
  EXPECT_EQ(life.pods, 2U);
  EXPECT_EQ(life.failed_pods, 2U);
  EXPECT_TRUE(timeline.is_idle);
  // The second attempt comes 10 s after the first one failed.
  EXPECT_EQ(text(timeline.pods[1].created), "70.000");
  EXPECT_EQ(timeline.pods[0].message, "container main ended with exit code 3 (Error)");
  EXPECT_EQ(timeline.pods[0].ending, Ending::kFailed);
}

TEST(Timeline, WatchesWhatNeverEndsForAsLongAsItIsTold) {
  const std::string deployment = R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: web, resources: {requests: {cpu: "1"}}}]}
)";
  const Timeline timeline = play(node("a") + deployment, minutes(8 * 60));
  ASSERT_EQ(timeline.workloads.size(), 1U);
  EXPECT_EQ(timeline.workloads[0].name, (WorkloadName{"Deployment", "default", "web"}));
  EXPECT_EQ(timeline.workloads[0].ending, Ending::kRunning);
  EXPECT_EQ(text(timeline.workloads[0].all_started), "0.000");
  EXPECT_FALSE(timeline.workloads[0].ended);
  EXPECT_EQ(timeline.workloads[0].pods, 3U);
  EXPECT_EQ(timeline.end, minutes(8 * 60));
  EXPECT_TRUE(timeline.is_idle) << "nothing has happened for hours";
  EXPECT_EQ(steps(timeline.resources[0].requested), "0.000=3");
}

TEST(Timeline, SaysInKubernetesWordsWhyAPodWaits) {
  const Timeline timeline = play(node("a") + job("big", "loadline.dev/run-time: 10m", "parallelism: 1", 9));
  const WorkloadLife& life = workload(timeline, "big");
  EXPECT_EQ(life.ending, Ending::kPending);
  EXPECT_FALSE(life.started);
  EXPECT_EQ(life.message.substr(0, 52), "0/1 nodes are available: 1 Insufficient nvidia.com/g") << life.message;
  EXPECT_EQ(timeline.pods[0].message, life.message);
  EXPECT_TRUE(timeline.is_idle);
  EXPECT_EQ(steps(timeline.pending_pods), "0.000=1");
}

TEST(Timeline, EndsWhereItIsTold) {
  const Timeline timeline = play(node("a") + job("one") + job("two"), minutes(15));
  EXPECT_EQ(timeline.end, minutes(15));
  EXPECT_FALSE(timeline.is_idle);
  std::vector<Ending> endings = {workload(timeline, "one").ending, workload(timeline, "two").ending};
  std::ranges::sort(endings);
  EXPECT_EQ(endings, (std::vector{Ending::kRunning, Ending::kCompleted}));
}

TEST(Timeline, JumpsOverRunsOfDays) {
  const Timeline timeline = play(node("a") + job("long", "loadline.dev/run-time: 240h") + job("next"));
  EXPECT_TRUE(timeline.is_idle);
  EXPECT_EQ(workload(timeline, "long").ending, Ending::kCompleted);
  EXPECT_EQ(workload(timeline, "next").ending, Ending::kCompleted);
  EXPECT_EQ(timeline.end, minutes(240 * 60 + 10));
}

/// A dump of a cluster: a Job with its pod, which runs on the second of two nodes since a minute before.
std::string dump(const std::string& annotations) {
  return node("a", 1, ", uid: 00000000-0000-0000-0000-00000000000a") +
         node("b", 1, ", uid: 00000000-0000-0000-0000-00000000000b") +
         fmt::format(R"(---
apiVersion: batch/v1
kind: Job
metadata: {{name: old, namespace: default, uid: 00000000-0000-0000-0000-000000000001, generation: 1}}
spec:
  parallelism: 1
  completions: 1
  backoffLimit: 6
  completionMode: NonIndexed
  suspend: false
  selector: {{matchLabels: {{batch.kubernetes.io/controller-uid: 00000000-0000-0000-0000-000000000001}}}}
  template:
    metadata:
      labels: {{batch.kubernetes.io/controller-uid: 00000000-0000-0000-0000-000000000001}}
    spec:
      restartPolicy: Never
      containers: [{{name: main, image: train, resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
status: {{active: 1, ready: 1, terminating: 0, startTime: "2026-01-05T07:59:00Z", uncountedTerminatedPods: {{}}}}
---
apiVersion: v1
kind: Pod
metadata:
  name: old-abcde
  namespace: default
  uid: 00000000-0000-0000-0000-000000000002
  creationTimestamp: "2026-01-05T07:59:00Z"
  annotations: {{{}}}
  finalizers: [batch.kubernetes.io/job-tracking]
  labels: {{batch.kubernetes.io/controller-uid: 00000000-0000-0000-0000-000000000001}}
  ownerReferences:
  - {{apiVersion: batch/v1, kind: Job, name: old, uid: 00000000-0000-0000-0000-000000000001, controller: true,
     blockOwnerDeletion: true}}
spec:
  nodeName: b
  restartPolicy: Never
  containers:
  - {{name: main, image: train, resources: {{limits: {{nvidia.com/gpu: 1}}, requests: {{nvidia.com/gpu: 1}}}}}}
status:
  phase: Running
  startTime: "2026-01-05T07:59:00Z"
  conditions: [{{type: PodScheduled, status: "True"}}, {{type: Ready, status: "True"}}]
  containerStatuses:
  - {{name: main, ready: true, restartCount: 0, image: train, imageID: train, containerID: c,
     state: {{running: {{startedAt: "2026-01-05T07:59:00Z"}}}}}}
)",
                     annotations);
}

TEST(Timeline, LeavesPodsOfADumpWhereTheyAre) {
  const Timeline timeline = play(dump("loadline.dev/expected-duration: 5m") + job("one") + job("two"));
  const WorkloadLife& old = workload(timeline, "old");
  EXPECT_EQ(old.ending, Ending::kCompleted) << digest(timeline);
  EXPECT_EQ(old.pods, 1U);
  EXPECT_EQ(text(old.ended), "240.000") << "five minutes, of which one was over";
  EXPECT_EQ(timeline.pods[0].name, "old-abcde");
  EXPECT_EQ(timeline.pods[0].node, "b");
  EXPECT_EQ(timeline.end, minutes(14)) << "one of the new Jobs waited for the old one";
}

TEST(Timeline, SaysThatPodsOfADumpDoNotSayHowLongTheyRun) {
  const Timeline timeline = play(dump(""));
  EXPECT_EQ(workload(timeline, "old").ending, Ending::kRunning) << digest(timeline);
  EXPECT_TRUE(timeline.is_idle);
  ASSERT_EQ(timeline.notes.size(), 1U);
  EXPECT_EQ(timeline.notes[0].message,
            "1 of the pods that run already are to end some time and do not say when: they run for ever");
}

TEST(Timeline, NoticesDeadNodesAsSoonAsInARealCluster) {
  const Timeline timeline =
      play(node("dead", 1, ", annotations: {loadline.dev/unready: 'true'}") + node("well", 0) + job("one"));
  const WorkloadLife& life = workload(timeline, "one");
  EXPECT_EQ(life.ending, Ending::kPending) << digest(timeline);
  ASSERT_FALSE(timeline.pods.empty());
  // Nothing tells at first that the machine is dead. It is noticed after 50 s, and pods tolerate that for 300 s.
  EXPECT_EQ(timeline.pods[0].node, "dead");
  EXPECT_FALSE(timeline.pods[0].started);
  EXPECT_EQ(text(timeline.pods[1].created), "360.000") << "its Job replaces it 10 s later";
}

TEST(Timeline, DoesNotWaitForCronJobsToEnd) {
  const std::string cron = R"(---
apiVersion: batch/v1
kind: CronJob
metadata: {name: often}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: tick}]}}}
)";
  const Timeline timeline = play(node("a") + cron + job("one"));
  EXPECT_TRUE(timeline.is_idle);
  ASSERT_EQ(timeline.notes.size(), 2U);
  EXPECT_TRUE(timeline.notes[0].message.ends_with("in a plan without --until no pod ends"))
      << timeline.notes[0].message;
  EXPECT_EQ(timeline.notes[1].message, "CronJobs begin new runs for ever, which nothing waits for the end of");
  const Timeline hour = play(node("a") + cron, minutes(61));
  // At 8:05, 8:10, … 9:00: all of them are shown under the CronJob.
  EXPECT_EQ(workload(hour, "often").name.kind, "CronJob");
  EXPECT_EQ(workload(hour, "often").pods, 12U);
  EXPECT_EQ(text(workload(hour, "often").arrived), "300.100")
      << "the CronJob controller looks 100 ms late, as upstream";
}

TEST(Timeline, ShowsGroupsUnderWhatAPersonWrote) {
  const std::string group = R"(---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: group}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 3
    workerTemplate: {spec: {containers: [{name: main, image: serve, resources: {requests: {cpu: "1"}}}]}}
)";
  const Timeline timeline = play(node("a") + group);
  ASSERT_EQ(timeline.workloads.size(), 1U) << digest(timeline);
  EXPECT_EQ(timeline.workloads[0].name.kind, "LeaderWorkerSet");
  EXPECT_EQ(timeline.workloads[0].pods, 6U) << "a leader is a pod, and owns its workers";
}

TEST(Timeline, ShowsWorkThatIsSuspended) {
  const Timeline timeline = play(node("a") + job("later", "a: b", "suspend: true"));
  EXPECT_EQ(workload(timeline, "later").ending, Ending::kPending);
  EXPECT_EQ(workload(timeline, "later").message, "Job suspended");
  EXPECT_EQ(workload(timeline, "later").pods, 0U);
}

TEST(Timeline, TakesClustersOfKindAndNamespacesThatAreOnlyMentioned) {
  const std::string kind = R"(---
apiVersion: kind.x-k8s.io/v1alpha4
kind: Cluster
name: dev
nodes: [{role: control-plane}, {role: worker}]
)";
  const std::string pod = R"(---
apiVersion: v1
kind: Pod
metadata: {name: alone, namespace: ml, annotations: {loadline.dev/run-time: 10s}}
spec: {restartPolicy: Never, serviceAccountName: trainer, containers: [{name: main, image: train}]}
)";
  const Timeline timeline = play(kind + pod);
  EXPECT_TRUE(timeline.notes.empty()) << digest(timeline);
  EXPECT_EQ(timeline.nodes.size(), 2U);
  ASSERT_EQ(timeline.pods.size(), 1U);
  EXPECT_EQ(timeline.pods[0].node, "dev-worker");
  EXPECT_EQ(text(timeline.pods[0].ended), "10.000") << "pods that are to end run for 10 s if nothing else is said";
  EXPECT_EQ(timeline.workloads[0].name, (WorkloadName{"Pod", "ml", "alone"}));
  EXPECT_EQ(timeline.workloads[0].ending, Ending::kCompleted);
}

TEST(Timeline, TakesTheLastOfObjectsOfOneName) {
  const std::string web = R"(---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web}}
spec:
  replicas: {}
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec: {{containers: [{{name: main, image: web, resources: {{requests: {{cpu: "1"}}}}}}]}}
)";
  const Timeline timeline =
      play(node("a") + fmt::format(fmt::runtime(web), 1) + fmt::format(fmt::runtime(web), 3) + job("one"));
  EXPECT_TRUE(timeline.notes.empty()) << digest(timeline);
  EXPECT_EQ(workload(timeline, "web").pods, 3U);
}

TEST(Timeline, NeedsNodes) {
  const Result<Timeline> timeline = run(document::read_yaml(job("one"), "test").documents, {});
  ASSERT_FALSE(timeline);
  EXPECT_EQ(timeline.error().message, "there are no nodes: a timeline needs some to run pods on");
}

TEST(Timeline, SaysWhatWasRefused) {
  const Timeline timeline = play(node("a") + job("one", "a: b", "parallelism: -1"));
  ASSERT_EQ(timeline.notes.size(), 1U);
  EXPECT_EQ(timeline.notes[0].subject, "Job one");
  EXPECT_NE(timeline.notes[0].message.find("spec.parallelism"), std::string::npos) << timeline.notes[0].message;
}

}  // namespace
}  // namespace loadline::timeline
