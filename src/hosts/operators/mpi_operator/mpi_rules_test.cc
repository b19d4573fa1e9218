#include "hosts/operators/mpi_operator/mpi_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace loadline::operators {
namespace {

using ::testing::StartsWith;

kube::TrainingReplicas some_replicas(std::int32_t count) {
  kube::TrainingReplicas replicas;
  replicas.replicas = count;
  auto spec = std::make_shared<kube::PodSpec>();
  spec->containers.resize(1);
  replicas.template_.spec = std::move(spec);
  return replicas;
}

kube::MpiJob faultless_job() {
  kube::MpiJob job;
  job.metadata.name = "mpi";
  job.spec.replicas = {{"Launcher", some_replicas(1)}, {"Worker", some_replicas(2)}};
  return job;
}

TEST(MpiRules, FindNothingWrongWithWhatIsLeftOut) {
  kube::MpiJob job = faultless_job();
  EXPECT_EQ(faults_of_mpi_job(job), "");
  job.spec.replicas.erase("Worker");
  EXPECT_EQ(faults_of_mpi_job(job), "");
}

TEST(MpiRules, TellOneFaultAsItIs) {
  kube::MpiJob job = faultless_job();
  job.spec.replicas.at("Worker").replicas.reset();
  EXPECT_EQ(faults_of_mpi_job(job),
            "spec.mpiReplicaSpecs[Worker].replicas: Invalid value: 0: must be greater than or equal to 1");
}

TEST(MpiRules, TellSeveralFaultsInBrackets) {
  kube::MpiJob job = faultless_job();
  job.spec.replicas.at("Launcher").replicas = 2;
  job.spec.replicas.at("Worker").restart_policy = "Always";
  EXPECT_EQ(faults_of_mpi_job(job),
            "[spec.mpiReplicaSpecs[Launcher].replicas: Invalid value: 2: must be 1, "
            "spec.mpiReplicaSpecs[Worker].restartPolicy: Unsupported value: \"Always\": supported values: \"Never\", "
            "\"OnFailure\"]");
}

TEST(MpiRules, RefuseNamesThatMakeNoHostNames) {
  kube::MpiJob job = faultless_job();
  job.metadata.name = "1job";
  EXPECT_THAT(faults_of_mpi_job(job),
              StartsWith("metadata.name: Invalid value: \"1job\": will not able to create pod and service with invalid "
                         "DNS label \"1job-worker-1\": a DNS-1035 label"));
}

}  // namespace
}  // namespace loadline::operators
