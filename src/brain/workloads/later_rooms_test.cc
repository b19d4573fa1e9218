#include "brain/workloads/later_rooms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "brain/workloads/expansion.h"
#include "brain/workloads/reservation.h"
#include "objects/kube/testing/decoding.h"

namespace loadline::workloads {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Made {
  std::vector<std::string> groups;  ///< "NAME minCount"
  /// "NAME with GROUP: PODS, for POD…": the pods of the group that may consume it.
  std::vector<std::string> rooms;
};

/// What a plan makes of a manifest.
Made made_of(const std::string& yaml, LaterParts later = LaterParts::kHoldRoom) {
  const kube::Decoding decoding = kube::decode_text(yaml);
  EXPECT_THAT(decoding.diagnostics, IsEmpty());
  Expansion expansion = expand(decoding.objects, {}, 1);
  group_whole_workloads(decoding.objects, WholeWorkloads::kAll, later, expansion);
  Made made;
  for (const kube::PodGroup& group : expansion.made.of<kube::PodGroup>()) {
    made.groups.push_back(fmt::format("{} {}", group.metadata.name, *group.policy.min_count));
  }
  for (const kube::Reservation& room : expansion.made.of<kube::Reservation>()) {
    std::vector<std::string> pods;
    for (const CreatedPod& created : expansion.pods) {
      std::string name = created.pod.metadata.name;
      if (created.pod.spec->pod_group_name != starts_with(room)) continue;
      if (const std::size_t suffix = name.rfind('-'); name.size() - suffix == 6) name.resize(suffix);  // of a Job's pod
      if (kube::matches(*room.selector, created.pod.metadata.labels)) pods.push_back(std::move(name));
    }
    EXPECT_TRUE(room.template_.spec->pod_group_name.empty());
    made.rooms.push_back(
        fmt::format("{} with {}: {}, for {}", room.metadata.name, starts_with(room), room.pods, fmt::join(pods, " ")));
  }
  return made;
}

std::string job_set(const std::string& more, const std::string& of_worker = "", const std::string& annotation = "") {
  const std::string pods = "template: {spec: {restartPolicy: Never, containers: [{name: main, image: 'sim:1'}]}}";
  return "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: train, annotations: {" + annotation +
         "}}, spec: {" + more +
         "replicatedJobs: [{name: driver, replicas: 1, template: {spec: {parallelism: 1, completions: 1, " + pods +
         "}}}, {name: worker, " + of_worker +
         "replicas: 2, template: {spec: {parallelism: 2, completions: 2, completionMode: Indexed, " + pods + "}}}]}}";
}

constexpr const char* kInOrder = "startupPolicy: {startupPolicyOrder: InOrder}, ";

TEST(LaterRooms, OfAJobSetInOrderAreThoseOfTheJobsThatFollow) {
  const Made made = made_of(job_set(kInOrder));
  EXPECT_THAT(made.groups, ElementsAre("jobset-train 5"));
  EXPECT_THAT(made.rooms,
              ElementsAre("jobset-train-room-0 with jobset-train: 2, for train-worker-0-0 train-worker-0-1",
                          "jobset-train-room-1 with jobset-train: 2, for train-worker-1-0 train-worker-1-1"));
}

TEST(LaterRooms, AreNotAskedForWhereThePolicyHasPartsComeAsTheyAre) {
  const Made made = made_of(job_set(kInOrder), LaterParts::kComeAsTheyAre);
  EXPECT_THAT(made.groups, ElementsAre("jobset-train-driver 1", "jobset-train-worker 4"));
  EXPECT_THAT(made.rooms, IsEmpty());
}

/// One that runs waits for what depends on it; one that has completed has given its room back.
TEST(LaterRooms, OfAJobThatDependsOnAnotherAreNeededOnlyIfThatOneRunsOn) {
  const Made ready = made_of(job_set("", "dependsOn: [{name: driver, status: Ready}], "));
  EXPECT_THAT(ready.groups, ElementsAre("jobset-train 5"));
  EXPECT_THAT(ready.rooms, ::testing::SizeIs(2));
  const Made complete = made_of(job_set("", "dependsOn: [{name: driver, status: Complete}], "));
  EXPECT_THAT(complete.groups, ElementsAre("jobset-train-driver 1", "jobset-train-worker 4"));
  EXPECT_THAT(complete.rooms, IsEmpty());
}

TEST(LaterRooms, OfAJobThatHasADomainToItselfFollowItsFirstPod) {
  const std::string exclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology: rack";
  EXPECT_THAT(made_of(job_set("", "", exclusive)).rooms,
              ElementsAre("jobset-train-room-0 with jobset-train: 1, for train-worker-0-1",
                          "jobset-train-room-1 with jobset-train: 1, for train-worker-1-1"));
  // In order, the first pods come later, too.
  EXPECT_THAT(made_of(job_set(kInOrder, "", exclusive)).rooms,
              ElementsAre("jobset-train-room-0 with jobset-train: 1, for train-worker-0-0",
                          "jobset-train-room-1 with jobset-train: 1, for train-worker-0-1",
                          "jobset-train-room-2 with jobset-train: 1, for train-worker-1-0",
                          "jobset-train-room-3 with jobset-train: 1, for train-worker-1-1"));
}

TEST(LaterRooms, OfALeadersWorkersAreOneForEachGroup) {
  const std::string set =
      "{apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, metadata: {name: llm}, spec: {replicas: 2, "
      "startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 3, workerTemplate: {spec: {containers: [{name: main, "
      "image: 'sim:1'}]}}}}}";
  EXPECT_THAT(made_of(set).rooms,
              ElementsAre("leaderworkerset-llm-0-room-0 with leaderworkerset-llm-0: 2, for llm-0-1 llm-0-2",
                          "leaderworkerset-llm-1-room-0 with leaderworkerset-llm-1: 2, for llm-1-1 llm-1-2"));
}

/// Of a group that starts with fewer than its pods nobody knows which of the later ones will be needed.
TEST(LaterRooms, OfALauncherIsHeldIfAllStartTogether) {
  const auto job = [](const std::string& policy) {
    const std::string pod = "template: {spec: {containers: [{name: main, image: 'mpi:1'}]}}";
    return "{apiVersion: kubeflow.org/v2beta1, kind: MPIJob, metadata: {name: sum}, spec: {launcherCreationPolicy: "
           "WaitForWorkersReady, runPolicy: {schedulingPolicy: {" +
           policy + "}}, mpiReplicaSpecs: {Launcher: {replicas: 1, " + pod + "}, Worker: {replicas: 3, " + pod + "}}}}";
  };
  EXPECT_THAT(made_of(job("")).rooms, ElementsAre("mpijob-sum-room-0 with mpijob-sum: 1, for sum-launcher"));
  EXPECT_THAT(made_of(job("minAvailable: 2")).rooms, IsEmpty());
}

TEST(LaterRooms, AreNoneWithoutLaterParts) { EXPECT_THAT(made_of(job_set("")).rooms, IsEmpty()); }

}  // namespace
}  // namespace loadline::workloads
