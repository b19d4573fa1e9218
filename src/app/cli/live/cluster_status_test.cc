#include "app/cli/live/cluster_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"
#include "foundation/document/writer.h"

namespace loadline::cli {
namespace {

using document::Value;

std::vector<Value> yaml(const std::string& text) { return document::read_yaml(text, "test").documents; }

TEST(ClusterStatus, CountsWhatIsAllocatedAndWhatWaits) {
  const ClusterStatus status = summarize({yaml(R"(
metadata: {name: a}
status: {allocatable: {cpu: "8", memory: 32Gi, pods: "110", nvidia.com/gpu: "4"}, conditions: [{type: Ready, status: "True"}]}
---
metadata: {name: b}
spec: {unschedulable: true}
status: {allocatable: {cpu: "8", nvidia.com/gpu: "4"}, conditions: [{type: Ready, status: Unknown}]}
)"),
                                          yaml(R"(
metadata: {name: runs, namespace: x}
spec: {nodeName: a, containers: [{name: c, resources: {requests: {cpu: 500m, nvidia.com/gpu: "3"}}}]}
status: {phase: Running}
---
metadata: {name: done, namespace: x}
spec: {nodeName: a, containers: [{name: c, resources: {requests: {nvidia.com/gpu: "1"}}}]}
status: {phase: Succeeded}
---
metadata: {name: starts, namespace: x}
spec: {nodeName: a, containers: [{name: c}]}
status: {phase: Pending}
---
metadata: {name: w2, namespace: x}
spec: {containers: [{name: c}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: full}]}
---
metadata: {name: w1, namespace: x}
spec: {containers: [{name: c}]}
status: {phase: Pending, conditions: [{type: PodScheduled, status: "False", reason: Unschedulable, message: full}]}
---
metadata: {name: goes, namespace: x, deletionTimestamp: "2026-01-01T00:00:00Z"}
spec: {nodeName: a, containers: [{name: c}]}
status: {phase: Running}
---
metadata: {name: fresh, namespace: x}
spec: {containers: [{name: c}]}
status: {phase: Pending}
)"),
                                          {},
                                          {}},
                                         5);
  EXPECT_EQ(status.nodes, 2U);
  EXPECT_EQ(status.ready_nodes, 1U);
  EXPECT_EQ(status.cordoned_nodes, 1U);
  EXPECT_EQ(status.resources.at("nvidia.com/gpu").allocated.to_string(), "3");  // what has ended holds nothing
  EXPECT_EQ(status.resources.at("nvidia.com/gpu").all.to_string(), "8");
  EXPECT_EQ(status.resources.at("cpu").allocated.to_string(), "500m");
  EXPECT_FALSE(status.resources.contains("pods"));
  EXPECT_EQ(status.pods.at("Pending"), 4U);
  EXPECT_EQ(status.pods.at("Terminating"), 1U);
  ASSERT_EQ(status.waiting.size(), 2U);
  EXPECT_EQ(status.waiting[0].reason, "full");
  EXPECT_EQ(status.waiting[0].count, 2U);
  EXPECT_EQ(status.waiting[0].example, "x/w1");
  EXPECT_EQ(status.waiting_pods(), 3U);
  EXPECT_EQ(status.on_their_way, 3U);  // starts, goes, fresh
  EXPECT_FALSE(status.is_well());
}

TEST(ClusterStatus, KeepsTheLastWarnings) {
  const ClusterStatus status = summarize({{},
                                          {},
                                          yaml(R"(
{lastTimestamp: "2026-01-01T00:00:03Z", reason: C, message: m, count: 7, involvedObject: {kind: Pod, namespace: x, name: p}}
---
{eventTime: "2026-01-01T00:00:01.000000Z", reason: A, message: m, involvedObject: {kind: Node, name: n1}}
---
{lastTimestamp: "2026-01-01T00:00:02Z", reason: B, message: m, involvedObject: {kind: Node, name: n1}}
)"),
                                          {}},
                                         2);
  ASSERT_EQ(status.warnings.size(), 2U);
  EXPECT_EQ(status.warnings[0].reason, "B");
  EXPECT_EQ(status.warnings[0].about, "Node n1");
  EXPECT_EQ(status.warnings[1].about, "Pod x/p");
  EXPECT_EQ(status.warnings[1].count, 7);
  EXPECT_TRUE(status.is_well());
  EXPECT_EQ(document::write_json(*status_document(status).find("warnings")),
            R"([{"time":"2026-01-01T00:00:02Z","object":"Node n1","reason":"B","message":"m","count":1},)"
            R"({"time":"2026-01-01T00:00:03Z","object":"Pod x/p","reason":"C","message":"m","count":7}])");
}

TEST(ClusterStatus, TellsWhichGroupsAreNotWhole) {
  const ClusterStatus status = summarize({{},
                                          yaml(R"(
metadata: {name: a-0, namespace: x}
spec: {nodeName: n1, schedulingGroup: {podGroupName: a}, containers: [{name: c}]}
status: {phase: Running}
---
metadata: {name: a-1, namespace: x}
spec: {schedulingGroup: {podGroupName: a}, containers: [{name: c}]}
status: {phase: Pending}
---
metadata: {name: a-2, namespace: x}
spec: {nodeName: n1, schedulingGroup: {podGroupName: a}, containers: [{name: c}]}
status: {phase: Succeeded}
---
metadata: {name: b-0, namespace: x, labels: {scheduling.x-k8s.io/pod-group: a}}
spec: {nodeName: n1, containers: [{name: c}]}
status: {phase: Running}
)"),
                                          {},
                                          {}},
                                         5);
  EXPECT_EQ(status.groups, 2U) << "a of Kubernetes, and a of the scheduler-plugins";
  ASSERT_EQ(status.waiting_groups.size(), 1U);
  EXPECT_EQ(status.waiting_groups[0].name, "x/a");
  EXPECT_EQ(status.waiting_groups[0].placed, 1U);
  EXPECT_EQ(status.waiting_groups[0].members, 2U) << "what has ended is none of them";
}

TEST(ClusterStatus, TellsWhatOfAGroupIsCreatedLater) {
  const auto look = [](const std::string& more) {
    ClusterDocuments documents;
    documents.groups = yaml(R"(
metadata: {name: a, namespace: x, annotations: {loadline.dev/later-parts: "workers: 2 of rank!=0"}}
)");
    documents.pods = yaml(R"(
metadata: {name: a-0, namespace: x, labels: {rank: "0"}}
spec: {nodeName: n1, schedulingGroup: {podGroupName: a}, containers: [{name: c}]}
status: {phase: Running}
)" + more);
    return summarize(documents, 5);
  };
  const ClusterStatus begun = look("");
  ASSERT_EQ(begun.waiting_groups.size(), 1U);
  EXPECT_EQ(begun.waiting_groups[0].placed, 1U);
  EXPECT_EQ(begun.waiting_groups[0].to_come, 2U);
  const std::string worker = R"(---
metadata: {name: a-1, namespace: x, labels: {rank: "1"}}
spec: {nodeName: n1, schedulingGroup: {podGroupName: a}, containers: [{name: c}]}
status: {phase: PHASE}
)";
  for (const std::string phase : {"Running", "Succeeded"}) {
    std::string text = worker;
    EXPECT_EQ(look(text.replace(text.find("PHASE"), 5, phase)).waiting_groups.size(), 0U) << phase;
  }
}

TEST(ClusterStatus, TellsWhoHoldsRoom) {
  const ClusterStatus status = summarize({{}, {}, {}, yaml(R"(
metadata: {name: spares, namespace: x}
spec: {perDomain: rack, for: Replacements, template: {spec: {containers: [{name: c}]}}}
status: {phase: Holding, held: 2, nodes: [{name: n1, pods: 2}]}
---
metadata: {name: next, namespace: x}
spec: {pods: 4, template: {spec: {containers: [{name: c}]}}}
status: {phase: Pending, held: 1}
---
metadata: {name: over, namespace: x}
spec: {template: {spec: {containers: [{name: c}]}}}
status: {phase: Consumed, consumed: 1}
)")},
                                         5);
  EXPECT_EQ(document::write_json(*status_document(status).find("reservations")),
            R"([{"name":"x/next","held":1,"waiting":true},)"
            R"({"name":"x/spares","held":2,"for":"replacements","waiting":false}])");
}

TEST(ClusterStatus, CountsWhatNamesAQueueOfAnotherProject) {
  const ClusterStatus status = summarize({{},
                                          yaml(R"(
metadata: {name: a, namespace: x, labels: {kai.scheduler/queue: lab}}
spec: {containers: [{name: c}]}
---
metadata: {name: b, namespace: x, labels: {kueue.x-k8s.io/queue-name: team}}
spec: {nodeName: n1, containers: [{name: c}]}
status: {phase: Succeeded}
)"),
                                          {},
                                          {},
                                          {},
                                          {},
                                          yaml(R"(
metadata: {name: train, namespace: x, labels: {kueue.x-k8s.io/queue-name: team}}
---
metadata: {name: done, namespace: x, labels: {kueue.x-k8s.io/queue-name: team}}
status: {conditions: [{type: Complete, status: "True"}]}
)")},
                                         5);
  EXPECT_EQ(document::write_json(*status_document(status).find("queued")), R"({"KAI":1,"Kueue":1})");
}

TEST(ClusterStatus, SaysNothingOfQueuesThatDecide) {
  ClusterDocuments documents;
  documents.jobs = yaml("metadata: {name: train, namespace: x, labels: {kueue.x-k8s.io/queue-name: team}}");
  EXPECT_THAT(summarize(documents, 5).queued, ::testing::SizeIs(1));
  documents.queues = yaml("metadata: {name: team}");
  EXPECT_THAT(summarize(documents, 5).queued, ::testing::IsEmpty());
}

}  // namespace
}  // namespace loadline::cli
