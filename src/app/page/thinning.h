#pragma once

#include <vector>

#include "app/page/page.h"

namespace loadline::page {

/// The points of a curve that can be seen when it is drawn as steps from `from` to `to` over that many columns of
/// pixels: in each column the first, the least, the greatest and the last. Points that are no numbers are left out, and
/// so are those that change nothing; points before `from` count for the value there. O(points).
std::vector<Point> thinned(const std::vector<Point>& points, double from, double to, double columns);

}  // namespace loadline::page
