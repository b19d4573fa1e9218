#pragma once

#include <string>
#include <string_view>

namespace loadline::operators {

/// Five characters of those of which Kubernetes makes up names, which the seed decides: "7d4fx".
[[nodiscard]] std::string ray_suffix(std::string_view seed);

}  // namespace loadline::operators
