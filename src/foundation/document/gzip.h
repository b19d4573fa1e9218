#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

namespace loadline::document {

/// Whether the bytes begin as a gzip stream does. No YAML or JSON text begins so.
bool is_gzip(std::string_view bytes);

/// Whether gzip data that has become so many bytes is there to fill memory: 64 MiB are free, then no text that anybody
/// means is more than a hundred times its compressed size. (deflate reaches a thousand, with one byte over and over;
/// objects that are alike reach some fifty.)
bool is_gzip_bomb(std::uint64_t compressed_bytes, std::uint64_t bytes);

/// What is said of it.
inline constexpr const char* kGzipBomb =
    "gzip data becomes more than a hundred times its size, as a bomb does; if it is meant, unpack it first: gunzip";

/// The content of one or more gzip members. Stops as soon as it would exceed `max_bytes`, or turns out to be a bomb, so
/// that a small input that expands without end costs no more than that.
Result<std::string> decompress_gzip(std::string_view bytes, std::uint64_t max_bytes);

/// One gzip member with that content, the same bytes for the same content. REQUIRES: less than 2 GiB.
std::string compress_gzip(std::string_view bytes);

}  // namespace loadline::document
