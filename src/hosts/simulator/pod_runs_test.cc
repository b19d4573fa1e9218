#include "hosts/simulator/pod_runs.h"

#include <gtest/gtest.h>

#include <array>

#include "brain/cluster/testing/pod_builder.h"
#include "objects/kube/kubeflow/training_job.h"

namespace loadline::simulator {
namespace {

using namespace cluster::testing;  // NOLINT: the fixtures' words

constexpr Instant kNoon = Instant{} + Duration::seconds(1'700'000'000);

PodRun run_since(Instant started) {
  PodRun run;
  run.known.started = started;
  run.gpus = 8;
  return run;
}

Instant before_noon(std::int64_t minutes) {
  return Instant{kNoon.nanoseconds - Duration::seconds(60 * minutes).nanoseconds};
}

TEST(LostGpuSeconds, CountFromTheOldestCheckpointOfAll) {
  std::array runs = {run_since(before_noon(600)), run_since(before_noon(600))};
  EXPECT_EQ(lost_gpu_seconds(runs, kNoon), 2 * 8 * 36'000);
  runs[0].known.last_checkpoint = before_noon(30);
  EXPECT_EQ(lost_gpu_seconds(runs, kNoon), 2 * 8 * 1'800);
  runs[1].known.last_checkpoint = before_noon(60);
  EXPECT_EQ(lost_gpu_seconds(runs, kNoon), 2 * 8 * 3'600);
}

TEST(LostGpuSeconds, AreNoneOfWhatHasNotBegunAndOfWhatIsSavedOnlyLater) {
  std::array runs = {run_since(before_noon(60)), PodRun{}};
  runs[0].known.last_checkpoint = kNoon + Duration::seconds(60);
  EXPECT_EQ(lost_gpu_seconds(runs, kNoon), 8 * 3'600);
  runs[0].known.started = kNoon + Duration::seconds(60);
  EXPECT_EQ(lost_gpu_seconds(runs, kNoon), 0);
}

TEST(RunsOf, KnowWhatOwnersSayOfTheirPods) {
  kube::Objects objects;
  kube::PyTorchJob job;
  job.metadata.name = "train";
  job.metadata.namespace_ = "default";
  job.spec.run_policy.active_deadline_seconds = 3600;
  objects.of<kube::PyTorchJob>() = {job};
  kube::Pod silent = pod("silent").owned_by("PyTorchJob", "train", "kubeflow.org/v1").on_node("n1");
  kube::Pod outspoken = silent;
  outspoken.metadata.name = "outspoken";
  outspoken.metadata.annotations["loadline.dev/expected-duration"] = "2h";
  objects.of<kube::Pod>() = {silent, outspoken, pod("waiting")};
  const PodRuns runs = runs_of(objects);
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs.at({"default", "silent"}).known.expected, Duration::seconds(3600));
  EXPECT_EQ(runs.at({"default", "outspoken"}).known.expected, Duration::seconds(7200));
  EXPECT_TRUE(runs.at({"default", "silent"}).is_managed);
}

}  // namespace
}  // namespace loadline::simulator
