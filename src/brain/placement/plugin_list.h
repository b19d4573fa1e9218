#pragma once

#include <algorithm>
#include <vector>

namespace loadline::placement {

class Plugin;

[[nodiscard]] inline bool contains(const std::vector<const Plugin*>& plugins, const Plugin* plugin) {
  return std::find(plugins.begin(), plugins.end(), plugin) != plugins.end();
}

}  // namespace loadline::placement
