#include "hosts/operators/training_operator/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/at.h"
#include "foundation/document/reader.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::operators {
namespace {

using ::testing::ElementsAre;

/// "NAME=value" of each variable of a replica.
template <class Kind>
std::vector<std::string> variables_of(const std::string& text, const std::string& role, std::int64_t index) {
  const document::Value written = document::read_yaml(text, "test").documents.at(0);
  const kube::Decoding decoding = kube::decode_text(text);
  EXPECT_TRUE(decoding.diagnostics.empty()) << decoding.diagnostics.front().to_string();
  const workloads::TrainingView job(decoding.objects.of<Kind>().at(0));
  std::vector<std::string> all;
  for (const workloads::TrainingRole& each : workloads::roles_of(job)) {
    if (each.name != role) continue;
    for (const document::Value& variable : environment_of(job, written, each, index).variables) {
      const std::string_view field = document::text_at(variable, {"valueFrom", "fieldRef", "fieldPath"});
      all.push_back(std::string(document::text_at(variable, {"name"})) + "=" +
                    std::string(field.empty() ? document::text_at(variable, {"value"}) : field));
    }
  }
  return all;
}

std::string training_text(const std::string& kind, const std::string& field, const std::string& container,
                          const std::string& roles, const std::string& more = {}) {
  std::string text = "{apiVersion: kubeflow.org/v1, kind: " + kind + ", metadata: {name: j, namespace: ns}, spec: {" +
                     more + field + ": {";
  std::string name;
  for (const char letter : roles + ",") {
    if (letter != ',') {
      name += letter;
      continue;
    }
    const std::size_t colon = name.find(':');
    text += name.substr(0, colon) + ": {replicas: " + name.substr(colon + 1) +
            ", template: {spec: {containers: [{name: " + container + ", image: i}]}}}, ";
    name.clear();
  }
  return text + "}}}";
}

TEST(TrainingEnvironment, PyTorchFindsItsMaster) {
  const std::string job =
      training_text("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Master:1,Worker:2", "nprocPerNode: '4', ");
  EXPECT_THAT(variables_of<kube::PyTorchJob>(job, "Worker", 1),
              ElementsAre("PYTHONUNBUFFERED=1", "MASTER_PORT=23456", "PET_MASTER_PORT=23456", "MASTER_ADDR=j-master-0",
                          "PET_MASTER_ADDR=j-master-0", "WORLD_SIZE=12", "RANK=2", "PET_NODE_RANK=2",
                          "PET_NPROC_PER_NODE=4", "PET_NNODES=3"));
}

TEST(TrainingEnvironment, PyTorchsElasticWorkersMeet) {
  const std::string job =
      training_text("PyTorchJob", "pytorchReplicaSpecs", "pytorch", "Worker:2",
                    "elasticPolicy: {maxReplicas: 4, rdzvConf: [{key: a, value: b}, {key: c, value: "
                    "d}]}, ");
  EXPECT_THAT(variables_of<kube::PyTorchJob>(job, "Worker", 0),
              ElementsAre("PYTHONUNBUFFERED=1", "PET_NPROC_PER_NODE=auto", "PET_RDZV_ENDPOINT=j-worker-0:23456",
                          "PET_RDZV_BACKEND=c10d", "PET_NNODES=4:4", "PET_RDZV_CONF=a=b,c=d"));
}

TEST(TrainingEnvironment, TensorFlowKnowsItsCluster) {
  EXPECT_THAT(variables_of<kube::TensorFlowJob>(training_text("TFJob", "tfReplicaSpecs", "tensorflow", "PS:1,Worker:2"),
                                                "Worker", 1),
              ElementsAre(R"(TF_CONFIG={"cluster":{"ps":["j-ps-0.ns.svc:2222"],"worker":["j-worker-0.ns.svc:2222",)"
                          R"("j-worker-1.ns.svc:2222"]},"task":{"type":"worker","index":1},"environment":"cloud"})"));
  EXPECT_THAT(variables_of<kube::TensorFlowJob>(training_text("TFJob", "tfReplicaSpecs", "tensorflow", "Worker:1"),
                                                "Worker", 0),
              ElementsAre())
      << "a process on its own needs no cluster";
  EXPECT_THAT(
      variables_of<kube::TensorFlowJob>(
          training_text("TFJob", "tfReplicaSpecs", "tensorflow", "PS:1,Worker:2", "enableDynamicWorker: true, "),
          "Worker", 1),
      ElementsAre(R"(TF_CONFIG={"cluster":{"worker":{"1":"j-worker-1.ns.svc:2222"},"ps":["j-ps-0.ns.svc:2222"]},)"
                  R"("task":{"type":"worker","index":1}})"));
}

TEST(TrainingEnvironment, OthersHaveTheirOwnWords) {
  EXPECT_THAT(variables_of<kube::XgBoostJob>(
                  training_text("XGBoostJob", "xgbReplicaSpecs", "xgboost", "Master:1,Worker:2"), "Worker", 0),
              ElementsAre("MASTER_PORT=9999", "MASTER_ADDR=j-master-0", "WORLD_SIZE=3", "RANK=1", "PYTHONUNBUFFERED=1",
                          "WORKER_PORT=9999", "WORKER_ADDRS=j-worker-0,j-worker-1"));
  EXPECT_THAT(variables_of<kube::PaddleJob>(training_text("PaddleJob", "paddleReplicaSpecs", "paddle", "Worker:2"),
                                            "Worker", 0),
              ElementsAre("PYTHONUNBUFFERED=1", "PADDLE_JOB_ID=j", "PADDLE_NNODES=2", "POD_IP_DUMMY=status.podIP",
                          "PADDLE_MASTER=$(POD_IP_DUMMY):36543"));
  EXPECT_THAT(variables_of<kube::JaxJob>(training_text("JAXJob", "jaxReplicaSpecs", "jax", "Worker:2"), "Worker", 1),
              ElementsAre("PYTHONUNBUFFERED=1", "COORDINATOR_PORT=6666", "COORDINATOR_ADDRESS=j-worker-0",
                          "NUM_PROCESSES=2", "PROCESS_ID=1"));
}

}  // namespace
}  // namespace loadline::operators
