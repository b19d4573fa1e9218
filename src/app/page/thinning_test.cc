#include "app/page/thinning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace loadline::page {
namespace {

std::vector<double> values_of(const std::vector<Point>& points) {
  std::vector<double> values;
  for (const Point& point : points) values.push_back(point.y);
  return values;
}

TEST(Thinning, KeepsEveryChangeThatCanBeSeen) {
  const std::vector<Point> points = {{0, 1}, {1, 1}, {2, 5}, {3, 5}, {4, 2}};
  EXPECT_EQ(values_of(thinned(points, 0, 10, 100)), (std::vector<double>{1, 5, 2}));
}

TEST(Thinning, KeepsTheExtremesOfAColumn) {
  std::vector<Point> points;
  for (int i = 0; i < 1'000'000; ++i) points.push_back({.x = i * 1e-6, .y = std::fmod(i * 7919.0, 1000.0)});
  points[500'123].y = 5000;
  points[700'001].y = -5000;
  const std::vector<Point> kept = thinned(points, 0, 1, 800);
  EXPECT_LE(kept.size(), 3200u);
  const std::vector<double> values = values_of(kept);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 5000);
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -5000);
  EXPECT_EQ(values.front(), points.front().y);
  EXPECT_EQ(values.back(), points.back().y);
}

TEST(Thinning, LeavesOutWhatIsNoNumberOrGoesBack) {
  const std::vector<Point> points = {{0, 1}, {1, NAN}, {INFINITY, 3}, {2, 4}, {1.5, 9}, {3, INFINITY}, {4, 5}};
  EXPECT_EQ(values_of(thinned(points, 0, 10, 100)), (std::vector<double>{1, 4, 5}));
  EXPECT_TRUE(thinned({}, 0, 1, 100).empty());
}

TEST(Thinning, KnowsTheValueAtTheBeginning) {
  const std::vector<Point> kept = thinned({{-5, 1}, {-2, 7}, {3, 2}, {50, 9}}, 0, 10, 100);
  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(kept[0].x, 0);
  EXPECT_EQ(kept[0].y, 7);
  EXPECT_EQ(kept[1].y, 2);
}

}  // namespace
}  // namespace loadline::page
