#include "app/page/thinning.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace loadline::page {
namespace {

void append_step(std::vector<Point>& kept, const Point& point) {
  if (kept.empty() || kept.back().y != point.y) kept.push_back(point);
}

/// Appends the points of one column, at most four of them.
void append_column(std::vector<Point>& kept, const std::vector<Point>& points, std::size_t first, std::size_t last) {
  std::size_t least = first;
  std::size_t greatest = first;
  for (std::size_t i = first; i <= last; ++i) {
    if (points[i].y < points[least].y) least = i;
    if (points[i].y > points[greatest].y) greatest = i;
  }
  std::array<std::size_t, 4> chosen = {first, least, greatest, last};
  std::sort(chosen.begin(), chosen.end());
  const auto* const end = std::unique(chosen.begin(), chosen.end());
  for (const auto* i = chosen.begin(); i != end; ++i) append_step(kept, points[*i]);
}

}  // namespace

std::vector<Point> thinned(const std::vector<Point>& points, double from, double to, double columns) {
  std::vector<Point> clean;
  for (const Point& point : points) {
    if (!std::isfinite(point.x) || !std::isfinite(point.y) || point.x > to) continue;
    const Point inside = {.x = std::max(point.x, from), .y = point.y};
    if (inside.x == from && !clean.empty()) {
      clean.back() = inside;
    } else if (clean.empty() || inside.x >= clean.back().x) {
      clean.push_back(inside);
    }
  }
  std::vector<Point> kept;
  const double size = (to - from) / columns;
  for (std::size_t first = 0; first < clean.size();) {
    const double column = std::floor((clean[first].x - from) / size);
    std::size_t last = first;
    while (last + 1 < clean.size() && std::floor((clean[last + 1].x - from) / size) == column) ++last;
    append_column(kept, clean, first, last);
    first = last + 1;
  }
  return kept;
}

}  // namespace loadline::page
