#pragma once

#include <cstddef>
#include <iterator>
#include <string>

#include "foundation/base/rng.h"

namespace loadline::simulation {

/// One of the keys, or nothing.
template <class Map>
std::string pick(const Map& map, Rng& random) {
  if (map.empty()) return {};
  auto at = map.begin();
  std::advance(at, static_cast<std::ptrdiff_t>(random.below(map.size())));
  return at->first;
}

}  // namespace loadline::simulation
