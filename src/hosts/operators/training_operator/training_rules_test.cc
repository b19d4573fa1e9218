#include "hosts/operators/training_operator/training_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/document/reader.h"

namespace loadline::operators {
namespace {

using kube::Framework;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// "spec.x: Required value" of each fault.
std::vector<std::string> faults(Framework framework, const std::string& spec, const std::string& before = {}) {
  const auto job = [](const std::string& text) {
    return document::read_yaml("{metadata: {name: j}, spec: {" + text + "}}", "test").documents.at(0);
  };
  const document::Value now = job(spec);
  const document::Value then = job(before);
  std::vector<std::string> texts;
  for (const auto& fault : faults_of_training_job(framework, now, before.empty() ? nullptr : &then)) {
    texts.push_back(fault.path + ": " + fault.message);
  }
  return texts;
}

std::string role(const std::string& container, const std::string& more = {}) {
  return "{" + more + "template: {spec: {containers: [{name: " + container + ", image: i}]}}}";
}

TEST(TrainingRules, AskForContainersAndCounts) {
  const std::string master = "Master: " + role("pytorch", "replicas: 1, ");
  EXPECT_THAT(faults(Framework::kPyTorch, "pytorchReplicaSpecs: {" + master + "}"), IsEmpty());
  EXPECT_THAT(faults(Framework::kPyTorch, ""),
              ElementsAre("spec.pytorchReplicaSpecs: Required value: must be required"));
  EXPECT_THAT(faults(Framework::kPyTorch, "pytorchReplicaSpecs: {Master: " + role("pytorch") +
                                              ", Boss: " + role("other", "replicas: 0, ") + "}"),
              ElementsAre("spec.pytorchReplicaSpecs[Master].replicas: Forbidden: must be 1",
                          "spec.pytorchReplicaSpecs[Boss]: Unsupported value: \"Boss\": supported values: \"Master\", "
                          "\"Worker\"",
                          "spec.pytorchReplicaSpecs[Boss].template.spec.containers: Required value: must have at least "
                          "one container with name pytorch",
                          "spec.pytorchReplicaSpecs[Boss].replicas: Forbidden: must be at least 1"));
  EXPECT_THAT(faults(Framework::kPyTorch,
                     "elasticPolicy: {nProcPerNode: 2}, nprocPerNode: '2', pytorchReplicaSpecs: {" + master + "}"),
              ElementsAre("spec.pytorchReplicaSpecs[Worker]: Required value: must be configured if elastic policy is "
                          "used",
                          "spec.elasticPolicy.nProcPerNode: Forbidden: must not be used with spec.nprocPerNode"));
}

TEST(TrainingRules, DifferFromFrameworkToFramework) {
  EXPECT_THAT(faults(Framework::kTensorFlow, "tfReplicaSpecs: {Chief: " + role("tensorflow") + ", Master: " +
                                                 role("tensorflow") + ", Boss: " + role("tensorflow") + "}"),
              ElementsAre("spec.tfReplicaSpecs: Forbidden: must not have more than 1 Chief or Master role"));
  EXPECT_THAT(faults(Framework::kXgBoost, "xgbReplicaSpecs: {Worker: " + role("xgboost") + "}"),
              ElementsAre("spec.xgbReplicaSpecs[Master]: Required value: must be present"));
  EXPECT_THAT(faults(Framework::kPaddle, "paddleReplicaSpecs: {Worker: " + role("x") + "}"),
              ElementsAre("spec.paddleReplicaSpecs[Worker].template.spec.containers: Required value: must have at "
                          "least one container with name \"paddle\""));
  EXPECT_THAT(faults(Framework::kJax, "jaxReplicaSpecs: {Master: " + role("jax") + "}"),
              ElementsAre("spec.jaxReplicaSpecs[Master]: Unsupported value: \"Master\": supported values: \"Worker\""));
}

TEST(TrainingRules, TheManagerStays) {
  const std::string roles = "paddleReplicaSpecs: {Worker: " + role("paddle") + "}";
  const std::string kueue = "runPolicy: {managedBy: kueue.x-k8s.io/multikueue}, " + roles;
  EXPECT_THAT(faults(Framework::kPaddle, kueue), IsEmpty());
  EXPECT_THAT(
      faults(Framework::kPaddle, kueue, roles),
      ElementsAre("spec.runPolicy.managedBy: Invalid value: \"kueue.x-k8s.io/multikueue\": field is immutable"));
  EXPECT_THAT(faults(Framework::kPaddle, "runPolicy: {managedBy: me}, " + roles),
              ElementsAre("spec.runPolicy.managedBy: Unsupported value: \"me\": supported values: "
                          "\"kubeflow.org/training-operator\", \"kueue.x-k8s.io/multikueue\""));
}

}  // namespace
}  // namespace loadline::operators
