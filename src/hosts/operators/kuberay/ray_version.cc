#include "hosts/operators/kuberay/ray_version.h"

#include <charconv>
#include <utility>
#include <vector>

namespace loadline::operators {

std::optional<bool> is_ray_at_least(std::string_view version, int major, int minor) {
  if (version.starts_with('v')) version.remove_prefix(1);
  std::vector<int> parts;
  while (true) {
    int part = 0;
    const auto parsed = std::from_chars(version.data(), version.data() + version.size(), part);
    if (parsed.ec != std::errc()) return std::nullopt;
    parts.push_back(part);
    version.remove_prefix(static_cast<std::size_t>(parsed.ptr - version.data()));
    if (!version.starts_with('.')) break;
    version.remove_prefix(1);
  }
  if (parts.size() == 1) parts.push_back(0);
  return std::pair(parts[0], parts[1]) >= std::pair(major, minor);
}

}  // namespace loadline::operators
