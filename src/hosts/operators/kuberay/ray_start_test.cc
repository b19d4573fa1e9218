#include "hosts/operators/kuberay/ray_start.h"

#include <gtest/gtest.h>

#include "foundation/document/reader.h"

namespace loadline::operators {
namespace {

using document::Value;

Value of_yaml(std::string_view yaml) { return document::read_yaml(yaml, "test").documents.front(); }

std::string command_of(std::string_view group, std::string_view container, bool is_head = false) {
  const Value written = of_yaml(group);
  RayNode node{is_head, written, "llm-head-svc.default.svc.cluster.local", "6379", false};
  return ray_start_command(is_head, ray_start_params(node), of_yaml(container));
}

TEST(RayStart, AWorkerIsToldWhereTheHeadIsAndWhatItHas) {
  EXPECT_EQ(command_of("{}", "{resources: {limits: {cpu: 2500m, memory: 2Gi, nvidia.com/gpu: 4}}}"),
            "ray start  --address=llm-head-svc.default.svc.cluster.local:6379  --block  "
            "--dashboard-agent-listen-port=52365  --memory=2147483648  --metrics-export-port=8080  --num-cpus=3  "
            "--num-gpus=4 ");
}

TEST(RayStart, WhatTheAuthorWroteStays) {
  EXPECT_EQ(command_of("{rayStartParams: {num-cpus: '0', block: 'false', dashboard-host: 10.0.0.1}}",
                       "{resources: {requests: {cpu: 8}}}", true),
            "ray start --head  --block  --dashboard-agent-listen-port=52365  --dashboard-host=10.0.0.1  "
            "--metrics-export-port=8080  --num-cpus=0 ");
}

TEST(RayStart, ResourcesAndLabelsOfTheGroupAreParameters) {
  EXPECT_EQ(
      command_of("{resources: {CPU: '2', GPU: '1', custom: 500m, big: '3'}, labels: {zone: a, market: spot}}", "{}"),
      "ray start  --address=llm-head-svc.default.svc.cluster.local:6379  --block  "
      "--dashboard-agent-listen-port=52365  --labels=market=spot,zone=a  --metrics-export-port=8080  "
      "--num-cpus=2  --num-gpus=1  --resources='{\"big\":3,\"custom\":0.5}' ");
}

TEST(RayStart, OtherAcceleratorsAreResourcesOfRaysOwn) {
  EXPECT_NE(command_of("{}", "{resources: {limits: {google.com/tpu: 4}}}").find("--resources='{\"TPU\":4}'"),
            std::string::npos);
  EXPECT_NE(command_of("{rayStartParams: {resources: '''{\"custom\": 2}'''}}",
                       "{resources: {limits: {aws.amazon.com/neuroncore: 2}}}")
                .find("--resources='{\"custom\":2,\"neuron_cores\":2}'"),
            std::string::npos);
}

TEST(RayStart, AcceleratorsAreLeftOutWhereResourcesCannotBeRead) {
  EXPECT_EQ(command_of("{rayStartParams: {resources: '{custom'}}", "{resources: {limits: {nvidia.com/gpu: 1}}}")
                .find("--num-gpus"),
            std::string::npos);
}

TEST(RayStart, KnowsGpusByTheirNames) {
  for (const char* name : {"nvidia.com/gpu", "amd.com/gpu", "gpu", "nvidia.com/mig-1g.5gb"}) {
    EXPECT_TRUE(is_ray_gpu(name)) << name;
  }
  for (const char* name : {"cpu", "nvidia.com/mig-1g", "nvidia.com/gpu.shared", "google.com/tpu"}) {
    EXPECT_FALSE(is_ray_gpu(name)) << name;
  }
}

}  // namespace
}  // namespace loadline::operators
