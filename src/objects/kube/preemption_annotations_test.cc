#include "objects/kube/preemption_annotations.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::kube {
namespace {

Pod annotated(std::string_view name, const std::string& value) {
  Pod pod;
  pod.metadata.annotations[std::string(name)] = value;
  return pod;
}

TEST(PreemptionAnnotations, TellOfTheLastCheckpoint) {
  EXPECT_EQ(last_checkpoint(annotated(kLastCheckpointAnnotation, "1970-01-01T00:01:30Z")),
            Instant{} + Duration::seconds(90));
  EXPECT_EQ(last_checkpoint(annotated(kLastCheckpointAnnotation, "yesterday")), std::nullopt);
  EXPECT_EQ(last_checkpoint(Pod()), std::nullopt);
}

TEST(PreemptionAnnotations, TellOfTheMinimumRunTime) {
  EXPECT_EQ(minimum_run(annotated(kMinimumRunTimeAnnotation, "90")), Duration::seconds(90));
  EXPECT_EQ(minimum_run(annotated(kMinimumRunTimeAnnotation, "1h30m")), Duration::seconds(5400));
  EXPECT_EQ(minimum_run(annotated(kMinimumRunTimeAnnotation, "-1s")), Duration{});
  EXPECT_EQ(minimum_run(annotated(kMinimumRunTimeAnnotation, "long")), Duration{});
  EXPECT_EQ(minimum_run(Pod()), Duration{});
}

}  // namespace
}  // namespace loadline::kube
