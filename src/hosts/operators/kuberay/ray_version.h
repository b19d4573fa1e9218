#pragma once

#include <optional>
#include <string_view>

namespace loadline::operators {

/// Whether a cluster's rayVersion, "2.46.0", is that one or a later one; nothing: it is no version.
[[nodiscard]] std::optional<bool> is_ray_at_least(std::string_view version, int major, int minor);

}  // namespace loadline::operators
