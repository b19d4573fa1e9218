#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace loadline::document {

/// Standard base64 with padding; line breaks are skipped, as Go's decoder skips them. Nothing if it is malformed.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace loadline::document
