#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace loadline {

/// Standard base64 with padding; line breaks are skipped, as Go's decoder skips them. Nothing if it is malformed.
std::optional<std::string> decode_base64(std::string_view text);

/// Standard base64 with padding, as Go's encoder writes it.
std::string encode_base64(std::string_view bytes);

/// With `-` and `_` in place of `+` and `/`, and without padding or line breaks, as JWTs have it.
std::optional<std::string> decode_base64url(std::string_view text);
std::string encode_base64url(std::string_view bytes);

/// The byte at which decode_base64 gives up, as Go's CorruptInputError counts it: the first that cannot stand there, or
/// the first of a group that the end cuts short. REQUIRES: decode_base64 gives nothing.
std::size_t base64_fault(std::string_view text);

}  // namespace loadline
