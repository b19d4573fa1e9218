#include "hosts/controllers/job_gangs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/writer.h"
#include "hosts/controllers/job.h"
#include "hosts/controllers/testing/test_cluster.h"

namespace loadline::controllers {
namespace {

using document::text_at;
using document::Value;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class JobGangsTest : public ::testing::Test {
 protected:
  JobGangsTest() {
    cluster_.finalizers_hold = true;
    cluster_.add(make_job_controller({.workload_with_job = true}));
  }

  void make_job(std::string_view name, bool is_suspended = false) {
    cluster_.apply(fmt::format(R"({{apiVersion: batch/v1, kind: Job, metadata: {{name: {0}, uid: {0}-uid}}, spec: {{
      parallelism: 2, completions: 2, backoffLimit: 6, completionMode: Indexed, suspend: {1},
      podReplacementPolicy: TerminatingOrFailed, selector: {{matchLabels: {{job: {0}}}}},
      template: {{metadata: {{labels: {{job: {0}}}}}, spec: {{restartPolicy: Never, containers: [{{name: main}}]}}}}}}}})",
                               name, is_suspended));
    cluster_.settle();
  }
  std::vector<std::string> groups_of_pods() const {
    std::vector<std::string> names;
    for (const auto& pod : cluster_.all<kube::Pod>()) names.push_back(pod->view.spec->pod_group_name);
    return names;
  }

  testing::TestCluster cluster_;
};

TEST_F(JobGangsTest, MakesWorkloadGroupAndPodsInThisOrder) {
  make_job("train");
  const auto workloads = cluster_.all<kube::Workload>();
  const auto groups = cluster_.all<kube::PodGroup>();
  ASSERT_THAT(workloads, SizeIs(1));
  ASSERT_THAT(groups, SizeIs(1));
  const std::string workload = workloads[0]->metadata().name;
  const std::string group = groups[0]->metadata().name;
  ASSERT_GE(cluster_.done.size(), 3U);
  EXPECT_EQ(cluster_.done[0], "create workloads " + workload);
  EXPECT_EQ(cluster_.done[1], "create podgroups " + group);
  EXPECT_THAT(groups_of_pods(), ElementsAre(group, group));
  EXPECT_THAT(cluster_.events, Contains("Normal WorkloadCreated Created Workload " + workload + " for Job train"));

  EXPECT_EQ(document::write_json(document::value_at(workloads[0]->document, {"spec"})),
            R"({"controllerRef":{"apiGroup":"batch","kind":"Job","name":"train"},"podGroupTemplates":[)"
            R"({"name":"train-pgt-0","schedulingPolicy":{"gang":{"minCount":2}}}]})");
  EXPECT_EQ(document::write_json(document::value_at(groups[0]->document, {"spec"})),
            R"({"podGroupTemplateRef":{"workload":{"podGroupTemplateName":"train-pgt-0","workloadName":")" + workload +
                R"("}},"schedulingPolicy":{"gang":{"minCount":2}}})");
  const document::Array owners = document::items_at(groups[0]->document, {"metadata", "ownerReferences"});
  ASSERT_THAT(owners, SizeIs(2));
  EXPECT_EQ(text_at(owners[0], {"kind"}), "Job");
  EXPECT_TRUE(document::value_at(owners[0], {"blockOwnerDeletion"}).boolean());
  EXPECT_EQ(text_at(owners[1], {"uid"}), workloads[0]->metadata().uid);
  EXPECT_EQ(owners[1].find("blockOwnerDeletion"), nullptr);  // the Workload may go before
}

TEST_F(JobGangsTest, PodsThatAreReplacedJoinTheGroup) {
  make_job("train");
  const std::string group = cluster_.all<kube::PodGroup>().at(0)->metadata().name;
  cluster_.caches.of<kube::Pod>().erase(cluster_.all<kube::Pod>().at(0)->key());
  cluster_.settle();
  EXPECT_THAT(groups_of_pods(), ElementsAre(group, group));
  EXPECT_THAT(cluster_.all<kube::PodGroup>(), SizeIs(1));
}

TEST_F(JobGangsTest, AGroupThatIsGoneIsMadeAnew) {
  make_job("train");
  cluster_.caches.of<kube::PodGroup>().erase(cluster_.all<kube::PodGroup>().at(0)->key());
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::PodGroup>(), SizeIs(1));
}

TEST_F(JobGangsTest, JobsThatAWorkloadOfAnotherOwnerNamesAreAsAnyJob) {
  cluster_.apply(R"({apiVersion: scheduling.k8s.io/v1alpha2, kind: Workload, metadata: {name: mine}, spec: {
    controllerRef: {apiGroup: batch, kind: Job, name: train},
    podGroupTemplates: [{name: a, schedulingPolicy: {gang: {minCount: 1}}}]}})");
  make_job("train");
  EXPECT_THAT(cluster_.all<kube::PodGroup>(), IsEmpty());
  EXPECT_THAT(groups_of_pods(), ElementsAre("", ""));
}

TEST_F(JobGangsTest, JobsThatBeganWithoutAGroupGoOnWithout) {
  make_job("train", true);
  EXPECT_THAT(cluster_.all<kube::PodGroup>(), SizeIs(1));  // it is new, and suspended
  cluster_.apply(R"({apiVersion: v1, kind: Pod, metadata: {name: old-0-x, labels: {job: old}, annotations:
    {batch.kubernetes.io/job-completion-index: "0"}, ownerReferences: [{apiVersion: batch/v1, kind: Job, name: old,
    uid: old-uid, controller: true}]}, spec: {containers: [{name: main}]}, status: {phase: Running}})");
  make_job("old");
  EXPECT_THAT(cluster_.all<kube::PodGroup>(), SizeIs(1));
  EXPECT_THAT(groups_of_pods(), Each(""));
}

TEST_F(JobGangsTest, WhatIsRefusedIsTriedAgainBeforeThereArePods) {
  bool refuses = true;
  cluster_.refuse = [&](const Action& action) -> std::optional<kube::Status> {
    if (!refuses || action.of.plural != "podgroups") return std::nullopt;
    return kube::Status{403, "Forbidden", "no", {}};
  };
  make_job("train");
  EXPECT_THAT(cluster_.all<kube::Pod>(), IsEmpty());
  refuses = false;
  cluster_.settle();
  EXPECT_THAT(cluster_.all<kube::Pod>(), SizeIs(2));
  EXPECT_THAT(cluster_.all<kube::Workload>(), SizeIs(1));
}

}  // namespace
}  // namespace loadline::controllers
