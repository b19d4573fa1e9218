#include "hosts/operators/kueue/job_controller.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/go_json.h"
#include "foundation/document/reader.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/kueue/configuration.h"
#include "hosts/operators/kueue/job_sync.h"
#include "hosts/operators/kueue/workload_change.h"
#include "objects/kube/batch/batch.h"
#include "objects/kube/condition.h"
#include "objects/kube/core/service.h"
#include "objects/kube/jobset/job_set.h"
#include "objects/kube/kueue/workload.h"
#include "objects/kube/kueue/workload_conditions.h"

namespace loadline::operators::kueue {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Value yaml_of(const std::string& text) { return document::read_yaml(text, "test").documents.at(0); }

/// The namespace "default" with a queue "team", and what its jobs' controllers make of it. Queues are the test.
class KueueJobTest : public ::testing::Test {
 protected:
  KueueJobTest() {
    for (auto& each : make_job_controllers()) cluster_.add(std::move(each));
    cluster_.finalizers_hold = true;
    cluster_.apply("{apiVersion: v1, kind: Namespace, metadata: {name: default}}");
    cluster_.apply(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: gpu}, spec: {nodeLabels: {pool: "
        "gpu}, tolerations: [{key: gpu, operator: Exists, effect: NoSchedule}]}}");
  }
  void add_queue() {
    cluster_.apply(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: team}, spec: {clusterQueue: cq}}");
    cluster_.settle();
  }

  static std::string job(const std::string& metadata = "labels: {kueue.x-k8s.io/queue-name: team}",
                         const std::string& spec = "suspend: true", const std::string& container = "image: i") {
    return fmt::format(
        "{{apiVersion: batch/v1, kind: Job, metadata: {{name: train, uid: job-uid, {}}}, spec: {{parallelism: 4, "
        "completions: 4, {}, template: {{metadata: {{labels: {{app: train}}}}, spec: {{restartPolicy: Never, "
        "containers: [{{name: c, {}, env: [{{name: A, value: '1'}}, {{name: B, value: x}}, {{name: A, value: '2'}}]}}]"
        "}}}}}}}}",
        metadata, spec, container);
  }
  void apply_job(const std::string& text) {
    cluster_.apply(text);
    cluster_.settle();
  }
  void set_job(document::Names names, const std::string& value) {
    cluster_.set<kube::Job>("train", names, yaml_of(value));
    cluster_.settle();
  }

  [[nodiscard]] const Value& job_document() const { return cluster_.get<kube::Job>("train")->document; }
  [[nodiscard]] std::string in_job(document::Names names) const {
    return document::write_go_json(document::value_at(job_document(), names));
  }
  [[nodiscard]] bool is_job_suspended() const { return cluster_.get<kube::Job>("train")->view.spec.suspend; }

  /// The only one; null: there are none.
  [[nodiscard]] WorkloadPtr workload() const {
    const auto all = cluster_.all<kube::KueueWorkload>();
    EXPECT_LE(all.size(), 1U);
    return all.empty() ? nullptr : all.front();
  }
  [[nodiscard]] std::string in_workload(document::Names names) const {
    return document::write_go_json(document::value_at(workload()->document, names));
  }
  /// "QuotaReserved=False Pending".
  [[nodiscard]] std::string condition(std::string_view type) const {
    const auto* found = kube::find_condition(workload()->view.status.conditions, type);
    return found == nullptr ? "" : fmt::format("{}={} {}", found->type, found->status, found->reason);
  }
  /// As the queues would write it.
  template <class Change>
  void change(Change change) {
    kube::KueueWorkload after = workload()->view;
    change(after);
    const auto patch = status_patch(*workload(), after);
    ASSERT_TRUE(patch);
    EXPECT_THAT(cluster_.carry_out({{{*patch}}, {}, {}, {}}), IsEmpty());
    cluster_.settle();
  }
  void admit(std::int32_t count = 4) {
    change([&](kube::KueueWorkload& it) {
      kube::PodSetAssignment main;
      main.flavors = {{"cpu", "gpu"}, {"nvidia.com/gpu", "gpu"}};
      main.count = count;
      kube::reserve_quota(it, {"cq", {main}}, cluster_.now);
      kube::sync_admitted(it, cluster_.now);
    });
  }
  void evict(std::string_view reason = "Preempted") {
    change([&](kube::KueueWorkload& it) { kube::evict(it, reason, "somebody else needs it", cluster_.now); });
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(KueueJobTest, ALabelMeansNothingWithoutQueues) {
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team}", "suspend: false"));
  EXPECT_FALSE(is_job_suspended());
  EXPECT_EQ(workload(), nullptr);
}

TEST_F(KueueJobTest, WhatRunsAlreadyIsQueuedWhenQueuesCome) {
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team}", "suspend: false"));
  add_queue();
  EXPECT_TRUE(is_job_suspended());
  EXPECT_THAT(cluster_.events, Contains("Normal Stopped Missing Workload; unable to restore pod templates"));
  ASSERT_NE(workload(), nullptr);
  EXPECT_EQ(in_job({"metadata", "annotations"}), "{}") << "the mark of its being stopped is gone";
}

TEST_F(KueueJobTest, AJobWithoutAQueueIsLeftAlone) {
  add_queue();
  apply_job(job("labels: {a: b}"));
  EXPECT_EQ(workload(), nullptr);
}

TEST_F(KueueJobTest, AnExcludedNamespaceIsLeftAlone) {
  add_queue();
  cluster_.apply(
      "{apiVersion: v1, kind: Namespace, metadata: {name: kube-system, labels: {kubernetes.io/metadata.name: "
      "kube-system}}}");
  apply_job(job("namespace: kube-system, labels: {kueue.x-k8s.io/queue-name: team}"));
  EXPECT_TRUE(cluster_.caches.of<kube::KueueWorkload>().keys().empty());
}

TEST_F(KueueJobTest, AConfigurationMayManageJobsWithoutQueues) {
  add_queue();
  cluster_.apply(
      "{apiVersion: v1, kind: ConfigMap, metadata: {name: kueue-manager-config, namespace: kueue-system}, data: "
      "{controller_manager_config.yaml: \"{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, "
      "manageJobsWithoutQueueName: true}\"}}");
  apply_job(job("labels: {a: b}"));
  ASSERT_NE(workload(), nullptr);
  EXPECT_EQ(workload()->view.queue_name, "");
}

TEST_F(KueueJobTest, ItsWorkloadIsMade) {
  add_queue();
  cluster_.apply(
      "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: usual}, value: 7, "
      "globalDefault: true}");
  apply_job(job());
  ASSERT_NE(workload(), nullptr);
  EXPECT_THAT(workload()->metadata().name, testing::MatchesRegex("job-train-[0-9a-f]{5}"));
  EXPECT_EQ(in_workload({"metadata", "finalizers"}), R"(["kueue.x-k8s.io/resource-in-use"])");
  EXPECT_EQ(in_workload({"metadata", "labels"}), R"({"kueue.x-k8s.io/job-uid":"job-uid"})");
  EXPECT_EQ(in_workload({"metadata", "ownerReferences"}),
            R"([{"apiVersion":"batch/v1","blockOwnerDeletion":true,"controller":true,"kind":"Job","name":"train",)"
            R"("uid":"job-uid"}])");
  EXPECT_EQ(in_workload({"spec"}),
            R"({"podSets":[{"count":4,"name":"main","template":{"metadata":{"labels":{"app":"train"}},"spec":)"
            R"({"containers":[{"env":[{"name":"A","value":"2"},{"name":"B","value":"x"}],"image":"i","name":"c"}],)"
            R"("restartPolicy":"Never"}}}],"priority":7,"priorityClassRef":{"group":"scheduling.k8s.io",)"
            R"("kind":"PriorityClass","name":"usual"},"queueName":"team"})");
  EXPECT_THAT(cluster_.events,
              ElementsAre("Normal CreatedWorkload Created Workload: default/" + workload()->metadata().name));
  EXPECT_EQ(condition("PodsReady"), "PodsReady=False WaitForStart");
}

TEST_F(KueueJobTest, WaitsForItsPriorityClass) {
  add_queue();
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/priority-class: high}"));
  EXPECT_EQ(workload(), nullptr);
  cluster_.apply("{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {name: high}, value: 9}");
  cluster_.settle();
  ASSERT_NE(workload(), nullptr);
  EXPECT_EQ(workload()->view.priority, 9);
  EXPECT_EQ(workload()->view.priority_class_source, kube::PriorityClassSource::kWorkloadPriorityClass);
}

TEST_F(KueueJobTest, FollowsItsPriorityClass) {
  add_queue();
  for (const auto* text : {"{name: high}, value: 9", "{name: low}, value: 1"}) {
    cluster_.apply(
        fmt::format("{{apiVersion: kueue.x-k8s.io/v1beta2, kind: WorkloadPriorityClass, metadata: {}}}", text));
  }
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/priority-class: high}"));
  admit();
  set_job({"metadata", "labels", "kueue.x-k8s.io/priority-class"}, "low");
  EXPECT_EQ(workload()->view.priority, 1);
  EXPECT_FALSE(is_job_suspended());
}

TEST_F(KueueJobTest, StartsWhenItIsAdmitted) {
  add_queue();
  apply_job(job());
  admit();
  EXPECT_FALSE(is_job_suspended());
  EXPECT_EQ(in_job({"spec", "template", "spec", "nodeSelector"}), R"({"pool":"gpu"})");
  EXPECT_EQ(in_job({"spec", "template", "spec", "tolerations"}),
            R"([{"effect":"NoSchedule","key":"gpu","operator":"Exists"}])");
  EXPECT_THAT(in_job({"spec", "template", "metadata", "labels"}),
              HasSubstr(R"("kueue.x-k8s.io/cluster-queue-name":"cq")"));
  EXPECT_THAT(in_job({"spec", "template", "spec", "containers"}), HasSubstr(R"("image":"i")"));
  EXPECT_THAT(cluster_.events, Contains("Normal Started Admitted by clusterQueue cq"));
  const std::size_t done = cluster_.done.size();
  cluster_.wait(Duration::seconds(60));
  EXPECT_EQ(cluster_.done.size(), done) << "nothing is left to do";
}

TEST_F(KueueJobTest, ReadinessIsTold) {
  add_queue();
  apply_job(job());
  admit();
  set_job({"status"}, "{active: 4, ready: 4, startTime: '2026-01-01T00:00:01Z'}");
  EXPECT_EQ(condition("PodsReady"), "PodsReady=True Started");
  set_job({"status", "ready"}, "3");
  EXPECT_EQ(condition("PodsReady"), "PodsReady=False WaitForRecovery");
  set_job({"status", "ready"}, "4");
  EXPECT_EQ(condition("PodsReady"), "PodsReady=True Recovered");
}

TEST_F(KueueJobTest, GivesQuotaBackOnceItsPodsAreGone) {
  add_queue();
  apply_job(job());
  const std::string before = in_job({"spec", "template"});
  admit();
  set_job({"status"}, "{active: 4, ready: 4, startTime: '2026-01-01T00:00:01Z'}");
  evict();
  EXPECT_TRUE(is_job_suspended());
  EXPECT_EQ(in_job({"spec", "template"}), before);
  EXPECT_EQ(in_job({"status", "startTime"}), "null");
  EXPECT_THAT(cluster_.events, Contains("Normal Stopped somebody else needs it"));
  EXPECT_EQ(condition("QuotaReserved"), "QuotaReserved=True QuotaReserved") << "pods are running";
  set_job({"status", "active"}, "0");
  EXPECT_EQ(condition("QuotaReserved"), "QuotaReserved=False Pending");
  EXPECT_EQ(condition("Admitted"), "Admitted=False NoReservation");
  EXPECT_EQ(condition("Requeued"), "Requeued=True Preempted");
  EXPECT_EQ(in_workload({"status", "admission"}), "null");
  admit();
  EXPECT_FALSE(is_job_suspended());
}

TEST_F(KueueJobTest, OneThatIsEvictedForGoodIsNotRequeued) {
  add_queue();
  apply_job(job());
  admit();
  evict("Deactivated");
  EXPECT_EQ(condition("Requeued"), "Requeued=False Deactivated");
}

TEST_F(KueueJobTest, StartsWithFewerPodsIfItMay) {
  add_queue();
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team}, annotations: {kueue.x-k8s.io/job-min-parallelism: '2'}"));
  EXPECT_EQ(workload()->view.pod_sets.front().min_count, 2);
  admit(3);
  EXPECT_EQ(in_job({"spec", "parallelism"}), "3");
  EXPECT_EQ(in_job({"spec", "completions"}), "4");
  EXPECT_FALSE(is_job_suspended()) << "and it goes on";
  evict();
  EXPECT_EQ(in_job({"spec", "parallelism"}), "4");
  EXPECT_TRUE(is_job_suspended());
}

TEST_F(KueueJobTest, IsFinishedWithItsJob) {
  add_queue();
  apply_job(job());
  admit();
  set_job({"status"}, "{succeeded: 4, conditions: [{type: Complete, status: 'True', message: all done}]}");
  EXPECT_EQ(condition("Finished"), "Finished=True Succeeded");
  EXPECT_EQ(in_workload({"metadata", "finalizers"}), "[]");
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("Normal FinishedWorkload Workload 'default/job-train-")));
}

TEST_F(KueueJobTest, PodsThatHaveEndedNeedNoQuota) {
  add_queue();
  apply_job(job());
  admit();
  set_job({"status"}, "{active: 1, ready: 1, succeeded: 3}");
  EXPECT_EQ(in_workload({"status", "reclaimablePods"}), R"([{"count":3,"name":"main"}])");
}

TEST_F(KueueJobTest, AHeldJobMayBeEdited) {
  add_queue();
  apply_job(job());
  const std::string name = workload()->metadata().name;
  set_job({"spec", "parallelism"}, "2");
  EXPECT_EQ(workload()->view.pod_sets.front().count, 2);
  EXPECT_EQ(workload()->metadata().name, name);
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("Updated not matching Workload for suspended job")));
  set_job({"metadata", "labels", "kueue.x-k8s.io/queue-name"}, "other");
  EXPECT_EQ(workload()->view.queue_name, "other");
}

TEST_F(KueueJobTest, ARunningJobThatIsEditedIsQueuedAnew) {
  add_queue();
  apply_job(job());
  admit();
  const std::string uid = workload()->metadata().uid;
  set_job({"spec", "parallelism"}, "2");
  EXPECT_TRUE(is_job_suspended());
  ASSERT_NE(workload(), nullptr);
  EXPECT_NE(workload()->metadata().uid, uid);
  EXPECT_EQ(condition("QuotaReserved"), "");
}

TEST_F(KueueJobTest, QuantitiesAndWhatIsEmptyAreNoEdit) {
  add_queue();
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team}", "suspend: true",
                "image: i, resources: {requests: {cpu: '1'}}, ports: [{containerPort: 80}]"));
  cluster_.set<kube::KueueWorkload>(
      workload()->metadata().name, {"spec", "podSets"},
      yaml_of(
          "[{name: main, count: 4, template: {spec: {initContainers: [], containers: [{name: c, image: i, resources: "
          "{limits: {}, requests: {cpu: 1000m}}, ports: [{containerPort: 80, protocol: TCP}], env: [{name: A, "
          "value: '2'}, {name: B, value: x}]}]}}}]"));
  cluster_.settle();
  EXPECT_THAT(cluster_.events, SizeIs(1)) << "its creation";
}

TEST_F(KueueJobTest, FlavorsThatContradictAJobFailIt) {
  add_queue();
  cluster_.apply(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: cpu}, spec: {nodeLabels: "
      "{pool: cpu}}}");
  std::string text = job();
  text.replace(text.find("restartPolicy: Never"), 0, "nodeSelector: {pool: cpu}, ");
  apply_job(text);
  admit();
  EXPECT_EQ(condition("Finished"), "Finished=True FailedToStart");
  EXPECT_TRUE(is_job_suspended());
}

TEST_F(KueueJobTest, AWorkloadOfAJobThatIsGoneIsFinished) {
  add_queue();
  apply_job(job());
  admit();
  cluster_.caches.of<kube::Job>().erase({"default", "train"});
  cluster_.settle();
  EXPECT_EQ(condition("Finished"), "Finished=True OwnerNotFound");
  // The garbage collector deletes it.
  cluster_.set<kube::KueueWorkload>(workload()->metadata().name, {"metadata", "deletionTimestamp"},
                                    Value("2026-01-01T00:00:01Z"));
  cluster_.settle();
  EXPECT_EQ(workload(), nullptr);
}

TEST_F(KueueJobTest, AJobWhoseWorkloadIsDeletedStops) {
  add_queue();
  apply_job(job());
  admit();
  const std::string uid = workload()->metadata().uid;
  cluster_.set<kube::KueueWorkload>(workload()->metadata().name, {"metadata", "deletionTimestamp"},
                                    Value("2026-01-01T00:00:01Z"));
  cluster_.settle();
  EXPECT_TRUE(is_job_suspended());
  ASSERT_NE(workload(), nullptr);
  EXPECT_NE(workload()->metadata().uid, uid) << "and is queued anew";
}

TEST_F(KueueJobTest, AWorkloadMayBeMadeBeforeItsJob) {
  add_queue();
  apply_job(job("labels: {kueue.x-k8s.io/queue-name: team, kueue.x-k8s.io/prebuilt-workload-name: mine}"));
  EXPECT_EQ(workload(), nullptr);
  cluster_.apply(
      "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: mine}, spec: {queueName: team, podSets: "
      "[{name: main, count: 4, template: {spec: {containers: [{name: c, image: i, env: [{name: A, value: '2'}, {name: "
      "B, value: x}]}]}}}]}}");
  cluster_.settle();
  EXPECT_EQ(workload()->metadata().controller()->uid, "job-uid");
  admit();
  EXPECT_FALSE(is_job_suspended());
  set_job({"spec", "parallelism"}, "2");
  EXPECT_EQ(condition("Finished"), "Finished=True OutOfSync");
}

TEST_F(KueueJobTest, AConflictIsTriedAgain) {
  add_queue();
  apply_job(job());
  cluster_.refuse = [](const watching::Action& action) -> std::optional<kube::Status> {
    if (action.of.plural == "jobs") return kube::Status{409, "Conflict", "modified", {}};
    return std::nullopt;
  };
  admit();
  EXPECT_TRUE(is_job_suspended());
  cluster_.refuse = [](const watching::Action&) { return std::nullopt; };
  cluster_.settle();
  EXPECT_FALSE(is_job_suspended());
}

TEST_F(KueueJobTest, AJobOfAJobSetIsHeldWithIt) {
  add_queue();
  cluster_.apply(
      "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: js, uid: js-uid, labels: "
      "{kueue.x-k8s.io/queue-name: team}}, spec: {suspend: true, replicatedJobs: [{name: W, replicas: 2, template: "
      "{spec: {parallelism: 3, completions: 3, template: {spec: {containers: [{name: c, image: i}]}}}}}]}}");
  cluster_.settle();
  ASSERT_NE(workload(), nullptr);
  EXPECT_THAT(workload()->metadata().name, testing::StartsWith("jobset-js-"));
  EXPECT_EQ(workload()->view.pod_sets.front().name, "w");
  EXPECT_EQ(workload()->view.pod_sets.front().count, 6);
  apply_job(
      job("ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: js, uid: js-uid, "
          "controller: true}]",
          "suspend: false"));
  EXPECT_TRUE(is_job_suspended()) << "its JobSet is not admitted";
  EXPECT_THAT(cluster_.all<kube::KueueWorkload>(), SizeIs(1));
  change([&](kube::KueueWorkload& it) {
    kube::PodSetAssignment assignment;
    assignment.name = "w";
    assignment.flavors = {{"cpu", "gpu"}};
    kube::reserve_quota(it, {"cq", {assignment}}, cluster_.now);
    kube::sync_admitted(it, cluster_.now);
  });
  const auto set = cluster_.get<kube::JobSet>("js");
  EXPECT_FALSE(set->view.suspend);
  EXPECT_THAT(document::write_go_json(document::value_at(set->document, {"spec", "replicatedJobs"})),
              HasSubstr(R"("nodeSelector":{"pool":"gpu"})"));
  set_job({"spec", "suspend"}, "false");
  EXPECT_FALSE(is_job_suspended());
}

}  // namespace
}  // namespace loadline::operators::kueue
