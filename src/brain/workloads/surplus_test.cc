#include "brain/workloads/surplus.h"

#include <gtest/gtest.h>

#include <utility>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/core/node.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::workloads {
namespace {

using testing::owned_pod;
using testing::workload;

kube::Pod on_node(kube::Pod pod, const std::string& node) {
  auto spec = std::make_shared<kube::PodSpec>(*pod.spec);
  spec->node_name = node;
  pod.spec = spec;
  return pod;
}

std::vector<std::string> names(const kube::Objects& objects) {
  std::vector<std::string> result;
  for (const kube::Pod* pod : surplus(objects)) result.push_back(pod->metadata.name);
  return result;
}

using Names = std::vector<std::string>;

TEST(Surplus, IsWhatReplicaSetsHaveTooMuch) {
  kube::Objects objects;
  auto replica_set = workload<kube::ReplicaSet>("web");
  replica_set.replicas = 2;
  objects.of<kube::ReplicaSet>() = {replica_set};
  for (const char* name : {"web-a", "web-b", "web-c"}) {
    objects.of<kube::Pod>().push_back(on_node(owned_pod(name, "ReplicaSet", "web"), name));
  }
  EXPECT_EQ(names(objects), Names{"web-c"});  // of equal ones the last
  objects.of<kube::Pod>()[1].metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] = "-1";
  EXPECT_EQ(names(objects), Names{"web-b"});
  objects.of<kube::Pod>()[0] = on_node(objects.of<kube::Pod>()[0], "");
  EXPECT_EQ(names(objects), Names{"web-a"});  // a pod without a node goes before all others
  objects.of<kube::ReplicaSet>()[0].replicas = 3;
  EXPECT_EQ(names(objects), Names{});
}

TEST(Surplus, GoesFromTheNodeThatHoldsMostSiblingsThenTheYoungest) {
  kube::Objects objects;
  auto replica_set = workload<kube::ReplicaSet>("web");
  replica_set.replicas = 2;
  objects.of<kube::ReplicaSet>() = {replica_set};
  objects.of<kube::Pod>() = {on_node(owned_pod("web-a", "ReplicaSet", "web"), "crowded"),
                             on_node(owned_pod("web-b", "ReplicaSet", "web"), "crowded"),
                             on_node(owned_pod("web-c", "ReplicaSet", "web"), "lonely")};
  objects.of<kube::Pod>()[0].metadata.creation_timestamp = Instant{} + Duration::seconds(20);
  objects.of<kube::Pod>()[1].metadata.creation_timestamp = Instant{} + Duration::seconds(10);
  EXPECT_EQ(names(objects), Names{"web-a"});
}

TEST(Surplus, CountsAllReplicaSetsOfADeployment) {
  kube::Objects objects;
  auto deployment = workload<kube::Deployment>("web");
  deployment.replicas = 1;
  objects.of<kube::Deployment>() = {deployment};
  for (const char* name : {"web-1", "web-2"}) {
    auto replica_set = workload<kube::ReplicaSet>(name);
    replica_set.metadata.owner_references = {{"apps/v1", "Deployment", "web", "", true}};
    objects.of<kube::ReplicaSet>().push_back(replica_set);
    objects.of<kube::Pod>().push_back(on_node(owned_pod(std::string(name) + "-x", "ReplicaSet", name), "n"));
  }
  EXPECT_EQ(names(objects), Names{"web-2-x"});
}

TEST(Surplus, OfStatefulSetsIsTheHighestOrdinals) {
  kube::Objects objects;
  auto stateful_set = workload<kube::StatefulSet>("db");
  stateful_set.replicas = 2;
  stateful_set.ordinals_start = 1;
  objects.of<kube::StatefulSet>() = {stateful_set};
  for (const char* name : {"db-0", "db-1", "db-2", "db-10"}) {
    objects.of<kube::Pod>().push_back(owned_pod(name, "StatefulSet", "db"));
  }
  EXPECT_EQ(names(objects), (Names{"db-0", "db-10"}));
}

TEST(Surplus, OfLeaderWorkerSetsIsTheLastGroups) {
  kube::Objects objects;
  kube::LeaderWorkerSet set;
  set.metadata.name = "llm";
  set.metadata.namespace_ = "default";
  set.replicas = 1;
  objects.of<kube::LeaderWorkerSet>() = {set};
  auto leaders = workload<kube::StatefulSet>("llm");
  leaders.replicas = 2;
  leaders.metadata.owner_references = {{"leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet", "llm", "", true}};
  auto workers = workload<kube::StatefulSet>("llm-1");
  workers.ordinals_start = 1;
  workers.metadata.owner_references = {{"v1", "Pod", "llm-1", "", true}};
  objects.of<kube::StatefulSet>() = {leaders, workers};
  for (const auto& [name, owner] : {std::pair{"llm-0", "llm"}, {"llm-1", "llm"}, {"llm-1-1", "llm-1"}}) {
    kube::Pod pod = owned_pod(name, "StatefulSet", owner);
    pod.metadata.labels["leaderworkerset.sigs.k8s.io/name"] = "llm";
    pod.metadata.labels["leaderworkerset.sigs.k8s.io/group-index"] = name[4];
    objects.of<kube::Pod>().push_back(pod);
  }
  EXPECT_EQ(names(objects), (Names{"llm-1", "llm-1-1"}));
  objects.of<kube::LeaderWorkerSet>()[0].replicas = 2;
  EXPECT_EQ(names(objects), Names{});
}

TEST(Surplus, OfPyTorchJobsIsTheHighestIndexesOfARole) {
  kube::Objects objects;
  kube::PyTorchJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  job.spec.replicas["Master"].replicas = 1;
  job.spec.replicas["Worker"].replicas = 1;
  objects.of<kube::PyTorchJob>() = {job};
  for (const char* name : {"train-master-0", "train-worker-0", "train-worker-1"}) {
    objects.of<kube::Pod>().push_back(owned_pod(name, "PyTorchJob", "train"));
  }
  EXPECT_EQ(names(objects), Names{"train-worker-1"});
}

TEST(Surplus, OfJobsIsWhatExceedsTheirParallelismAndAllOfSuspendedOnes) {
  kube::Objects objects;
  auto job = workload<kube::Job>("train");
  job.spec.parallelism = 1;
  job.spec.completions = 5;
  objects.of<kube::Job>() = {job};
  for (const char* name : {"train-a", "train-b"}) {
    objects.of<kube::Pod>().push_back(on_node(owned_pod(name, "Job", "train"), name));
  }
  EXPECT_EQ(names(objects), Names{"train-b"});
  objects.of<kube::Job>()[0].spec.suspend = true;
  EXPECT_EQ(names(objects), (Names{"train-a", "train-b"}));
  objects.of<kube::Job>()[0].status.conditions = {{"Complete", "True", {}, {}, "", ""}};
  EXPECT_EQ(names(objects), Names{});
}

TEST(Surplus, OfDaemonSetsIsOnNodesThatAreGoneOrNoLongerSelected) {
  kube::Objects objects;
  auto daemon_set = workload<kube::DaemonSet>("agent");
  auto spec = std::make_shared<kube::PodSpec>(*daemon_set.template_.spec);
  spec->node_selector = {{"pool", "gpu"}};
  daemon_set.template_.spec = spec;
  objects.of<kube::DaemonSet>() = {daemon_set};
  for (const char* name : {"labelled", "bare", "full", "drained"}) {
    kube::Node node;
    node.metadata.name = name;
    if (node.metadata.name != "bare") node.metadata.labels["pool"] = "gpu";
    objects.of<kube::Node>().push_back(node);
    objects.of<kube::Pod>().push_back(on_node(owned_pod(std::string("agent-") + name, "DaemonSet", "agent"), name));
  }
  objects.of<kube::Node>()[2].taints = {{"team", "ml", kube::TaintEffect::kNoSchedule, std::nullopt}};
  objects.of<kube::Node>()[3].taints = {{"team", "ml", kube::TaintEffect::kNoExecute, std::nullopt}};
  objects.of<kube::Pod>().push_back(on_node(owned_pod("agent-gone", "DaemonSet", "agent"), "gone"));
  EXPECT_EQ(names(objects), (Names{"agent-bare", "agent-drained", "agent-gone"}));
}

TEST(Surplus, OfRayClustersIsByGroupAndOfSuspendedOnesAll) {
  kube::Objects objects;
  kube::RayCluster cluster;
  cluster.metadata.name = "llm";
  cluster.metadata.namespace_ = "default";
  const kube::PodTemplateSpec one_container = workload<kube::Job>("x").spec.template_;
  cluster.spec.head.template_ = one_container;
  cluster.spec.worker_groups.resize(1);
  cluster.spec.worker_groups[0].name = "gpu";
  cluster.spec.worker_groups[0].replicas = 1;
  cluster.spec.worker_groups[0].template_ = one_container;
  objects.of<kube::RayCluster>() = {cluster};
  const auto add = [&](const char* name, const char* type, const char* group, const char* replica) {
    kube::Pod pod = on_node(owned_pod(name, "RayCluster", "llm"), "n");
    pod.metadata.labels = {
        {"ray.io/node-type", type}, {"ray.io/group", group}, {"ray.io/worker-group-replica-name", replica}};
    objects.of<kube::Pod>().push_back(pod);
  };
  add("head", "head", "headgroup", "");
  add("gpu-a", "worker", "gpu", "one");
  add("gpu-b", "worker", "gpu", "two");
  add("gpu-c", "worker", "gpu", "one");
  add("gone", "worker", "removed", "");
  EXPECT_EQ(names(objects), (Names{"gpu-b", "gpu-c"}));
  kube::RayClusterSpec& spec = objects.of<kube::RayCluster>()[0].spec;
  spec.worker_groups[0].hosts_per_replica = 2;
  EXPECT_EQ(names(objects), Names{"gpu-b"}) << "replicas go whole";
  spec.has_autoscaler = true;
  EXPECT_EQ(names(objects), Names{}) << "Ray chooses";
  spec.suspend = true;
  EXPECT_EQ(names(objects).size(), 5U);
}

TEST(Surplus, LeavesAloneWhatIsLeavingOrHasFinished) {
  kube::Objects objects;
  auto replica_set = workload<kube::ReplicaSet>("web");
  replica_set.replicas = 0;
  objects.of<kube::ReplicaSet>() = {replica_set};
  objects.of<kube::Pod>() = {owned_pod("web-a", "ReplicaSet", "web"), owned_pod("web-b", "ReplicaSet", "web")};
  objects.of<kube::Pod>()[0].metadata.deletion_timestamp = testing::kNow;
  objects.of<kube::Pod>()[1].status.phase = kube::PodPhase::kSucceeded;
  EXPECT_EQ(names(objects), Names{});
  objects.of<kube::Pod>()[1].status.phase = kube::PodPhase::kRunning;
  objects.of<kube::ReplicaSet>()[0].metadata.deletion_timestamp = testing::kNow;
  EXPECT_EQ(names(objects), Names{});
}

}  // namespace
}  // namespace loadline::workloads
