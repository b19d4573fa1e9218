#include "app/page/label.h"

#include <gtest/gtest.h>

#include <string>

namespace loadline::page {
namespace {

TEST(Label, KeepsWhatFits) {
  EXPECT_EQ(fitted("gpu-node-1", 200, 11), "gpu-node-1");
  EXPECT_EQ(fitted("", 200, 11), "");
}

TEST(Label, LosesItsMiddle) {
  const std::string cut = fitted("train-llama-70b-with-a-long-name-0017", 110, 11);
  EXPECT_TRUE(cut.starts_with("train-")) << cut;
  EXPECT_TRUE(cut.ends_with("0017")) << cut;
  EXPECT_NE(cut.find("…"), std::string::npos) << cut;
  EXPECT_LE(width_of(cut, 11), 110);
  EXPECT_EQ(fitted("train-llama-70b", 20, 11), "");
}

TEST(Label, IsNeverCutWithinACharacter) {
  for (double pixels = 0; pixels < 120; pixels += 3) {
    const std::string cut = fitted("日本語のワークロード\xFF-größe", pixels, 11);
    EXPECT_LE(width_of(cut, 11), pixels);
    const std::size_t dots = cut.find("…");
    if (dots == std::string::npos) continue;
    EXPECT_TRUE(cut.starts_with("日")) << cut;
  }
}

TEST(Label, IsWiderInALargerSize) {
  EXPECT_GT(width_of("mmm", 11), width_of("iii", 11));
  EXPECT_DOUBLE_EQ(width_of("pod", 22), 2 * width_of("pod", 11));
}

TEST(Tooltip, ShortensOnlyWhatNobodyReads) {
  EXPECT_EQ(tooltip(std::string(1000, 'x')).size(), 1000u);
  EXPECT_EQ(tooltip(std::string(1'000'000, 'x')), std::string(500, 'x') + "…" + std::string(500, 'x'));
}

}  // namespace
}  // namespace loadline::page
