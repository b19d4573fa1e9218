#include "hosts/timeline/stated_times.h"

#include <gtest/gtest.h>

#include <string>

#include "foundation/document/reader.h"

namespace loadline::timeline {
namespace {

constexpr Duration kYear = Duration::seconds(365 * 86'400);

StatedTimes read(const std::string& yaml) { return stated_times(document::read_yaml(yaml, "test").documents, kYear); }

std::int64_t longest(const std::string& yaml) { return read(yaml).longest.nanoseconds / 1'000'000'000; }

TEST(StatedTimes, AreSpansInAnnotationsOfVirtualNodesAndFieldsOfTime) {
  EXPECT_EQ(longest("metadata: {annotations: {loadline.dev/run-time.main: 2h}}"), 7200);
  EXPECT_EQ(longest("metadata: {annotations: {pod-complete.stage.kwok.x-k8s.io/delay: 90s}}"), 90);
  EXPECT_EQ(longest("metadata: {annotations: {example.com/run-time: 2h}}"), 0) << "another program's";
  EXPECT_EQ(longest("spec: {template: {metadata: {annotations: {loadline.dev/run-time: 5m}}}}"), 300);
  EXPECT_EQ(longest("spec: {tasks: [{ttlSecondsAfterFinished: 100}, {activeDeadlineSeconds: 40}]}"), 100);
  EXPECT_EQ(longest("spec: {ttl: 24h}"), 86'400);
  EXPECT_EQ(longest("spec: {resources: {requests: {cpu: 500m}}}"), 0) << "half a CPU is no time";
  EXPECT_EQ(longest("status: {ttl: 24h}"), 0) << "what was is over";
}

TEST(StatedTimes, GrowOnSlowNodes) {
  EXPECT_EQ(longest("metadata: {annotations: {loadline.dev/slow: '3'}}\n---\nspec: {activeDeadlineSeconds: 10}"), 30);
}

TEST(StatedTimes, LeaveOutWhatIsMeantForEver) {
  EXPECT_EQ(longest("spec: {progressDeadlineSeconds: 2147483647, activeDeadlineSeconds: 7}"), 7);
  EXPECT_EQ(longest("metadata: {annotations: {loadline.dev/run-time: forever}}"), 0);
}

TEST(StatedTimes, KnowTimesOfDay) {
  const Instant until = *parse_rfc3339("2026-03-01T00:00:00Z");
  EXPECT_EQ(read("spec: {expires: \"2026-03-01T00:00:00Z\"}").latest, until);
  EXPECT_EQ(read("metadata: {creationTimestamp: \"2026-03-01T00:00:00Z\"}").latest, Instant{});
}

}  // namespace
}  // namespace loadline::timeline
