#include "hosts/operators/training_operator/mpi_v1_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "hosts/controllers/testing/test_cluster.h"
#include "hosts/operators/training_operator/mpi_v1_rules.h"
#include "hosts/watching/plain_kinds.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::operators {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kPods = "template: {spec: {containers: [{name: mpi, image: i}]}}";

/// An MPIJob "tune" with a launcher and two workers.
class MpiV1JobTest : public ::testing::Test {
 protected:
  MpiV1JobTest() { cluster_.add(make_mpi_v1_controller()); }

  void make(const std::string& version = "v1", const std::string& launcher = kPods) {
    cluster_.apply("{apiVersion: kubeflow.org/" + version +
                   ", kind: MPIJob, metadata: {name: tune, uid: tune-uid}, spec: {mpiReplicaSpecs: {Launcher: {" +
                   launcher + "}, Worker: {replicas: 2, " + kPods + "}}}}");
    cluster_.settle();
  }
  void run() {
    cluster_.run_pods();
    cluster_.settle();
  }
  void end(const std::string& pod, const std::string& phase) {
    cluster_.set<kube::Pod>(pod, {"status"}, document::read_yaml("{phase: " + phase + "}", "test").documents.at(0));
    cluster_.settle();
  }
  std::vector<std::string> pod_names() const {
    std::vector<std::string> names;
    for (const auto& pod : cluster_.all<kube::Pod>()) names.push_back(pod->metadata().name);
    return names;
  }
  std::string file(std::string_view name) const {
    const auto map = cluster_.get<kube::ConfigMap>("tune-config");
    return map == nullptr ? "" : std::string(document::text_at(map->document, {"data", name}));
  }
  std::vector<std::string> conditions() const {
    std::vector<std::string> all;
    for (const auto& each : cluster_.get<kube::MpiJob>("tune")->view.status.conditions) {
      all.push_back((each.status == "True" ? "" : "not ") + each.type + " by " + each.reason);
    }
    return all;
  }

  controllers::testing::TestCluster cluster_;
};

TEST_F(MpiV1JobTest, TheLauncherGetsHostsAndTheRightToStartProcessesInThem) {
  make();
  EXPECT_THAT(pod_names(), ElementsAre("tune-launcher", "tune-worker-0", "tune-worker-1"));
  EXPECT_EQ(file("hostfile"), "tune-worker-0 slots=1\ntune-worker-1 slots=1\n");
  EXPECT_EQ(file("discover_hosts.sh"), "#!/bin/sh");
  const auto role = cluster_.get<watching::Role>("tune-launcher");
  ASSERT_NE(role, nullptr);
  const auto& rules = document::value_at(role->document, {"rules"}).array();
  EXPECT_EQ(document::value_at(rules.at(1), {"resourceNames"}).array().size(), 2U);
  EXPECT_NE(cluster_.get<watching::RoleBinding>("tune-launcher"), nullptr);
  EXPECT_EQ(cluster_.get<kube::Pod>("tune-launcher")->view.spec->service_account_name, "tune-launcher");
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("launcher pod created success: tune-launcher")));
}

TEST_F(MpiV1JobTest, AWorkerThatRunsIsDiscovered) {
  make();
  run();
  EXPECT_EQ(file("discover_hosts.sh"), "#!/bin/sh\necho tune-worker-0:1\necho tune-worker-1:1");
  EXPECT_THAT(conditions(), ElementsAre("Created by MPIJobCreated", "Running by MPIJobRunning"));
}

TEST_F(MpiV1JobTest, EndsWithItsLauncher) {
  make();
  run();
  end("tune-launcher", "Succeeded");
  EXPECT_THAT(conditions(), Contains("Succeeded by MPIJobSucceeded"));
  EXPECT_THAT(pod_names(), ElementsAre("tune-launcher", "tune-worker-0", "tune-worker-1")) << "cleanPodPolicy None";
}

TEST_F(MpiV1JobTest, FailsWithAWorker) {
  make();
  run();
  end("tune-worker-1", "Failed");
  EXPECT_THAT(conditions(), Contains("Failed by MPIJobMPIJobFailed"));
}

TEST_F(MpiV1JobTest, ScaledDownTheLastWorkersGoAndTheHostsAreFewer) {
  make();
  run();
  cluster_.set<kube::MpiJob>("tune", {"spec", "mpiReplicaSpecs", "Worker", "replicas"},
                             document::Value(std::int64_t{1}));
  cluster_.settle();
  EXPECT_THAT(pod_names(), ElementsAre("tune-launcher", "tune-worker-0"));
  EXPECT_EQ(file("hostfile"), "tune-worker-0 slots=1\n");
}

TEST_F(MpiV1JobTest, WhatAnotherOwnsIsInTheWay) {
  cluster_.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: tune-config, uid: other}, data: {a: b}}");
  make();
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("Resource \"tune-config\" of MPIJobKind \"ConfigMap\" already exists "
                                                  "and is not managed by MPIJob")));
}

TEST_F(MpiV1JobTest, JobsOfTheMpiOperatorAreLeftToIt) {
  make("v2beta1");
  EXPECT_THAT(pod_names(), IsEmpty());
}

TEST_F(MpiV1JobTest, WhatIsWrongIsToldAndNothingIsMade) {
  make("v1", std::string("replicas: 2, ") + kPods);
  EXPECT_THAT(pod_names(), IsEmpty());
  EXPECT_THAT(cluster_.events, Contains(HasSubstr("MPIJob failed validation because MPIReplicaSpec is not valid: There "
                                                  "must be only 1 launcher replica")));
}

}  // namespace
}  // namespace loadline::operators
