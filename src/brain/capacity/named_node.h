#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::capacity {

/// Where the name stands among those of nodes. Errors: nowhere, with the name that was probably meant.
Result<std::size_t> find_named(std::string_view name, std::span<const std::string_view> names);

}  // namespace loadline::capacity
