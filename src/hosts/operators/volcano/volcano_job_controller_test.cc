#include "hosts/operators/volcano/volcano_job_controller.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "foundation/document/writer.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/volcano/volcano_rules.h"
#include "objects/kube/core/volume.h"
#include "objects/kube/volcano/pod_group.h"
#include "objects/kube/volcano/volcano_job.h"

namespace loadline::operators {
namespace {

using document::Value;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class VolcanoJobControllerTest : public ::testing::Test {
 protected:
  VolcanoJobControllerTest() { cluster_.add(make_volcano_job_controller()); }

  /// A Job "train": a master, and two workers that may depend on it.
  void make(const std::string& more = "", const std::string& of_worker = "") {
    const std::string pods = "template: {spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
    const std::string yaml =
        "{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, namespace: default, uid: "
        "train-uid}, spec: {" +
        more + "tasks: [{name: master, replicas: 1, " + pods + "}, {name: worker, replicas: 2, " + of_worker + pods +
        "}]}}";
    const Value job = with_volcano_job_defaults(document::read_yaml(yaml, "test").documents.at(0));
    cluster_.apply(document::write_json(job));
    cluster_.settle();
  }
  void run_pods() {
    cluster_.run_pods();
    cluster_.settle();
  }
  void end(const std::string& pod, const char* phase) {
    cluster_.set<kube::Pod>(pod, {"status", "phase"}, Value(phase));
    cluster_.settle();
  }
  [[nodiscard]] std::vector<std::string> pods() const {
    std::vector<std::string> names;
    for (const auto& pod : cluster_.all<kube::Pod>()) names.push_back(pod->metadata().name);
    return names;
  }
  [[nodiscard]] const kube::VolcanoJobStatus& status() const {
    return cluster_.get<kube::VolcanoJob>("train")->view.status;
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(VolcanoJobControllerTest, GetsPodsRunsAndIsCompletedOnceAllHaveSucceeded) {
  make();
  EXPECT_THAT(pods(), ElementsAre("train-master-0", "train-worker-0", "train-worker-1"));
  EXPECT_EQ(status().phase, "Pending");
  EXPECT_EQ(status().pending, 3);
  EXPECT_EQ(cluster_.get<kube::Pod>("train-worker-1")->view.spec->scheduler_name, "volcano");
  run_pods();
  EXPECT_EQ(status().phase, "Running");
  EXPECT_EQ(status().tasks.at("worker").phases.at("Running"), 2);
  for (const char* pod : {"train-master-0", "train-worker-0", "train-worker-1"}) end(pod, "Succeeded");
  EXPECT_EQ(status().phase, "Completed");
  EXPECT_EQ(status().succeeded, 3);
  EXPECT_EQ(status().version, 1);
  EXPECT_THAT(pods(), SizeIs(3)) << "pods that are over stay";
  std::vector<std::string> phases;
  for (const kube::VolcanoCondition& each : status().conditions) phases.push_back(each.status);
  EXPECT_THAT(phases, ElementsAre("Pending", "Running", "Completed"));
}

TEST_F(VolcanoJobControllerTest, FailsIfFewerSucceedThanItNeeds) {
  make();
  run_pods();
  end("train-master-0", "Succeeded");
  end("train-worker-0", "Failed");
  EXPECT_EQ(status().phase, "Running");
  end("train-worker-1", "Succeeded");
  EXPECT_EQ(status().phase, "Failed");
}

TEST_F(VolcanoJobControllerTest, IsCompletedOnceEnoughHaveSucceededAndTheOthersGo) {
  make("minSuccess: 1, ");
  run_pods();
  end("train-master-0", "Succeeded");
  EXPECT_EQ(status().phase, "Completed");
  EXPECT_THAT(pods(), ElementsAre("train-master-0"));
}

TEST_F(VolcanoJobControllerTest, ATaskWaitsForThoseThatItDependsOn) {
  make("", "dependsOn: {name: [master]}, ");
  EXPECT_THAT(pods(), ElementsAre("train-master-0"));
  run_pods();
  EXPECT_THAT(pods(), SizeIs(3));
}

TEST_F(VolcanoJobControllerTest, ItsGroupSaysWhichTasksComeLaterAndWherePartitionsAreToBe) {
  make("",
       "dependsOn: {name: [master]}, partitionPolicy: {totalPartitions: 1, partitionSize: 2, networkTopology: "
       "{mode: hard, highestTierAllowed: 1}}, ");
  const auto groups = cluster_.all<kube::VolcanoPodGroup>();
  ASSERT_THAT(groups, SizeIs(1));
  EXPECT_EQ(document::text_at(groups[0]->document, {"metadata", "annotations", "loadline.dev/later-parts"}),
            "worker: 2 of volcano.sh/task-spec=worker");
  ASSERT_THAT(groups[0]->view.subgroups, SizeIs(1));
  EXPECT_EQ(groups[0]->view.subgroups[0].name, "worker");
  EXPECT_EQ(groups[0]->view.subgroups[0].topology->highest_tier_allowed, 1);
}

TEST_F(VolcanoJobControllerTest, LosesThePodsOfATaskThatIsScaledDown) {
  make();
  run_pods();
  Value tasks = *document::find_at(cluster_.get<kube::VolcanoJob>("train")->document, {"spec", "tasks"});
  document::Array changed = tasks.array();
  changed[1] = changed[1].with("replicas", Value(std::int64_t{1})).with("minAvailable", Value(std::int64_t{1}));
  cluster_.set<kube::VolcanoJob>("train", {"spec", "tasks"}, Value(changed));
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("train-master-0", "train-worker-0"));
}

TEST_F(VolcanoJobControllerTest, GetsTheClaimsThatItDescribesAndWaitsForThoseThatItNames) {
  make(
      "volumes: [{mountPath: /data, volumeClaim: {accessModes: [ReadWriteOnce], resources: {requests: {storage: "
      "1Gi}}}}, {mountPath: /models, volumeClaimName: models}], ");
  ASSERT_THAT(cluster_.all<kube::PersistentVolumeClaim>(), SizeIs(1));
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_THAT(cluster_.events,
              Contains(HasSubstr("Warning PVCError Failed to create PVC, err: pvc models is not found")));
  cluster_.apply(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: models, namespace: default}, spec: {}}");
  cluster_.settle();
  ASSERT_THAT(pods(), SizeIs(3));
  EXPECT_THAT(cluster_.get<kube::Pod>("train-master-0")->view.spec->volumes, SizeIs(2));
}

TEST_F(VolcanoJobControllerTest, GoesWhenItsTimeIsOver) {
  make("ttlSecondsAfterFinished: 60, minSuccess: 1, ");
  run_pods();
  end("train-master-0", "Succeeded");
  cluster_.wait(Duration::seconds(59));
  EXPECT_NE(cluster_.get<kube::VolcanoJob>("train"), nullptr);
  cluster_.wait(Duration::seconds(1));
  EXPECT_EQ(cluster_.get<kube::VolcanoJob>("train"), nullptr);
}

TEST(VolcanoWebhook, FillsInWhatIsNotSaidAndRefusesInItsWords) {
  const auto job = [](const std::string& spec) {
    return with_volcano_job_defaults(
        document::read_yaml("{metadata: {name: j}, spec: {" + spec + "}}", "test").documents.at(0));
  };
  const Value filled = job("tasks: [{replicas: 2, template: {spec: {hostNetwork: true}}}], plugins: {mpi: []}");
  EXPECT_EQ(document::text_at(filled, {"spec", "queue"}), "default");
  EXPECT_EQ(document::value_at(filled, {"spec", "minAvailable"}).integer(), 2);
  const Value& task = document::find_at(filled, {"spec", "tasks"})->array()[0];
  EXPECT_EQ(document::text_at(task, {"name"}), "default0");
  EXPECT_EQ(document::text_at(task, {"template", "spec", "dnsPolicy"}), "ClusterFirstWithHostNet");
  EXPECT_NE(document::find_at(filled, {"spec", "plugins", "ssh"}), nullptr);
  EXPECT_EQ(volcano_job_refusal(filled, true), "");
  EXPECT_EQ(volcano_job_refusal(job("minAvailable: 3, tasks: [{replicas: 2, template: {}}]"), true),
            "job 'minAvailable' should not be greater than total replicas in tasks;");
}

TEST_F(VolcanoJobControllerTest, MakesABatchOfPodsHoweverManyAreWanted) {
  cluster_.allow_creations(6);
  const Value job = with_volcano_job_defaults(
      document::read_yaml("{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, metadata: {name: train, namespace: "
                          "default, uid: train-uid}, spec: {tasks: [{name: a, replicas: 2147483647, template: {spec: "
                          "{containers: [{name: c, image: i}]}}}, {name: b, replicas: 1, dependsOn: {name: [a]}, "
                          "template: {spec: {containers: [{name: c, image: i}]}}}]}}",
                          "test")
          .documents.at(0));
  cluster_.apply(document::write_json(job));
  cluster_.settle();
  EXPECT_THAT(pods(), SizeIs(5)) << "and a PodGroup";
  EXPECT_LE(cluster_.tried, 120U);
}

TEST_F(VolcanoJobControllerTest, CountsReplicasByTheirNamesOnly) {
  make();
  run_pods();
  cluster_.apply(
      "{kind: Pod, metadata: {name: train-worker-01, annotations: {volcano.sh/task-spec: worker}, ownerReferences: "
      "[{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: train, uid: train-uid, controller: true}]}, spec: "
      "{containers: [{name: c}]}}");
  cluster_.settle();
  EXPECT_THAT(pods(), ElementsAre("train-master-0", "train-worker-0", "train-worker-1")) << "01 is no replica's number";
}

}  // namespace
}  // namespace loadline::operators
