#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace loadline::page {

/// About how many pixels wide a text is in the page's typeface at this size. O(length).
double width_of(std::string_view text, double font_size);

/// The text if it is no wider than `pixels`; else both its ends with "…" between them, since names of workloads differ
/// at their ends; empty if not even three characters and the dots have room.
std::string fitted(std::string_view text, double pixels, double font_size);

/// What is shown when an element is pointed at: the text, of which a very long one loses its middle.
std::string tooltip(std::string_view text);

}  // namespace loadline::page
