#include "brain/capacity/named_node.h"

#include <fmt/format.h>

#include <algorithm>

#include "foundation/base/closest.h"

namespace loadline::capacity {

Result<std::size_t> find_named(std::string_view name, std::span<const std::string_view> names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string_view nearest = closest(name, names);
  if (!nearest.empty()) return failure(fmt::format("there is no node \"{}\"; did you mean \"{}\"?", name, nearest));
  if (names.empty()) return failure(fmt::format("there is no node \"{}\": there are no nodes", name));
  return failure(fmt::format("there is no node \"{}\"; there is \"{}\"{}", name, names.front(),
                             names.size() == 1 ? "" : fmt::format(" and {} more", names.size() - 1)));
}

}  // namespace loadline::capacity
