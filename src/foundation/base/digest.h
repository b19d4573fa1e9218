#pragma once

#include <string>
#include <string_view>

namespace loadline {

// SHA-1, where somebody else's format asks for it; it keeps nothing secret.

/// The twenty bytes.
[[nodiscard]] std::string sha1(std::string_view text);

/// The same in hexadecimal digits.
[[nodiscard]] std::string sha1_hex(std::string_view text);

}  // namespace loadline
