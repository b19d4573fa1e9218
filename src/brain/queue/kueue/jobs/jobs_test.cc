#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "brain/queue/kueue/jobs/job_workload.h"
#include "brain/queue/kueue/jobs/started_job.h"
#include "brain/workloads/testing/objects.h"
#include "objects/kube/kueue/job_names.h"

namespace loadline::queue::kueue {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

kube::PodTemplateSpec template_named(const std::string& container) {
  kube::PodTemplateSpec result;
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.emplace_back().name = container;
  result.spec = std::move(spec);
  return result;
}

std::vector<std::string> told(const JobPodSets& sets) {
  std::vector<std::string> result;
  for (const kube::PodSet& set : sets) result.push_back(set.name + " " + std::to_string(set.count));
  return result;
}

kube::Job train(std::int32_t parallelism) {
  kube::Job job = workloads::testing::workload<kube::Job>("train");
  job.spec.parallelism = parallelism;
  job.metadata.uid = "uid";
  return job;
}

TEST(WorkloadName, IsThatOfKueue) {
  EXPECT_EQ(workload_name("Job", "batch/v1", "name", "uid"), "job-name-ef3a1");
  const std::string cut = workload_name("Job", "batch/v1", std::string(300, 'a'), "uid");
  EXPECT_EQ(cut.size(), 253);
  EXPECT_EQ(cut.substr(0, 6), "job-aa");
}

TEST(JobPodSets, OfAJobAreWhatRunsAtOnce) {
  kube::Job job = train(4);
  EXPECT_THAT(told(job_pod_sets(job)), ElementsAre("main 4"));
  job.spec.completions = 3;
  EXPECT_THAT(told(job_pod_sets(job)), ElementsAre("main 3"));
  EXPECT_EQ(job_pod_sets(job).front().min_count, std::nullopt);
  job.metadata.annotations.insert_or_assign(std::string(kube::kJobMinParallelism), "2");
  EXPECT_EQ(job_pod_sets(job).front().min_count, 2);
  job.metadata.annotations.insert_or_assign(std::string(kube::kJobMinParallelism), "2 pods");
  EXPECT_EQ(job_pod_sets(job).front().min_count, std::nullopt) << "Kueue passes over what is no number";
}

TEST(JobPodSets, LackTheLabelsOfTheJobController) {
  kube::Job job = train(1);
  job.spec.template_.metadata.labels.insert_or_assign("controller-uid", "x");
  job.spec.template_.metadata.labels.insert_or_assign("batch.kubernetes.io/job-name", "x");
  EXPECT_THAT(job_pod_sets(job).front().template_.metadata.labels, ElementsAre(Pair("app", "train")));
}

TEST(JobPodSets, OfTrainingJobsAreRolesInTheOrderOfTheFramework) {
  kube::TensorFlowJob job;
  for (const char* role : {"Worker", "PS", "Chief"}) {
    job.spec.replicas[role].template_ = template_named(role);
  }
  job.spec.replicas["Worker"].replicas = 3;
  EXPECT_THAT(told(job_pod_sets(job)), ElementsAre("chief 1", "ps 1", "worker 3"));
}

TEST(JobPodSets, OfJobSetsAreReplicatedJobs) {
  kube::JobSet set;
  for (const char* name : {"driver", "workers"}) {
    kube::ReplicatedJob& job = set.replicated_jobs.emplace_back();
    job.name = name;
    job.replicas = 2;
    job.job_spec.parallelism = 3;
    job.job_spec.template_ = template_named(name);
  }
  EXPECT_THAT(told(job_pod_sets(set)), ElementsAre("driver 6", "workers 6"));
}

TEST(JobPodSets, OfRayCountWhatKubeRayAdds) {
  kube::RayJob job;
  job.spec.cluster.emplace();
  job.spec.cluster->head.template_ = template_named("ray-head");
  kube::RayWorkerGroup& group = job.spec.cluster->worker_groups.emplace_back();
  group.name = "GPU";
  group.replicas = 2;
  group.hosts_per_replica = 4;
  group.template_ = template_named("ray-worker");
  EXPECT_THAT(told(job_pod_sets(job)), ElementsAre("head 1", "gpu 8", "submitter 1"));
  EXPECT_EQ(job_pod_sets(job).front().template_.spec->containers.size(), 1);

  job.spec.submission_mode = "SidecarMode";
  job.spec.cluster->has_autoscaler = true;
  const JobPodSets sets = job_pod_sets(job);
  EXPECT_THAT(told(sets), ElementsAre("head 1", "gpu 8"));
  EXPECT_EQ(sets.front().template_.spec->containers.size(), 3) << "head, autoscaler, submitter";

  job.spec.cluster_selector["ray.io/cluster"] = "shared";
  EXPECT_THAT(job_pod_sets(job), IsEmpty()) << "its pods are another cluster's";
}

// ---- workloads -----------------------------------------------------------------------------------------------------

class Classes final : public WorkloadPriorities {
 public:
  std::map<std::string, std::int32_t, std::less<>> workloads, pods;
  std::string fallback;

  [[nodiscard]] std::optional<std::int32_t> of_workloads(std::string_view name) const override {
    return find(workloads, name);
  }
  [[nodiscard]] std::optional<std::int32_t> of_pods(std::string& name) const override {
    if (name.empty()) name = fallback;
    return name.empty() ? 0 : find(pods, name);
  }

 private:
  static std::optional<std::int32_t> find(const std::map<std::string, std::int32_t, std::less<>>& classes,
                                          std::string_view name) {
    const auto found = classes.find(name);
    return found == classes.end() ? std::nullopt : std::optional(found->second);
  }
};

TEST(WorkloadPriority, IsOfTheFirstThatSaysOne) {
  Classes classes;
  classes.workloads["urgent"] = 7;
  classes.pods = {{"high", 5}, {"low", 1}, {"usual", 3}};
  kube::Job job = train(1);
  std::string missing;
  const auto priority = [&](const std::string& own) {
    return priority_of(job.metadata, own, job_pod_sets(job), classes, missing);
  };
  EXPECT_EQ(priority("")->value, 0);
  EXPECT_EQ(priority("")->source, kube::PriorityClassSource::kNone);
  classes.fallback = "usual";
  EXPECT_EQ(priority("")->value, 3);
  EXPECT_EQ(priority("")->class_name, "usual");
  auto spec = std::make_shared<kube::PodSpec>(*job.spec.template_.spec);
  spec->priority_class_name = "low";
  job.spec.template_.spec = spec;
  EXPECT_EQ(priority("")->value, 1);
  EXPECT_EQ(priority("high")->value, 5);
  job.metadata.labels.insert_or_assign(std::string(kube::kWorkloadPriorityClassLabel), "urgent");
  EXPECT_EQ(priority("high")->value, 7);
  EXPECT_EQ(priority("high")->source, kube::PriorityClassSource::kWorkloadPriorityClass);
  job.metadata.labels.insert_or_assign(std::string(kube::kWorkloadPriorityClassLabel), "gone");
  EXPECT_FALSE(priority("high").has_value());
  EXPECT_EQ(missing, "gone");
}

TEST(JobWorkload, SaysWhoseItIsAndWhereItWaits) {
  kube::Job job = train(2);
  job.metadata.labels = {{"kueue.x-k8s.io/queue-name", "team-a"}, {"kueue.x-k8s.io/max-exec-time-seconds", "90"}};
  const kube::KueueWorkload workload = workload_of("Job", "batch/v1", job.metadata, job_pod_sets(job));
  EXPECT_EQ(workload.queue_name, "team-a");
  EXPECT_EQ(workload.maximum_execution_time_seconds, 90);
  EXPECT_EQ(workload.metadata.controller()->uid, "uid");
  EXPECT_THAT(workload.metadata.labels, ElementsAre(Pair("kueue.x-k8s.io/job-uid", "uid")));
}

// ---- starts and stops ----------------------------------------------------------------------------------------------

kube::ResourceFlavor a100() {
  kube::ResourceFlavor flavor;
  flavor.metadata.name = "a100";
  flavor.node_labels = {{"gpu", "a100"}};
  flavor.tolerations.emplace_back().key = "gpu";
  flavor.tolerations.back().op = kube::TolerationOperator::kExists;
  return flavor;
}

kube::KueueWorkload admitted(const kube::Job& job, std::int32_t count) {
  kube::KueueWorkload workload = workload_of("Job", "batch/v1", job.metadata, job_pod_sets(job));
  workload.queue_name = "team-a";
  workload.status.admission.emplace().cluster_queue = "research";
  kube::PodSetAssignment& assignment = workload.status.admission->pod_set_assignments.emplace_back();
  assignment.flavors = {{"cpu", "a100"}, {"nvidia.com/gpu", "a100"}};
  assignment.count = count;
  return workload;
}

FindFlavor only(const kube::ResourceFlavor& flavor) {
  return [&](std::string_view name) { return name == flavor.metadata.name ? &flavor : nullptr; };
}

TEST(StartedJob, HasWhatItsFlavorSays) {
  kube::Job job = train(4);
  job.spec.suspend = true;
  job.metadata.annotations.insert_or_assign(std::string(kube::kJobMinParallelism), "2");
  const kube::KueueWorkload workload = admitted(job, 3);
  const kube::ResourceFlavor flavor = a100();
  const auto infos = pod_set_infos(workload, only(flavor));
  ASSERT_TRUE(infos.has_value());
  const Result<kube::Job> running = started(job, *infos);
  ASSERT_TRUE(running.has_value());
  EXPECT_FALSE(running->spec.suspend);
  EXPECT_EQ(running->spec.parallelism, 3);
  EXPECT_EQ(running->spec.completions, std::nullopt);
  const kube::PodTemplateSpec& pods = running->spec.template_;
  EXPECT_THAT(pods.spec->node_selector, ElementsAre(Pair("gpu", "a100")));
  EXPECT_EQ(pods.spec->tolerations.size(), 1) << "one flavor of two resources";
  EXPECT_THAT(pods.metadata.labels, UnorderedElementsAre(Pair("app", "train"), Pair("kueue.x-k8s.io/podset", "main"),
                                                         Pair("kueue.x-k8s.io/local-queue-name", "team-a"),
                                                         Pair("kueue.x-k8s.io/cluster-queue-name", "research")));

  const kube::Job held = stopped(*running, workload);
  EXPECT_TRUE(held.spec.suspend);
  EXPECT_EQ(held.spec.parallelism, 4);
  EXPECT_THAT(held.spec.template_.spec->node_selector, IsEmpty());
  EXPECT_THAT(held.spec.template_.metadata.labels, ElementsAre(Pair("app", "train")));
}

TEST(StartedJob, MayHaveAsManyCompletionsAsPods) {
  kube::Job job = train(4);
  job.spec.completions = 4;
  job.metadata.annotations.insert_or_assign(std::string(kube::kJobMinParallelism), "1");
  job.metadata.annotations.insert_or_assign(std::string(kube::kJobCompletionsEqualParallelism), "true");
  const kube::ResourceFlavor flavor = a100();
  const auto infos = pod_set_infos(admitted(job, 2), only(flavor));
  EXPECT_EQ(started(job, *infos)->spec.completions, 2);
}

TEST(StartedJob, HasWhatChecksSay) {
  const kube::Job job = train(1);
  kube::KueueWorkload workload = admitted(job, 1);
  kube::AdmissionCheckStatus& check = workload.status.admission_checks.emplace_back();
  check.name = "capacity";
  kube::PodSetUpdate& update = check.pod_set_updates.emplace_back();
  update.name = "main";
  update.node_selector = {{"pool", "7"}};
  const kube::ResourceFlavor flavor = a100();
  EXPECT_THAT(started(job, *pod_set_infos(workload, only(flavor)))->spec.template_.spec->node_selector,
              ElementsAre(Pair("gpu", "a100"), Pair("pool", "7")));

  workload.status.admission_checks[0].pod_set_updates[0].node_selector = {{"gpu", "h100"}};
  const auto contradiction = pod_set_infos(workload, only(flavor));
  ASSERT_FALSE(contradiction.has_value());
  EXPECT_EQ(contradiction.error().message,
            "in admission check \"capacity\": invalid admission check PodSetUpdate: conflict for nodeSelector: "
            "conflict for key=gpu, value1=a100, value2=h100");
}

TEST(StartedJob, IsRefusedIfItContradictsItsFlavor) {
  kube::Job job = train(1);
  const kube::KueueWorkload workload = admitted(job, 1);
  const kube::ResourceFlavor flavor = a100();
  const auto infos = pod_set_infos(workload, only(flavor));
  job.spec.template_.metadata.labels.insert_or_assign("kueue.x-k8s.io/podset", "other");
  EXPECT_THAT(started(job, *infos).error().message, HasSubstr("conflict for labels"));
  EXPECT_THAT(started(train(1), {}).error().message, HasSubstr("expecting 1 podset, got 0"));
  EXPECT_THAT(pod_set_infos(workload, [](std::string_view) { return nullptr; }).error().message,
              HasSubstr("resourceflavors.kueue.x-k8s.io \"a100\" not found"));
}

}  // namespace
}  // namespace loadline::queue::kueue
