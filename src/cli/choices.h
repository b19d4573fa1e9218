#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::cli {

/// The values that an option or argument of that name may have, where they are fixed; for checking and for completion.
std::vector<std::string> fixed_choices(std::string_view name);

}  // namespace loadline::cli
