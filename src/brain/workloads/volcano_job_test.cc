#include "brain/workloads/volcano_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/testing/objects.h"
#include "brain/workloads/volcano_rules.h"
#include "objects/kube/testing/decoding.h"
#include "objects/kube/workload_names.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using testing::names;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

constexpr std::string_view kTaskPods = "template: {spec: {containers: [{name: c, image: i}]}}";

/// A Job "mpi" with a master and two workers; `more` is of its spec.
kube::Objects mpi(const std::string& more = "", const std::string& of_worker = "") {
  return std::move(
      kube::decode_text("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: mpi, namespace: default, "
                        "uid: u}, spec: {" +
                        more + "tasks: [{name: master, replicas: 1, " + std::string(kTaskPods) +
                        "}, {name: worker, replicas: 2, " + of_worker + std::string(kTaskPods) + "}]}}")
          .objects);
}

std::vector<std::string> volcano_refusals(const kube::Objects& objects) {
  std::vector<std::string> lines;
  for (const kube::FieldError& each : refusals_of(objects.of<kube::VolcanoJob>().at(0))) {
    lines.push_back(each.path + ":" + each.message);
  }
  return lines;
}

TEST(VolcanoJob, HasTheReplicasOfItsTasks) {
  const Expansion expansion = expand(mpi(), kNow, kSeed);
  EXPECT_THAT(names(expansion), ElementsAre("mpi-master-0", "mpi-worker-0", "mpi-worker-1"));
  const kube::Pod& pod = expansion.pods.at(2).pod;
  EXPECT_EQ(expansion.pods.at(2).workload.to_string(), "VolcanoJob default/mpi");
  EXPECT_EQ(role_of(expansion.pods.at(2).workload, pod.metadata), "worker");
  EXPECT_EQ(pod.metadata.controller()->kind, "Job");
  EXPECT_EQ(pod.spec->scheduler_name, "volcano");
  EXPECT_THAT(pod.metadata.labels,
              UnorderedElementsAre(Pair("volcano.sh/job-name", "mpi"), Pair("volcano.sh/task-spec", "worker"),
                                   Pair("volcano.sh/job-namespace", "default"),
                                   Pair("volcano.sh/queue-name", "default"), Pair("volcano.sh/task-index", "1")));
  EXPECT_EQ(pod.metadata.annotations.at("scheduling.k8s.io/group-name"), "mpi-u");
}

TEST(VolcanoJob, OfOneThatIsOverNothingIsMade) {
  kube::Objects objects = mpi();
  for (const std::string phase : {"Completed", "Failed", "Aborted", "Terminating"}) {
    objects.of<kube::VolcanoJob>().at(0).status.phase = phase;
    EXPECT_THAT(names(expand(objects, kNow, kSeed)), IsEmpty()) << phase;
  }
}

TEST(VolcanoJob, PassesOnTheSchedulerAndThePriorityThatItsPodsDoNotName) {
  const Expansion expansion = expand(mpi("schedulerName: mine, priorityClassName: high, "), kNow, kSeed);
  EXPECT_EQ(expansion.pods.at(0).pod.spec->scheduler_name, "mine");
  EXPECT_EQ(expansion.pods.at(0).pod.spec->priority_class_name, "high");
}

TEST(VolcanoJob, CountsPartitionsOfATask) {
  const kube::Objects objects = mpi("", "partitionPolicy: {totalPartitions: 2, partitionSize: 1, minPartitions: 1}, ");
  EXPECT_THAT(volcano_refusals(objects), IsEmpty());
  const kube::VolcanoJob& job = objects.of<kube::VolcanoJob>().at(0);
  EXPECT_EQ(least_available(job.tasks.at(1)), 1);
  EXPECT_EQ(job.min_available, 2);
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_EQ(expansion.pods.at(2).pod.metadata.labels.at(std::string(kube::kVolcanoPartition)), "1");
}

/// What a task that depends on others has of the minimum counts once it has pods.
TEST(VolcanoJob, SaysWhichTasksComeLater) {
  const auto later = [](const std::string& more) {
    std::string text;
    for (const auto& part : later_tasks(mpi(more, "dependsOn: {name: [master]}, ").of<kube::VolcanoJob>().at(0))) {
      text += part.name + ' ' + std::to_string(part.pods) + ' ';
    }
    return text;
  };
  EXPECT_EQ(later(""), "worker 2 ");
  EXPECT_EQ(later("minAvailable: 2, "), "worker 1 ") << "the master is one, and one more is needed";
  EXPECT_EQ(later("minAvailable: 1, "), "");
  const Expansion expansion = expand(mpi("", "dependsOn: {name: [master]}, "), kNow, kSeed);
  EXPECT_EQ(expansion.pods.at(0).order, nullptr);
  ASSERT_NE(expansion.pods.at(1).order, nullptr);
  EXPECT_EQ(expansion.pods.at(1).order->after.at(0).what, "task master");
  EXPECT_EQ(expansion.made.of<kube::VolcanoPodGroup>().at(0).metadata.annotations.at("loadline.dev/later-parts"),
            "worker: 2 of volcano.sh/task-spec=worker");
}

TEST(VolcanoRules, SayInVolcanosWordsWhatIsWrong) {
  EXPECT_THAT(volcano_refusals(mpi()), IsEmpty());
  EXPECT_THAT(volcano_refusals(mpi("minAvailable: 4, ")),
              ElementsAre("spec.minAvailable: job 'minAvailable' should not be greater than total replicas in tasks;"));
  EXPECT_THAT(volcano_refusals(mpi("", "minAvailable: 3, ")),
              ElementsAre("spec.tasks[1].minAvailable: 'minAvailable' is greater than 'replicas' in task: worker, job: "
                          "mpi;",
                          "spec.minAvailable: job 'minAvailable' should not be greater than total replicas in tasks;"));
  EXPECT_THAT(volcano_refusals(mpi("plugins: {sssh: []}, ")),
              ElementsAre("spec.plugins[sssh]: unable to find job plugin: sssh;"));
  EXPECT_THAT(volcano_refusals(mpi("", "dependsOn: {name: [worker]}, ")),
              ElementsAre("spec.tasks[1].dependsOn.name: job has dependencies between tasks, but doesn't form a "
                          "directed acyclic graph(DAG);"));
}

}  // namespace
}  // namespace loadline::workloads
