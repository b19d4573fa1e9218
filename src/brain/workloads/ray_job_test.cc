#include "brain/workloads/ray_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/pod_set.h"
#include "brain/workloads/testing/objects.h"
#include "brain/workloads/testing/ray.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::kNow;
using testing::kSeed;
using ::testing::MatchesRegex;
using testing::names;
using testing::note_of;
using testing::ray_object;
using ::testing::SizeIs;

constexpr std::string_view kCluster =
    "rayClusterSpec: {headGroupSpec: {rayStartParams: {}, template: POD}, workerGroupSpecs: [{groupName: gpu, "
    "replicas: 1, rayStartParams: {}, template: POD}]}";

kube::Objects tune(const std::string& rest = "") {
  return ray_object("RayJob", "tune", "{entrypoint: python tune.py, " + std::string(kCluster) + rest + "}");
}

TEST(RayJob, HasTheClusterThatItAsksForAndAPodThatSubmitsIt) {
  const Expansion expansion = expand(tune(), kNow, kSeed);
  EXPECT_THAT(names(expansion),
              ElementsAre(MatchesRegex("tune-[a-z0-9]{5}-head-[a-z0-9]{5}"),
                          MatchesRegex("tune-[a-z0-9]{5}-gpu-worker-[a-z0-9]{5}"), MatchesRegex("tune-[a-z0-9]{5}")));
  std::vector<std::string> roles;
  for (const CreatedPod& each : expansion.pods) {
    EXPECT_EQ(each.workload.to_string(), "RayJob default/tune");
    roles.push_back(role_of(each.workload, each.pod.metadata));
  }
  EXPECT_THAT(roles, ElementsAre("head", "gpu", "submitter"));
  EXPECT_EQ(expansion.pods.at(0).pod.metadata.controller()->kind, "RayCluster");
  const kube::Pod& submitter = expansion.pods.at(2).pod;
  EXPECT_EQ(submitter.metadata.controller()->kind, "Job");
  EXPECT_EQ(submitter.metadata.controller()->name, "tune");
  ASSERT_THAT(submitter.spec->containers, SizeIs(1));
  EXPECT_EQ(submitter.spec->containers[0].name, "ray-job-submitter");
  EXPECT_EQ(submitter.spec->containers[0].image, "ray:2");
  EXPECT_EQ(submitter.spec->containers[0].resources.requests.at("cpu").to_string(), "500m");
  EXPECT_EQ(submitter.spec->containers[0].resources.requests.at("memory").to_string(), "200Mi");
}

TEST(RayJob, IsSubmittedInTheWayThatItsModeSays) {
  EXPECT_THAT(expand(tune(", submissionMode: HTTPMode"), kNow, kSeed).pods, SizeIs(2));
  EXPECT_THAT(expand(tune(", submissionMode: InteractiveMode"), kNow, kSeed).pods, SizeIs(2));
  const Expansion sidecar = expand(tune(", submissionMode: SidecarMode"), kNow, kSeed);
  ASSERT_THAT(sidecar.pods, SizeIs(2));
  const kube::PodSpec& head = *sidecar.pods.at(0).pod.spec;
  ASSERT_THAT(head.containers, SizeIs(2));
  EXPECT_EQ(head.containers[1].name, "ray-job-submitter");
  EXPECT_EQ(head.restart_policy, kube::RestartPolicy::kNever);
  const Expansion own =
      expand(tune(", submitterPodTemplate: {spec: {restartPolicy: Never, containers: [{name: s, image: mine}]}}"), kNow,
             kSeed);
  EXPECT_EQ(own.pods.at(2).pod.spec->containers.at(0).image, "mine");
}

TEST(RayJob, MakesNoClusterWhereItSelectsOne) {
  const std::string job = "{entrypoint: python x.py, clusterSelector: {ray.io/cluster: shared}}";
  kube::Objects objects = ray_object("RayJob", "tune", job);
  EXPECT_EQ(note_of(objects), "waits for RayCluster shared, which is not there");
  kube::Objects shared = ray_object("RayCluster", "shared", "{headGroupSpec: {rayStartParams: {}, template: POD}}");
  objects.of<kube::RayCluster>() = shared.of<kube::RayCluster>();
  const Expansion expansion = expand(objects, kNow, kSeed);
  ASSERT_THAT(expansion.pods, SizeIs(2));
  EXPECT_EQ(expansion.pods.at(0).workload.to_string(), "RayCluster default/shared");
  EXPECT_EQ(expansion.pods.at(1).workload.to_string(), "RayJob default/tune");
  EXPECT_EQ(expansion.pods.at(1).pod.spec->containers.at(0).image, "ray:2") << "the head's";
}

TEST(RayJob, ClusterAndSubmitterThatAreThereAreNotMadeAgain) {
  kube::Objects objects = tune();
  objects.of<kube::RayJob>()[0].status.cluster_name = "tune-abcde";
  objects.of<kube::RayJob>()[0].status.deployment_status = "Running";
  const kube::RayJob& job = objects.of<kube::RayJob>()[0];
  kube::Pod head = testing::owned_pod("tune-abcde-head-x", "RayCluster", "tune-abcde");
  head.metadata.labels = {{"ray.io/node-type", "head"}};
  objects.of<kube::Pod>() = {head, testing::owned_pod("tune-zyxwv", "Job", "tune")};
  const Expansion unread = expand(objects, kNow, kSeed);
  EXPECT_THAT(names(unread), ElementsAre(MatchesRegex("tune-abcde-gpu-worker-.*"))) << "the pods tell of them";
  EXPECT_EQ(owner_of(objects.of<kube::Pod>()[0], objects).to_string(), "RayJob default/tune");
  EXPECT_EQ(owner_of(objects.of<kube::Pod>()[1], objects).to_string(), "RayJob default/tune");

  objects.of<kube::RayCluster>() = {cluster_of(job, "tune-abcde")};
  objects.of<kube::Job>() = {submitter_of(job, *job.spec.cluster)};
  const Expansion read = expand(objects, kNow, kSeed);
  EXPECT_THAT(names(read), ElementsAre(MatchesRegex("tune-abcde-gpu-worker-.*")));
  EXPECT_EQ(read.pods.at(0).workload.to_string(), "RayJob default/tune");
}

TEST(RayJob, HasNoPodsWhileItIsSuspendedInvalidOverOrAnothersBusiness) {
  EXPECT_EQ(note_of(tune(", suspend: true, shutdownAfterJobFinishes: true")), "is suspended");
  EXPECT_EQ(note_of(tune(", suspend: true")),
            "gets no pods from KubeRay: a RayJob with shutdownAfterJobFinishes set to false is not allowed to be "
            "suspended");
  EXPECT_EQ(note_of(ray_object("RayJob", "tune", "{entrypoint: python x.py}")),
            "gets no pods from KubeRay: one of RayClusterSpec or ClusterSelector must be set");
  EXPECT_EQ(note_of(tune(", managedBy: kueue.x-k8s.io/multikueue")), "is left to kueue.x-k8s.io/multikueue");
  kube::Objects over = tune();
  over.of<kube::RayJob>()[0].status.deployment_status = "Complete";
  EXPECT_EQ(note_of(over), "");
}

TEST(RayJob, PodSetsAreItsClustersAndASubmitterOfItsOwn) {
  const kube::Objects objects = tune(", submitterPodTemplate: POD");
  const PodSets sets = pod_sets(objects.of<kube::RayJob>().front());
  ASSERT_THAT(sets, SizeIs(3));
  EXPECT_EQ(sets[1].path, "spec.rayClusterSpec.workerGroupSpecs[0].template");
  EXPECT_EQ(sets[2].path, "spec.submitterPodTemplate");
  EXPECT_EQ(sets[2].role, "submitter");
  EXPECT_THAT(pod_sets(tune().of<kube::RayJob>().front()), SizeIs(2)) << "KubeRay's own template is not the author's";
}

TEST(RayCronJob, ShowsThePodsOfItsNextRun) {
  const kube::Objects objects =
      ray_object("RayCronJob", "nightly",
                 "{schedule: '0 3 * * *', jobTemplate: {entrypoint: python x.py, " + std::string(kCluster) + "}}");
  const Expansion expansion = expand(objects, kNow, kSeed);
  EXPECT_THAT(names(expansion),
              ElementsAre(MatchesRegex("nightly-.{5}-.{5}-head-.{5}"),
                          MatchesRegex("nightly-.{5}-.{5}-gpu-worker-.{5}"), MatchesRegex("nightly-.{5}-.{5}")));
  EXPECT_EQ(expansion.pods.at(2).workload.to_string(), "RayCronJob default/nightly");
  EXPECT_EQ(role_of(expansion.pods.at(2).workload, expansion.pods.at(2).pod.metadata), "submitter");
  EXPECT_EQ(pod_sets(objects.of<kube::RayCronJob>().front()).at(0).path,
            "spec.jobTemplate.rayClusterSpec.headGroupSpec.template");
}

TEST(RayCronJob, ThatIsSuspendedOrUnreadableSaysSo) {
  const auto cron_job = [](const std::string& rest) {
    return ray_object("RayCronJob", "nightly",
                      "{jobTemplate: {entrypoint: x, " + std::string(kCluster) + "}, " + rest + "}");
  };
  EXPECT_EQ(note_of(cron_job("schedule: '0 3 * * *', suspend: true")), "is suspended");
  EXPECT_EQ(note_of(cron_job("schedule: soon")), "has no next run: expected exactly 5 fields, found 1: [soon]");
}

}  // namespace
}  // namespace loadline::workloads
