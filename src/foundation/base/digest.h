#pragma once

#include <string>
#include <string_view>

namespace loadline {

/// SHA-1 of the text in hexadecimal digits, by which operators tell objects of one name from each other. No secret.
[[nodiscard]] std::string sha1_hex(std::string_view text);

}  // namespace loadline
