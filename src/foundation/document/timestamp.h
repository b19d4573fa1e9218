#pragma once

#include <string_view>

namespace loadline::document {

/// Whether go-yaml takes the text for a timestamp: `2006-1-2`, `2006-1-2 15:4:5.9`, or either `T` form with a zone.
/// It matters to no reader, which gets a string either way, but to the writer, which quotes it.
bool is_timestamp(std::string_view text);

}  // namespace loadline::document
