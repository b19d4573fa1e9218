#include "brain/workloads/gang_workloads.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "objects/kube/scheduling/pod_group.h"
#include "objects/kube/testing/decoding.h"
#include "objects/kube/volcano/pod_group.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// What a plan makes of a manifest: "GROUP minCount: pods that name it", of each group.
std::vector<std::string> groups_of(const std::string& yaml, WholeWorkloads which) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  Expansion expansion = expand(decoding.objects, {}, 1);
  group_whole_workloads(decoding.objects, which, LaterParts::kComeAsTheyAre, expansion);
  std::vector<std::string> groups;
  for (const kube::PodGroup& group : expansion.made.of<kube::PodGroup>()) {
    std::size_t pods = 0;
    for (const CreatedPod& created : expansion.pods) pods += created.pod.spec->pod_group_name == group.metadata.name;
    groups.push_back(group.metadata.name + " " + std::to_string(*group.policy.min_count) + ": " + std::to_string(pods));
  }
  return groups;
}

constexpr const char* kSets = R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: train}
spec:
  replicatedJobs:
  - name: worker
    replicas: 2
    template:
      spec:
        parallelism: 3
        completions: 3
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]}}
---
apiVersion: leaderworkerset.x-k8s.io/v1
kind: LeaderWorkerSet
metadata: {name: serve}
spec:
  replicas: 2
  leaderWorkerTemplate:
    size: 2
    workerTemplate: {spec: {containers: [{name: main, image: "serve:1"}]}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: main, image: "web:1"}]}}
)";

std::string training_job(const std::string& run_policy) {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: bert}\nspec:\n  runPolicy: {" + run_policy +
         R"(}
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "bert:1"}]}}}
    Worker: {replicas: 3, template: {spec: {containers: [{name: pytorch, image: "bert:1"}]}}}
)";
}

TEST(WholeWorkloads, AreSetsOfJobsAndGroupsOfLeadersWithWorkers) {
  EXPECT_THAT(groups_of(kSets, WholeWorkloads::kThatAsk), IsEmpty());
  EXPECT_THAT(groups_of(kSets, WholeWorkloads::kAll),
              ElementsAre("jobset-train 6: 6", "leaderworkerset-serve-0 2: 2", "leaderworkerset-serve-1 2: 2"));
}

TEST(WholeWorkloads, AskInTheirSchedulingPolicy) {
  EXPECT_THAT(groups_of(training_job(""), WholeWorkloads::kThatAsk), IsEmpty());
  EXPECT_THAT(groups_of(training_job(""), WholeWorkloads::kAll), ElementsAre("pytorchjob-bert 4: 4"));
  EXPECT_THAT(groups_of(training_job("schedulingPolicy: {}"), WholeWorkloads::kThatAsk),
              ElementsAre("pytorchjob-bert 4: 4"));
  EXPECT_THAT(groups_of(training_job("schedulingPolicy: {minAvailable: 3}"), WholeWorkloads::kThatAsk),
              ElementsAre("pytorchjob-bert 3: 4"));
}

/// No PodGroup may have a minimum of 0.
TEST(WholeWorkloads, HaveNoGroupOfWhichNoneHasToStart) {
  EXPECT_THAT(groups_of(training_job("schedulingPolicy: {minAvailable: 0}"), WholeWorkloads::kThatAsk), IsEmpty());
  const std::string in_order = R"(
apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: x}
spec:
  startupPolicy: {startupPolicyOrder: InOrder}
  replicatedJobs:
  - {name: a, replicas: 0, template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]}}}}}
  - {name: b, replicas: 2, template: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: "train:1"}]}}}}}
)";
  EXPECT_THAT(groups_of(in_order, WholeWorkloads::kAll), ElementsAre("jobset-x-b 2: 2"));
}

TEST(WholeWorkloads, ThatHaveBegunGoOnWithoutAGroup) {
  const std::string begun = training_job("schedulingPolicy: {}") + R"(---
apiVersion: v1
kind: Pod
metadata:
  name: bert-master-0
  labels: {training.kubeflow.org/job-name: bert, training.kubeflow.org/replica-type: master, training.kubeflow.org/replica-index: "0"}
  ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: bert, uid: u, controller: true}]
spec: {containers: [{name: pytorch, image: "bert:1"}]}
)";
  EXPECT_THAT(groups_of(begun, WholeWorkloads::kAll), IsEmpty());
}

/// "GROUP minCount" of each part of the only object of the kind, and how many of these come first, if not all do.
template <class Kind>
std::vector<std::string> parts_of(const std::string& yaml) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  std::vector<std::string> texts;
  for (const WholePart& part : whole_parts(decoding.objects.of<Kind>().front())) {
    std::int32_t first = part.min_count;
    for (const auto& each : part.later) first -= each.pods * each.copies;
    texts.push_back(part.group + " " + std::to_string(part.min_count));
    if (first < part.min_count) texts.back() += ", " + std::to_string(first) + " first";
    for (const std::string& name : part.starts_after) texts.back() += " after " + name;
  }
  return texts;
}

std::string job_set(const std::string& annotations, const std::string& spec, const std::string& second = "") {
  const std::string job =
      "replicas: 2, template: {spec: {parallelism: 3, completions: 3, template: {spec: {restartPolicy: Never, "
      "containers: [{name: main, image: train}]}}}}";
  return "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: train, annotations: {" + annotations +
         "}}, spec: {" + spec + "replicatedJobs: [{name: a, " + job + "}, {name: b, " + second + job + "}]}}";
}

TEST(WholeParts, OfJobsThatWaitForEachOtherAreApart) {
  EXPECT_THAT(parts_of<kube::JobSet>(job_set("", "")), ElementsAre("jobset-train 12"));
  EXPECT_THAT(parts_of<kube::JobSet>(job_set("", "startupPolicy: {startupPolicyOrder: InOrder}, ")),
              ElementsAre("jobset-train-a 6", "jobset-train-b 6 after jobset-train-a"));
  EXPECT_THAT(parts_of<kube::JobSet>(job_set("", "", "dependsOn: [{name: a, status: Ready}], ")),
              ElementsAre("jobset-train-a 6", "jobset-train-b 6 after jobset-train-a"));
}

TEST(WholeParts, SayWhichPodsComeOnceOthersHaveANode) {
  EXPECT_THAT(parts_of<kube::JobSet>(job_set("alpha.jobset.sigs.k8s.io/exclusive-topology: rack", "")),
              ElementsAre("jobset-train 12, 4 first"));  // the first pod of each Job
  const auto set = [](const std::string& annotations, const std::string& spec) {
    return parts_of<kube::LeaderWorkerSet>(
        "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: serve, annotations: {" +
        annotations + "}}, spec: {replicas: 1, " + spec +
        "leaderWorkerTemplate: {size: 3, workerTemplate: {spec: {containers: [{name: main, image: serve}]}}}}}");
  };
  EXPECT_THAT(set("", ""), ElementsAre("leaderworkerset-serve-0 3"));
  EXPECT_THAT(set("", "startupPolicy: LeaderReady, "), ElementsAre("leaderworkerset-serve-0 3, 1 first"));
  EXPECT_THAT(set("leaderworkerset.sigs.k8s.io/exclusive-topology: rack", ""),
              ElementsAre("leaderworkerset-serve-0 3, 1 first"));
  const auto mpi_job = [](const std::string& spec) {
    const std::string pod = "template: {spec: {containers: [{name: main, image: train}]}}";
    return parts_of<kube::MpiJob>("{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: hpc}, spec: {" +
                                  spec + "mpiReplicaSpecs: {Launcher: {replicas: 1, " + pod +
                                  "}, Worker: {replicas: 4, " + pod + "}}}}");
  };
  EXPECT_THAT(mpi_job(""), ElementsAre("mpijob-hpc 5"));
  EXPECT_THAT(mpi_job("launcherCreationPolicy: WaitForWorkersReady, "), ElementsAre("mpijob-hpc 5, 4 first"));
  const auto least = [&](const std::string& count) {
    return mpi_job(
        "launcherCreationPolicy: WaitForWorkersReady, runPolicy: {schedulingPolicy: {minAvailable: " + count + "}}, ");
  };
  EXPECT_THAT(least("5"), ElementsAre("mpijob-hpc 5, 4 first"));
  EXPECT_THAT(least("3"), ElementsAre("mpijob-hpc 3"));  // the workers reach it
}

TEST(WholeParts, AskByAnAnnotationToo) {
  const std::string marked = job_set("loadline.dev/starts-whole: 'true'", "");
  EXPECT_THAT(groups_of(marked, WholeWorkloads::kThatAsk), ElementsAre("jobset-train 12: 12"));
  EXPECT_THAT(groups_of(job_set("loadline.dev/starts-whole: 'no'", ""), WholeWorkloads::kThatAsk), IsEmpty());
}

TEST(WholeParts, JoinTheGroupThatTheirWorkloadHasAlready) {
  const std::string group = R"(---
apiVersion: scheduling.k8s.io/v1alpha2
kind: PodGroup
metadata:
  name: pytorchjob-bert
  ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: OWNER, uid: u, controller: true}]
spec: {schedulingPolicy: {gang: {minCount: 4}}}
)";
  const auto pods_that_join = [&](std::string owner) {
    std::string own = group;
    own.replace(own.find("OWNER"), 5, owner);
    const kube::Decoding decoding = kube::decode_text(training_job("schedulingPolicy: {}") + own);
    Expansion expansion = expand(decoding.objects, {}, 1);
    group_whole_workloads(decoding.objects, WholeWorkloads::kThatAsk, LaterParts::kComeAsTheyAre, expansion);
    EXPECT_THAT(expansion.made.of<kube::PodGroup>(), IsEmpty());
    return std::ranges::count_if(expansion.pods, [](const CreatedPod& created) {
      return created.pod.spec->pod_group_name == "pytorchjob-bert";
    });
  };
  EXPECT_EQ(pods_that_join("bert"), 4);
  EXPECT_EQ(pods_that_join("another"), 0);
}

TEST(WholeParts, OfElasticWorkloadsAreWhatTheyBeginWith) {
  const auto ray_cluster = [](const std::string& more, const std::string& group) {
    return parts_of<kube::RayCluster>(
        "{apiVersion: ray.io/v1, kind: RayCluster, metadata: {name: llm}, spec: {" + more +
        "headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: ray, image: ray}]}}}, "
        "workerGroupSpecs: [{groupName: w, rayStartParams: {}, template: {spec: {containers: [{name: ray, image: "
        "ray}]}}, " +
        group + "}]}}");
  };
  EXPECT_THAT(ray_cluster("", "replicas: 4, minReplicas: 1"), ElementsAre("raycluster-llm 5"));
  const std::string autoscaled = "enableInTreeAutoscaling: true, ";
  EXPECT_THAT(ray_cluster(autoscaled, "replicas: 4, minReplicas: 1"), ElementsAre("raycluster-llm 2"));
  EXPECT_THAT(ray_cluster(autoscaled, "replicas: 4, minReplicas: 2, numOfHosts: 3"), ElementsAre("raycluster-llm 7"));
  EXPECT_THAT(ray_cluster(autoscaled, "replicas: 4"), ElementsAre("raycluster-llm 1"));
  EXPECT_THAT(ray_cluster(autoscaled, "replicas: 4, minReplicas: 2, suspend: true"), ElementsAre("raycluster-llm 1"));
  const auto torch_job = [](const std::string& more, int workers) {
    return parts_of<kube::PyTorchJob>("{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: el}, spec: {" +
                                      more + "pytorchReplicaSpecs: {Worker: {replicas: " + std::to_string(workers) +
                                      ", template: {spec: {containers: [{name: pytorch, image: el}]}}}}}}");
  };
  EXPECT_THAT(torch_job("", 4), ElementsAre("pytorchjob-el 4"));
  EXPECT_THAT(torch_job("elasticPolicy: {minReplicas: 2, maxReplicas: 4}, ", 4), ElementsAre("pytorchjob-el 2"));
  EXPECT_THAT(torch_job("elasticPolicy: {minReplicas: 2, maxReplicas: 4}, ", 1), ElementsAre("pytorchjob-el 1"));
  EXPECT_THAT(torch_job("elasticPolicy: {maxReplicas: 4}, ", 4), ElementsAre("pytorchjob-el 4"));
  EXPECT_THAT(torch_job("runPolicy: {schedulingPolicy: {minAvailable: 3}}, ", 2), ElementsAre("pytorchjob-el 2"));
}

/// "GROUP minCount" of the groups among the objects that follow their workload.
std::vector<std::string> revised_in(const std::string& yaml) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  Expansion expansion = expand(decoding.objects, {}, 1);
  group_whole_workloads(decoding.objects, WholeWorkloads::kThatAsk, LaterParts::kComeAsTheyAre, expansion);
  std::vector<std::string> groups;
  for (const kube::PodGroup& group : expansion.revised.of<kube::PodGroup>()) {
    groups.push_back(group.metadata.name + " " + std::to_string(*group.policy.min_count));
  }
  for (const kube::VolcanoPodGroup& group : expansion.revised.of<kube::VolcanoPodGroup>()) {
    groups.push_back(group.metadata.name + " " + std::to_string(group.min_member));
  }
  return groups;
}

TEST(WholeParts, HaveTheMinimumThatTheirWorkloadAsksForNow) {
  const auto group = [](const std::string& name, const std::string& owner, int least) {
    return "---\napiVersion: scheduling.k8s.io/v1alpha2\nkind: PodGroup\nmetadata: {name: " + name +
           ", ownerReferences: [{apiVersion: x/v1, uid: u, controller: true, " + owner +
           "}]}\nspec: {schedulingPolicy: {gang: {minCount: " + std::to_string(least) + "}}}\n";
  };
  const std::string job = training_job("schedulingPolicy: {}");
  const std::string bert = "kind: PyTorchJob, name: bert";
  EXPECT_THAT(revised_in(job + group("pytorchjob-bert", bert, 4)), IsEmpty());
  EXPECT_THAT(revised_in(job + group("pytorchjob-bert", bert, 7)), ElementsAre("pytorchjob-bert 4"));
  EXPECT_THAT(revised_in(job + group("pytorchjob-bert", bert, 2)), ElementsAre("pytorchjob-bert 4"));
  EXPECT_THAT(revised_in(job + group("of-mine", bert, 7)), IsEmpty());
  EXPECT_THAT(revised_in(job + group("pytorchjob-bert", "kind: PyTorchJob, name: other", 7)), IsEmpty());
}

TEST(WholeParts, OfVolcanosJobsAreRevisedToo) {
  const std::string job = R"({apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, uid: u}, spec: {
    minAvailable: 3, tasks: [{name: w, replicas: 3, template: {spec: {restartPolicy: Never, containers: [
    {name: main, image: train}]}}}]}})";
  const auto group = [](int least) {
    return "\n---\n{apiVersion: scheduling.volcano.sh/v1beta1, kind: PodGroup, metadata: {name: train-u}, spec: "
           "{minMember: " +
           std::to_string(least) + ", minTaskMember: {w: " + std::to_string(least) + "}}}";
  };
  EXPECT_THAT(revised_in(job + group(3)), IsEmpty());
  EXPECT_THAT(revised_in(job + group(2)), ElementsAre("train-u 3"));
}

}  // namespace
}  // namespace loadline::workloads
