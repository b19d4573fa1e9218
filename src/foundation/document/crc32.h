#pragma once

#include <cstdint>
#include <string_view>

namespace loadline::document {

/// The CRC-32 of gzip (ISO-HDLC) of what `sum` is that of (0: nothing) and these bytes. It finds accidents, not
/// forgeries. REQUIRES: less than 4 GiB.
[[nodiscard]] std::uint32_t crc32(std::string_view bytes, std::uint32_t sum = 0);

}  // namespace loadline::document
