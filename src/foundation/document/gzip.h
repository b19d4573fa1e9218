#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::document {

/// Whether the bytes begin as a gzip stream does. No YAML or JSON text begins so.
bool is_gzip(std::string_view bytes);

/// The content of one or more gzip members. Stops as soon as it would exceed `max_bytes`, so that a small input that
/// expands without end costs no more than that.
Result<std::string> decompress_gzip(std::string_view bytes, std::uint64_t max_bytes);

/// One gzip member with that content, the same bytes for the same content. REQUIRES: less than 2 GiB.
std::string compress_gzip(std::string_view bytes);

}  // namespace loadline::document
