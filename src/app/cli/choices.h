#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadline::cli {

/// The values that an option or argument of that name may have, where they are fixed; for checking and for completion.
/// What a subcommand restricts further is asked for with its name.
std::vector<std::string> fixed_choices(std::string_view name, std::string_view subcommand = {});

/// Whether the option takes a file as well as its fixed values.
bool may_be_a_file(std::string_view name);

}  // namespace loadline::cli
