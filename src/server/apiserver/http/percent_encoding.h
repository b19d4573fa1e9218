#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadline::apiserver {

/// "a/b" of "a%2Fb"; nothing if an escape is broken. A `+` stays one.
std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace loadline::apiserver
