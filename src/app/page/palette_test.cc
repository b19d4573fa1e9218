#include "app/page/palette.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace loadline::page {
namespace {

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

TEST(Palette, GivesColoursInOrderOfAppearance) {
  Palette palette;
  palette.add_chart({"research", "production", "research"});
  EXPECT_EQ(palette.of("research"), 0u);
  EXPECT_EQ(palette.of("production"), 1u);
  EXPECT_EQ(palette.of("unheard-of"), 0u);
}

TEST(Palette, KeepsANamesColourAndNeverMixesTwoOfAChart) {
  Palette palette;
  palette.add_chart({"gpu", "cpu"});
  palette.add_chart({"pending"});
  palette.add_chart({"vision", "cpu", "research"});
  EXPECT_EQ(palette.of("cpu"), 1u);
  EXPECT_EQ(palette.of("pending"), 2u);
  EXPECT_EQ((std::set<Colour>{palette.of("vision"), palette.of("cpu"), palette.of("research")}).size(), 3u);
}

TEST(Palette, HasColoursForStates) {
  Palette palette;
  palette.add_chart({"waiting", "failed", "running"});
  EXPECT_EQ(palette.of("waiting"), kWaiting);
  EXPECT_EQ(palette.of("failed"), kFailed);
  EXPECT_EQ(palette.of("running"), 0u);
}

TEST(Palette, TurnsPaleWhereHuesAreUsedUp) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < 2 * kHues; ++i) names.push_back("team-" + std::to_string(i));
  Palette palette;
  palette.add_chart(views(names));
  std::set<Colour> colours;
  for (const std::string& name : names) colours.insert(palette.of(name));
  EXPECT_EQ(colours.size(), 2 * kHues);
  EXPECT_EQ(colour_class(palette.of("team-8")), "c0 pale");
}

}  // namespace
}  // namespace loadline::page
