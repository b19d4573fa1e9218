// Clusters that run on from a snapshot, a dump or a recording of another.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "app/cli/replay_check.h"
#include "command/command.h"
#include "command/up.h"
#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "up/up_server.h"

namespace loadline::command {
namespace {

using document::Value;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Up, ASnapshotPutBackIsTheSameCluster) {
  const Folder folder;
  Server first(folder, "c", {"-f", folder.with("kind.yaml", kKindCluster), "-f", folder.with("work.yaml", kWork)});
  first.says("objects");
  ASSERT_EQ(first.run({"status", "--wait", "30"}).status, 1);
  ASSERT_EQ(first.run({"clock", "pause"}).status, 0);
  const std::string saved = folder.file("saved.yaml");
  ASSERT_EQ(first.run({"snapshot", "save", saved}).status, 0);
  const Ending again = first.run({"snapshot", "save", "-"});
  EXPECT_EQ(again.out, read(saved)) << first_difference(read(saved), again.out);
  EXPECT_THAT(read(saved), Not(HasSubstr("managedFields")));
  EXPECT_EQ(run({"plan", "--cluster", saved, "-q"}).status, 1);

  Server second(folder, "d", {"--speed", "0", "--snapshot", saved});
  ASSERT_THAT(second.says("snapshot  "), Not(HasSubstr("refused")));
  EXPECT_EQ(second.run({"status", "--wait", "10"}).status, 1);
  const Ending copy = second.run({"snapshot", "save", "-"});
  const Value before = document::read_yaml(read(saved), "saved").documents.front();
  const Value after = document::read_yaml(copy.out, "copy").documents.front();
  const auto pods = [](const Value& list) {
    std::vector<std::string> result;
    for (const Value& object : list.find("items")->array()) {
      if (document::text_at(object, {"kind"}) != "Pod") continue;
      result.push_back(std::string(document::text_at(object, {"metadata", "name"})) + " " +
                       std::string(document::text_at(object, {"metadata", "uid"})) + " " +
                       std::string(document::text_at(object, {"spec", "nodeName"})) + " " +
                       std::string(document::text_at(object, {"status", "phase"})));
    }
    return result;
  };
  EXPECT_EQ(pods(before).size(), 3U);
  EXPECT_EQ(pods(before), pods(after));

  // Into the first one nothing needs to be put back.
  const Ending loaded = first.run({"snapshot", "load", saved});
  EXPECT_EQ(loaded.status, 0) << loaded.text();
  EXPECT_THAT(loaded.err, HasSubstr("loaded 0 objects"));
  const Ending broken =
      first.run({"snapshot", "load", folder.with("half.yaml", "apiVersion: v1\nkind: List\nitems: [")});
  EXPECT_EQ(broken.status, 2);
  EXPECT_THAT(broken.err, HasSubstr("nothing was loaded"));
}

/// What `kubectl get -o yaml` says of a real cluster: its nodes and pods are to run on here.
constexpr const char* kDump = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Node
  metadata: {name: real-1, uid: 7a0a1b6e-0000-4000-8000-000000000001, creationTimestamp: "2026-01-01T00:00:00Z",
    labels: {kubernetes.io/hostname: real-1}, resourceVersion: "17"}
  status:
    capacity: {cpu: "16", memory: 64Gi, pods: "110", nvidia.com/gpu: "2"}
    allocatable: {cpu: "15", memory: 60Gi, pods: "110", nvidia.com/gpu: "2"}
    conditions: [{type: Ready, status: "True"}]
- apiVersion: batch/v1
  kind: Job
  metadata: {name: train, namespace: default, uid: 7a0a1b6e-0000-4000-8000-000000000002,
    creationTimestamp: "2026-01-01T00:00:00Z", labels: {batch.kubernetes.io/controller-uid: 7a0a1b6e-0000-4000-8000-000000000002}}
  spec:
    backoffLimit: 6
    completions: 1
    parallelism: 1
    selector: {matchLabels: {batch.kubernetes.io/controller-uid: 7a0a1b6e-0000-4000-8000-000000000002}}
    template:
      metadata: {labels: {batch.kubernetes.io/controller-uid: 7a0a1b6e-0000-4000-8000-000000000002}}
      spec: {restartPolicy: Never, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "1"}}}]}
  status: {active: 1, ready: 1, startTime: "2026-01-01T00:00:00Z", uncountedTerminatedPods: {}}
- apiVersion: v1
  kind: Pod
  metadata: {name: train-abcde, namespace: default, uid: 7a0a1b6e-0000-4000-8000-000000000003,
    creationTimestamp: "2026-01-01T00:00:00Z", finalizers: [batch.kubernetes.io/job-tracking],
    labels: {batch.kubernetes.io/controller-uid: 7a0a1b6e-0000-4000-8000-000000000002, batch.kubernetes.io/job-name: train},
    ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: 7a0a1b6e-0000-4000-8000-000000000002, controller: true}]}
  spec: {nodeName: real-1, restartPolicy: Never, containers: [{name: c, image: x, resources: {limits: {nvidia.com/gpu: "1"}}}]}
  status: {phase: Running, startTime: "2026-01-01T00:00:00Z",
    conditions: [{type: Ready, status: "True"}, {type: PodScheduled, status: "True"}],
    containerStatuses: [{name: c, image: x, imageID: x, ready: true, restartCount: 0, state: {running: {startedAt: "2026-01-01T00:00:00Z"}}}]}
- apiVersion: example.com/v1
  kind: Widget
  metadata: {name: w, namespace: default, uid: 7a0a1b6e-0000-4000-8000-000000000004}
)";

TEST(Up, ADumpOfARealClusterRunsOn) {
  const Folder folder;
  Server server(folder, "e", {"--api-only"});
  server.says("Kubernetes API");
  Server living(folder, "f", {"--nodes", "1"});
  living.says("nodes");
  const Ending loaded = living.run({"snapshot", "load", folder.with("dump.yaml", kDump)});
  EXPECT_EQ(loaded.status, 0) << loaded.text();
  EXPECT_THAT(loaded.err, HasSubstr("loaded 3 objects"));
  EXPECT_THAT(loaded.err, HasSubstr("no such kinds: 1 Widget (example.com/v1)"));
  EXPECT_EQ(living.run({"clock", "step", "1h"}).status, 0);
  const Ending status = living.run({"status", "--wait", "20", "-o", "json"});
  EXPECT_EQ(status.status, 0) << status.text();
  const Value facts = json(status.out);
  EXPECT_EQ(document::find_at(facts, {"nodes", "ready"})->integer(), 2) << status.out;
  EXPECT_EQ(document::find_at(facts, {"pods", "Running"})->integer(), 1) << status.out;
  EXPECT_EQ(document::text_at(facts, {"resources", "nvidia.com/gpu", "allocated"}), "1");
}

TEST(Up, ADumpWithoutAccountsRunsOn) {
  constexpr const char* kRobots = R"(apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: robots, namespace: default, uid: 7a0a1b6e-0000-4000-8000-000000000011}
  spec:
    replicas: 1
    selector: {matchLabels: {app: robots}}
    template:
      metadata: {labels: {app: robots}}
      spec: {serviceAccountName: robot, containers: [{name: main, image: "web:1"}]}
)";
  const Folder folder;
  Server server(folder, "a", {"--nodes", "1", "--snapshot", folder.with("dump.yaml", kRobots)});
  EXPECT_THAT(server.says("snapshot  "), HasSubstr("warning: the snapshot holds no ServiceAccounts"));
  std::size_t pods = 0;
  for (int tries = 0; tries < 100 && pods == 0; ++tries) {
    pods = saved(server, "Pod").size();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_EQ(pods, 1U);
}

/// On two threads and by the wall's clock, with a scheduler that starts anew when the snapshot is put back.
TEST(Up, WhatItsSchedulerDecidedIsDecidedAgain) {
  const Folder folder;
  const std::string recording = folder.file("recording.jsonl");
  Server source(folder, "source", {"--nodes", "4:gpu=a100:8", "-f", folder.with("work.yaml", kWork)});
  ASSERT_THAT(source.says("objects"), HasSubstr("5 created"));
  ASSERT_EQ(source.run({"status", "--wait", "30"}).status, 1);  // train fits nowhere
  const std::string snapshot = folder.file("snapshot.yaml");
  ASSERT_EQ(source.run({"snapshot", "save", snapshot}).status, 0);

  Server server(folder, "recorded", {"--snapshot", snapshot, "--record", recording, "--speed", "10"});
  ASSERT_THAT(server.says("snapshot"), HasSubstr("created"));
  ASSERT_EQ(server.run({"status", "--wait", "30"}).status, 1);
  ASSERT_EQ(server.end(), 0);

  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  cli::Console console{in, out, err, {}, {}};
  EXPECT_EQ(cli::check_recording(recording, console), 0) << out.str();
  EXPECT_THAT(out.str(), AllOf(HasSubstr(" 2 schedulers: no difference"), Not(HasSubstr(" 0 decisions"))));
  EXPECT_THAT(err.str(), IsEmpty());
}

/// The StorageClasses of a cluster that begins with the snapshot of one that had these, by name.
std::vector<std::string> classes_after_restoring(const Folder& folder, const std::string& name, const char* items) {
  const std::string snapshot = "apiVersion: v1\nkind: List\nitems: [" + std::string(items) + "]\n";
  Server server(folder, name, {"--nodes", "1", "--snapshot", folder.with(name + ".yaml", snapshot)});
  server.says("snapshot  ");
  std::vector<std::string> names;
  for (const Value& each : saved(server, "StorageClass"))
    names.emplace_back(document::text_at(each, {"metadata", "name"}));
  return names;
}

TEST(Up, ASnapshotBringsItsOwnStorageClasses) {
  const Folder folder;
  constexpr const char* kNamespace = "{apiVersion: v1, kind: Namespace, metadata: {name: team}}";
  constexpr const char* kFast = R"({apiVersion: storage.k8s.io/v1, kind: StorageClass, provisioner: example.com/fast,
    metadata: {name: fast, annotations: {storageclass.kubernetes.io/is-default-class: "true"}}})";
  EXPECT_THAT(classes_after_restoring(folder, "without", kNamespace), IsEmpty());
  EXPECT_THAT(classes_after_restoring(folder, "with", kFast), ElementsAre("fast"));
}

}  // namespace
}  // namespace loadline::command
