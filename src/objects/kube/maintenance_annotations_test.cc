// What pods and nodes say of checkpoints and drains, and what is wrong with it.
#include "objects/kube/maintenance_annotations.h"

#include <gmock/gmock.h>

#include <string>

namespace loadline::kube {
namespace {

using ::testing::HasSubstr;

Pod pod_with(std::string_view annotation, const std::string& value) {
  Pod pod;
  pod.metadata.annotations.insert_or_assign(std::string(annotation), value);
  return pod;
}

Node node_with(std::string_view annotation, const std::string& value) {
  Node node;
  node.metadata.annotations.insert_or_assign(std::string(annotation), value);
  return node;
}

TEST(CheckpointInterval, IsASpanThatIsNotZero) {
  EXPECT_EQ(checkpoint_interval(pod_with(kCheckpointIntervalAnnotation, "30m")), Duration::seconds(1800));
  EXPECT_EQ(checkpoint_interval(pod_with(kCheckpointIntervalAnnotation, "90")), Duration::seconds(90));
  for (const char* wrong : {"0", "-5m", "hourly", ""}) {
    const Pod pod = pod_with(kCheckpointIntervalAnnotation, wrong);
    EXPECT_EQ(checkpoint_interval(pod), std::nullopt) << wrong;
    EXPECT_FALSE(parse_checkpoint_interval(wrong)) << wrong;
  }
  EXPECT_EQ(checkpoint_interval(Pod()), std::nullopt);
}

TEST(DrainBy, IsATime) {
  const auto deadline = drain_by(node_with(kDrainByAnnotation, "2026-01-01T14:00:00Z"));
  ASSERT_TRUE(deadline);
  EXPECT_EQ(*deadline, parse_rfc3339("2026-01-01T14:00:00Z"));
  EXPECT_EQ(*drain_by(Node()), std::nullopt);
  const auto wrong = drain_announced(node_with(kDrainAnnouncedAnnotation, "2h"));
  ASSERT_FALSE(wrong);
  EXPECT_THAT(wrong.error().message, HasSubstr("loadline.dev/drain-announced: \"2h\" is no time"));
}

}  // namespace
}  // namespace loadline::kube
