#include "hosts/advice/edit.h"

#include <gtest/gtest.h>

#include "brain/cluster/testing/pod_builder.h"
#include "brain/workloads/ray_job.h"
#include "objects/kube/apps/apps.h"
#include "objects/kube/core/quota.h"
#include "objects/kube/node/runtime_class.h"

namespace loadline::advice {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

kube::Container container(const char* gpus) {
  kube::Container result;
  result.resources.limits["nvidia.com/gpu"] = quantity(gpus);
  return result;
}

TEST(Edit, TakesARequestFromTheContainerThatAsksForMost) {
  kube::PodSpec spec;
  spec.containers = {container("1"), container("4")};
  apply(RequestLess{"nvidia.com/gpu", quantity("5"), quantity("3")}, spec);
  EXPECT_EQ(spec.containers[0].resources.limits.at("nvidia.com/gpu").value(), 1);
  EXPECT_EQ(spec.containers[1].resources.limits.at("nvidia.com/gpu").value(), 2);
  EXPECT_EQ(spec.containers[1].resources.requests.at("nvidia.com/gpu").value(), 2);
}

TEST(Edit, LeavesTheLimitOfWhatMayBeOvercommitted) {
  kube::PodSpec spec;
  spec.containers.emplace_back();
  spec.containers[0].resources.limits["cpu"] = quantity("4");
  apply(RequestLess{"cpu", quantity("4"), quantity("2")}, spec);
  EXPECT_EQ(spec.containers[0].resources.requests.at("cpu").value(), 2);
  EXPECT_EQ(spec.containers[0].resources.limits.at("cpu").value(), 4);
}

TEST(Edit, LimitsEveryContainerThatIsAbove) {
  kube::PodSpec spec;
  spec.containers = {container("1"), container("4")};
  spec.containers[1].resources.requests["nvidia.com/gpu"] = quantity("4");
  apply(LimitLess{"nvidia.com/gpu", quantity("4"), quantity("2")}, spec);
  EXPECT_EQ(spec.containers[0].resources.limits.at("nvidia.com/gpu").value(), 1);
  EXPECT_EQ(spec.containers[1].resources.limits.at("nvidia.com/gpu").value(), 2);
  EXPECT_EQ(spec.containers[1].resources.requests.at("nvidia.com/gpu").value(), 2);
}

TEST(Edit, WidensARequirementOrDropsIt) {
  kube::PodSpec spec;
  spec.affinity.emplace().node.emplace().required.emplace().terms = {
      {{{"gpu-type", kube::NodeSelectorOperator::kIn, {"a100"}},
        {"spot", kube::NodeSelectorOperator::kDoesNotExist, {}}},
       {}}};
  apply(AcceptLabel{"gpu-type", "h100"}, spec);
  const auto& expressions = spec.affinity->node->required->terms[0].match_expressions;
  EXPECT_EQ(expressions[0].values, (std::vector<std::string>{"a100", "h100"}));
  apply(AcceptLabel{"spot", "true"}, spec);
  EXPECT_EQ(expressions.size(), 1U);
  apply(AcceptLabel{"gpu-type", ""}, spec);
  EXPECT_FALSE(spec.affinity->node->required) << "an empty term would match no node at all";
}

TEST(Edit, PrefersWhatWasRequired) {
  kube::PodSpec spec = cluster::testing::spec_of(pod("p").away_from(pods_with("app", "web", "kubernetes.io/hostname")));
  apply(PreferPodAffinity{"kubernetes.io/hostname", true}, spec);
  EXPECT_TRUE(spec.affinity->pod_anti->required.empty());
  ASSERT_EQ(spec.affinity->pod_anti->preferred.size(), 1U);
  EXPECT_EQ(spec.affinity->pod_anti->preferred[0].weight, 100);
}

TEST(Edit, ChangesATemplateAndThoseOfItsPodsThatWait) {
  kube::Objects objects;
  kube::ReplicaSet set;
  set.metadata.name = "web";
  set.metadata.namespace_ = "default";
  objects.of<kube::ReplicaSet>() = {set};
  objects.of<kube::Pod>() = {pod("web-1").owned_by("ReplicaSet", "web").on_node("n"),
                             pod("web-2").owned_by("ReplicaSet", "web"), pod("other")};
  const Target target{{"default", "web-2"}, {"ReplicaSet", "default", "web"}, 0};
  apply(UseScheduler{"second"}, target, objects);
  EXPECT_EQ(objects.of<kube::ReplicaSet>()[0].template_.spec->scheduler_name, "second");
  EXPECT_EQ(objects.of<kube::Pod>()[0].spec->scheduler_name, "default-scheduler") << "it runs";
  EXPECT_EQ(objects.of<kube::Pod>()[1].spec->scheduler_name, "second");
  EXPECT_EQ(objects.of<kube::Pod>()[2].spec->scheduler_name, "default-scheduler");
}

TEST(Edit, ChangesOfWhatAWorkloadMadeTheSameRoleOnly) {
  kube::Objects objects;
  kube::RayJob job;
  job.metadata.name = "tune";
  job.metadata.namespace_ = "default";
  job.spec.cluster.emplace().worker_groups.resize(1);
  job.spec.cluster->worker_groups[0].name = "gpu";
  objects.of<kube::RayCluster>() = {workloads::cluster_of(job, "tune-abcde")};
  objects.of<kube::Job>() = {workloads::submitter_of(job, *job.spec.cluster)};
  objects.of<kube::RayJob>() = {job};
  const auto selects = [](const kube::PodTemplateSpec& each) { return !each.spec->node_selector.empty(); };
  const kube::RayClusterSpec& made = objects.of<kube::RayCluster>()[0].spec;
  const kube::PodTemplateSpec& submitter = objects.of<kube::Job>()[0].spec.template_;

  apply(SelectLabel{"gpu-type", "", "a100"}, {{}, {"RayJob", "default", "tune"}, 0, "gpu"}, objects);
  EXPECT_TRUE(selects(objects.of<kube::RayJob>()[0].spec.cluster->worker_groups[0].template_));
  EXPECT_TRUE(selects(made.worker_groups[0].template_)) << "the cluster that runs";
  EXPECT_FALSE(selects(made.head.template_));
  EXPECT_FALSE(selects(submitter));
  apply(SelectLabel{"disk", "", "ssd"}, {{}, {"RayJob", "default", "tune"}, 0, "submitter"}, objects);
  EXPECT_TRUE(selects(submitter));
  EXPECT_FALSE(selects(made.head.template_));
}

TEST(Edit, MendsNodesAndQuotas) {
  kube::Objects objects;
  objects.of<kube::Node>() = {
      node("a").cordoned().taint("node.kubernetes.io/unschedulable", kube::TaintEffect::kNoSchedule), node("b")};
  const Target none{};
  apply(Uncordon{"a"}, none, objects);
  EXPECT_FALSE(objects.of<kube::Node>()[0].unschedulable);
  EXPECT_TRUE(objects.of<kube::Node>()[0].taints.empty());
  apply(LabelNode{"b", "disk", "ssd"}, none, objects);
  EXPECT_EQ(objects.of<kube::Node>()[1].metadata.labels.at("disk"), "ssd");
  apply(AddNodes{capacity::nodes_like("b", 2)}, none, objects);
  ASSERT_EQ(objects.of<kube::Node>().size(), 4U);
  EXPECT_EQ(objects.of<kube::Node>()[3].metadata.name, "b-added-2");
  kube::ResourceQuota quota;
  quota.metadata.name = "q";
  quota.metadata.namespace_ = "team";
  quota.hard["pods"] = quantity("3");
  objects.of<kube::ResourceQuota>() = {quota};
  apply(RaiseQuota{"team", "q", "pods", quantity("3"), quantity("5")}, none, objects);
  EXPECT_EQ(objects.of<kube::ResourceQuota>()[0].hard.at("pods").value(), 5);
}

TEST(Edit, SaysHowFarItReaches) {
  EXPECT_TRUE(edits_pod(LimitLess{}));
  EXPECT_EQ(reach_of(Uncordon{"a"}), Reach::kNode);
  EXPECT_EQ(reach_of(Scale{}), Reach::kOtherPods);
  EXPECT_EQ(reach_of(AddRuntimeClass{"a"}), Reach::kInput);
}

TEST(Edit, MakesARuntimeClassThatAnApiServerTakes) {
  kube::Objects objects;
  apply(AddRuntimeClass{"kata.v3"}, Target{}, objects);
  ASSERT_EQ(objects.of<kube::RuntimeClass>().size(), 1U);
  EXPECT_EQ(objects.of<kube::RuntimeClass>()[0].metadata.name, "kata.v3");
  EXPECT_EQ(objects.of<kube::RuntimeClass>()[0].handler, "kata-v3") << "a handler has no dots";
}

TEST(Edit, AsksForADeviceUnderAnotherName) {
  kube::PodSpec spec;
  spec.containers = {container("2")};
  apply(RenameRequest{"nvidia.com/gpu", "amd.com/gpu"}, spec);
  EXPECT_FALSE(spec.containers[0].resources.limits.contains("nvidia.com/gpu"));
  EXPECT_EQ(spec.containers[0].resources.limits.at("amd.com/gpu").value(), 2);
}

TEST(Edit, BringsANodeBackFromAllEffectsOfItsTrouble) {
  const kube::Node lost = node("a")
                              .taint("node.kubernetes.io/unreachable", kube::TaintEffect::kNoSchedule)
                              .taint("node.kubernetes.io/unreachable", kube::TaintEffect::kNoExecute)
                              .taint("team", kube::TaintEffect::kNoSchedule);
  const kube::Node back = edited(RemoveTaint{"a", lost.taints.front()}, lost);
  ASSERT_EQ(back.taints.size(), 1U);
  EXPECT_EQ(back.taints.front().key, "team");
}

}  // namespace
}  // namespace loadline::advice
