#include <gtest/gtest.h>

#include "brain/workloads/testing/objects.h"
#include "objects/kube/batch/batch.h"

namespace loadline::workloads {
namespace {

using testing::kSeed;
using testing::workload;

kube::Objects nightly() {
  kube::Objects objects;
  objects.of<kube::CronJob>() = {workload<kube::CronJob>("nightly")};
  objects.of<kube::CronJob>()[0].schedule = "0 3 * * *";
  objects.of<kube::CronJob>()[0].job_spec.parallelism = 2;
  objects.of<kube::CronJob>()[0].job_spec.completions = 2;
  return objects;
}

TEST(CronJob, ShowsThePodsOfItsNextRun) {
  const kube::Objects objects = nightly();
  const Expansion expansion = expand(objects, testing::kNow, kSeed);
  ASSERT_EQ(expansion.pods.size(), 2U);
  // 2026-01-01T03:00Z is 29,453,940 minutes after 1970.
  EXPECT_EQ(expansion.pods[0].pod.metadata.controller()->name, "nightly-29453940");
  EXPECT_EQ(expansion.pods[0].workload.to_string(), "CronJob default/nightly");
  EXPECT_EQ(owner_of(expansion.pods[0].pod, objects), expansion.pods[0].workload);
}

TEST(CronJob, ThatIsSuspendedOrUnreadableSaysSo) {
  kube::Objects objects = nightly();
  objects.of<kube::CronJob>()[0].suspend = true;
  EXPECT_EQ(expand(objects, testing::kNow, kSeed).notes.at(0).message, "is suspended");
  objects = nightly();
  objects.of<kube::CronJob>()[0].schedule = "soon";
  EXPECT_EQ(expand(objects, testing::kNow, kSeed).notes.at(0).message,
            "has no next run: expected exactly 5 fields, found 1: [soon]");
}

}  // namespace
}  // namespace loadline::workloads
