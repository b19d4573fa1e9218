#include "brain/placement/plugins/image_locality.h"

#include "brain/placement/testing/placement_fixture.h"

namespace loadline::placement {
namespace {

using cluster::testing::node;
using cluster::testing::pod;

constexpr std::int64_t kMebibyte = 1024 * 1024;

struct ImageLocalityTest : testing::PlacementFixture {
  ImageLocality plugin;
};

TEST_F(ImageLocalityTest, ScalesBetweenTwentyThreeAndAThousandMebibytesPerContainer) {
  struct Case {
    std::int64_t mebibytes;
    std::int64_t score;
  };
  // 512: 489 of 977; 999: 976 of 977.
  const Case cases[] = {{10, 0}, {23, 0}, {512, 50}, {999, 99}, {1000, 100}, {4000, 100}};
  auto only_node = node("n");
  const auto image = [](const Case& each) { return "app:" + std::to_string(each.mebibytes); };
  for (const Case& each : cases) only_node.image(image(each), each.mebibytes * kMebibyte);
  add(only_node);
  for (const Case& each : cases) EXPECT_EQ(scores(plugin, pod("p").image(image(each))), Scores{each.score});
}

TEST_F(ImageLocalityTest, CountsAnImageForTheShareOfNodesThatHaveIt) {
  add(node("has").image("app:latest", 1000 * kMebibyte));
  add(node("lacks"));
  EXPECT_EQ(scores(plugin, pod("p").image("app")), (Scores{48, 0}));  // (500 − 23)·100 / 977 = 48.8
  EXPECT_EQ(scores(plugin, pod("p").image("app:1")), (Scores{0, 0}));
}

TEST_F(ImageLocalityTest, InitContainersAndImageVolumesCountToo) {
  add(node("n").image("app:1", 500 * kMebibyte).image("init:latest", 500 * kMebibyte).image("data:1", 223 * kMebibyte));
  auto builder = pod("p").image("app:1").init_container("cpu", "1");
  EXPECT_EQ(scores(plugin, builder), Scores{49});  // (1000 − 23) / (2000 − 23) = 49.4 %
  builder.spec().volumes.emplace_back().image_reference = "data:1";
  EXPECT_EQ(scores(plugin, builder), Scores{60});  // a volume adds its size but no room: (1223 − 23) / 1977 = 60.7 %
}

}  // namespace
}  // namespace loadline::placement
